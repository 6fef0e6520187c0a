//! How the results stand against the targets of the suite: a line each.

mod growth;
mod standing;
mod summary;
mod target;

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::row::Row;
use heapsmith_measure::stats::Estimate;
use heapsmith_measure::verdict::Reached;
use heapsmith_measure::verdict::target::half_width;

use crate::bench::Doubt;
use crate::manifest::Manifest;

/// A sentence about a target, or about rows without one.
pub struct Line {
    pub text: String,
    /// None where there is no target.
    pub reached: Option<Reached>,
    /// The rows whose further rounds would narrow the interval, if it is too wide.
    pub doubts: Vec<Doubt>,
}

impl Line {
    fn about(text: String) -> Self {
        Self { text, reached: None, doubts: Vec::new() }
    }

    fn judged(text: String, reached: Reached, doubts: impl FnOnce() -> Vec<Doubt>) -> Self {
        let doubts = if reached == Reached::CannotTell { doubts() } else { Vec::new() };
        Self { text, reached: Some(reached), doubts }
    }
}

pub fn judge(manifest: &Manifest, rows: &[Row]) -> Vec<Line> {
    let targets = manifest.targets.iter().flat_map(|target| target::judge(target, manifest, rows));
    let largest = manifest.largest.iter().filter_map(|largest| summary::largest(largest, rows));
    let dominated = manifest.dominated.iter();
    let dominated = dominated.flat_map(|dominated| summary::dominated(dominated, manifest, rows));
    let growth = manifest.growth.iter().filter_map(|one| growth::judge(one, manifest, rows));
    targets.chain(largest).chain(growth).chain(dominated.map(Line::about)).collect()
}

pub fn print(out: &mut dyn Write, lines: &[Line]) -> Result<()> {
    for line in lines {
        writeln!(out, "{}", line.text)?;
    }
    if let Some(totals) = totals(lines) {
        writeln!(out, "{totals}")?;
    }
    Ok(())
}

/// "targets: 3 met, 1 missed, 2 cannot tell"; none without targets.
pub fn totals(lines: &[Line]) -> Option<String> {
    let count = |reached| lines.iter().filter(|line| line.reached == Some(reached)).count();
    let counts = [Reached::Met, Reached::Missed, Reached::CannotTell].map(count);
    let [met, missed, unclear] = counts;
    let not_met = if unclear > 0 { format!(", {unclear} cannot tell") } else { String::new() };
    let is_judged = counts.iter().any(|count| *count > 0);
    is_judged.then(|| format!("targets: {met} met, {missed} missed{not_met}"))
}

/// The rows to measure further, each once.
pub fn doubts(lines: &[Line]) -> Vec<Doubt> {
    let mut all: Vec<Doubt> = Vec::new();
    for doubt in lines.iter().flat_map(|line| &line.doubts) {
        if !all.contains(doubt) {
            all.push(doubt.clone());
        }
    }
    all
}

/// The words for `target`, which was judged by `estimate`.
fn words(reached: Reached, estimate: &Estimate, target: f64) -> String {
    match reached {
        Reached::Met => "met".to_string(),
        Reached::Missed => "missed".to_string(),
        Reached::CannotTell => {
            let width = 100.0 * half_width(estimate, target);
            format!("cannot tell: the interval is ±{width:.0} % wide")
        }
    }
}

#[cfg(test)]
mod tests;
