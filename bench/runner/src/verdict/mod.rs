//! How the results stand against the targets of the suite: a line each.

mod growth;
mod line;
mod standing;
mod summary;
mod target;

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::row::Row;
use heapsmith_measure::verdict::Reached;

use crate::bench::Doubt;
use crate::manifest::Manifest;

pub use line::Line;

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

#[cfg(test)]
mod tests;
