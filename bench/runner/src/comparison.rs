//! --against: this build's contenders against those of another build, row by row.
//!
//! Of many comparisons a few look worse by chance: with six rounds, one of 64. So what looks worse
//! is measured again, and counts only if it is worse both times.

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::error::{INTERRUPTED, OK, REGRESSION};
use heapsmith_measure::files::Files;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::progress::counted;
use heapsmith_measure::record::{self, Failed};
use heapsmith_measure::results::Results;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::screen::{Screen, full_path};
use heapsmith_measure::stats::{Estimate, Verdict};
use heapsmith_measure::table::{Cell, judged_cell};

use crate::bench::{Bench, Doubt, against, base_name, is_against};
use crate::measure::measure;

/// Writes and prints the comparisons. The exit code says whether a row is worse.
pub fn conclude(
    bench: Bench,
    rows: &[Row],
    alone: &[String],
    mut results: Results,
    files: Files,
) -> Result<u8> {
    let compared = compare(rows, &bench.manifest.shown);
    results.records.extend(compared.iter().filter_map(Compared::record));
    let (others, own): (Vec<Failed>, Vec<Failed>) = std::mem::take(&mut results.failures)
        .into_iter()
        .partition(|failed| is_against(&failed.failure.contender));
    results.failures = own;
    let screen = Screen::beside(&files);
    let page = results.write(files)?;

    let mut out = Vec::new();
    print(&mut out, &screen, &compared)?;
    let unpaired = rows.iter().flat_map(unpaired);
    let failed = others.iter().map(|it| format!("{}, {}", it.label(), it.failure.line()));
    for line in alone.iter().cloned().chain(unpaired).chain(failed) {
        writeln!(out, "not compared: {line}")?;
    }
    for failed in &results.failures {
        writeln!(out, "failed: {}, {}", failed.label(), failed.failure.line())?;
    }
    if let Some(page) = page {
        writeln!(out, "page: {}", full_path(&page))?;
    }
    screen.print(&out)?;
    let interrupt = bench.interrupt.clone();
    let again = measure_again(bench, &compared)?;
    let mut out = Vec::new();
    let worse = summarise(&mut out, &compared, &again)?;
    screen.print(&out)?;
    Ok(match interrupt.asked() {
        true => INTERRUPTED,
        false if worse == 0 && results.failures.is_empty() => OK,
        false => REGRESSION,
    })
}

/// One contender in one metric of one row, against itself in the other build.
struct Compared<'a> {
    row: &'a Row,
    own: &'a Series,
    other: &'a Series,
    metric: Metric,
    estimate: Estimate,
}

impl<'a> Compared<'a> {
    fn of(row: &'a Row, own: &'a Series, other: &'a Series, metric: Metric) -> Option<Self> {
        let estimate = if metric.is_exact() {
            let (value, base) = (own.median(metric)?, other.median(metric)?);
            // Nothing is the same as nothing. Something has no ratio to nothing.
            let ratio = if value == base { 1.0 } else { value / base };
            Estimate { n: 1, median: ratio, low: ratio, high: ratio }
        } else {
            own.against(other, metric)?
        };
        Some(Self { row, own, other, metric, estimate })
    }

    fn verdict(&self) -> Verdict {
        self.estimate.verdict_on(self.metric.higher_is_better())
    }

    fn shown(&self) -> String {
        let ratio = self.estimate.median;
        if self.metric.is_exact() { format!("×{ratio:.3}") } else { self.estimate.to_string() }
    }

    fn name(&self) -> String {
        format!("{}, {}, {}", self.row.label(), self.own.name(), self.metric.title())
    }

    fn record(&self) -> Option<record::Record> {
        record::ratio(self.row, self.own, self.other, self.metric)
    }

    /// The row to measure again.
    fn doubt(&self) -> Doubt {
        Doubt::of(self.row, self.own.name())
    }
}

/// Every contender that both builds have, in the metrics that the suite shows.
fn compare<'a>(rows: &'a [Row], metrics: &[Metric]) -> Vec<Compared<'a>> {
    let mut all = Vec::new();
    for row in rows {
        for own in &row.series {
            let Some(other) = row.named(&against(own.name())) else {
                continue;
            };
            let of_metric = |metric: &Metric| Compared::of(row, own, other, *metric);
            all.extend(metrics.iter().filter_map(of_metric));
        }
    }
    all
}

/// Contenders of a row that only one build has values for.
fn unpaired(row: &Row) -> Vec<String> {
    let has = |name: &str| row.named(name).is_some();
    let of_series = |series: &Series| {
        let name = series.name();
        let base = base_name(name);
        let build = match is_against(name) {
            true if !has(base) => "the other",
            false if !has(&against(name)) => "this",
            _ => return None,
        };
        Some(format!("{}, {base}: only in {build} build", row.label()))
    };
    row.series.iter().filter_map(of_series).collect()
}

fn print(out: &mut dyn Write, screen: &Screen, compared: &[Compared]) -> Result<()> {
    if compared.is_empty() {
        return Ok(());
    }
    let mut table = screen.table();
    table.set_header(["row", "contender", "metric", "this build / the other", ""]);
    for one in compared {
        let verdict = one.verdict();
        table.add_row([
            Cell::new(one.row.label()),
            Cell::new(one.own.name()),
            Cell::new(one.metric.title()),
            judged_cell(one.shown(), Some(verdict)),
            judged_cell(verdict.to_string(), Some(verdict)),
        ]);
    }
    writeln!(out, "{table}")?;
    writeln!(out, "×: median of the per-round ratios [95 % interval]; exact values have none")?;
    Ok(())
}

/// The rows of a second measurement of what looks worse. Exact values need none.
fn measure_again(bench: Bench, compared: &[Compared]) -> Result<Vec<Row>> {
    let in_doubt = |one: &&Compared| one.verdict() == Verdict::Worse && !one.metric.is_exact();
    let doubts: Vec<Doubt> = compared.iter().filter(in_doubt).map(Compared::doubt).collect();
    if doubts.is_empty() || bench.interrupt.asked() {
        return Ok(Vec::new());
    }
    eprintln!("measuring again: {} that came out worse", counted(doubts.len(), "comparison"));
    let mut unused = Results::new(&[]);
    Ok(measure(&bench.again(doubts), &mut unused)?.rows)
}

/// Prints the comparisons that are worse both times, and the totals. Returns how many are worse.
fn summarise(out: &mut dyn Write, compared: &[Compared], again: &[Row]) -> Result<usize> {
    let mut worse = 0;
    for one in compared.iter().filter(|one| one.verdict() == Verdict::Worse) {
        let second = second(one, again);
        let shown = second.as_ref().map(|second| format!(", again {}", second.shown()));
        let shown = format!("{} {}{}", one.name(), one.shown(), shown.unwrap_or_default());
        if second.is_none_or(|second| second.verdict() == Verdict::Worse) {
            writeln!(out, "worse: {shown}")?;
            worse += 1;
        } else {
            writeln!(out, "not worse the second time: {shown}")?;
        }
    }
    let better = compared.iter().filter(|one| one.verdict() == Verdict::Better).count();
    let same = compared.len() - worse - better;
    writeln!(
        out,
        "{}: {worse} worse, {better} better, {same} without a measurable difference",
        counted(compared.len(), "comparison")
    )?;
    Ok(worse)
}

/// The same comparison in the second measurement.
fn second<'a>(one: &Compared, again: &'a [Row]) -> Option<Compared<'a>> {
    let same = |row: &&Row| row.workload == one.row.workload && row.params == one.row.params;
    let row = again.iter().find(same)?;
    let (own, other) = (row.named(one.own.name())?, row.named(one.other.name())?);
    Compared::of(row, own, other, one.metric)
}

#[cfg(test)]
mod tests {
    //! Rows that are worse, and rows that only look so.
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use heapsmith_measure::prove::Identity;
    use serde_json::json;

    use super::*;

    fn series(name: &str, metric: Metric, value: f64) -> Series {
        let identity = Identity {
            name: name.to_string(),
            version: String::new(),
            library: PathBuf::new(),
            loaded: true,
            settings: Vec::new(),
        };
        let drift = |round: i32| Some(value * (1.0 + 0.1 * f64::from(round)));
        let values = match metric.is_exact() {
            true => vec![Some(value)],
            false => (0..6).map(drift).collect(),
        };
        Series::of_values(identity, BTreeMap::from([(metric, values)]))
    }

    fn row(metric: Metric, this: f64, other: f64) -> Row {
        let params = json!({"threads": 2}).as_object().expect("an object").clone();
        let both = vec![series("pool", metric, this), series(&against("pool"), metric, other)];
        Row { suite: "x".into(), workload: "churn".into(), params, series: both }
    }

    fn summary(first: &[Row], again: &[Row]) -> (String, usize) {
        let mut text = Vec::new();
        let compared = compare(first, &[Metric::Wall, Metric::Instructions, Metric::Utilisation]);
        let worse = summarise(&mut text, &compared, again).expect("a vector takes all");
        (String::from_utf8(text).expect("text"), worse)
    }

    #[test]
    fn what_is_worse_both_times_is_worse() {
        let slow = [row(Metric::Wall, 1.1, 1.0)];
        let (text, worse) = summary(&slow, &slow);
        assert_eq!(worse, 1);
        assert!(text.starts_with("worse: churn ×2, pool, wall time ×1.100"), "{text}");
        assert!(
            text.ends_with("1 comparison: 1 worse, 0 better, 0 without a measurable difference\n")
        );
    }

    #[test]
    fn what_is_worse_once_is_not() {
        let (text, worse) = summary(&[row(Metric::Wall, 1.1, 1.0)], &[row(Metric::Wall, 1.0, 1.0)]);
        assert_eq!(worse, 0);
        assert!(text.starts_with("not worse the second time: churn ×2, pool"), "{text}");
        assert!(text.contains("0 worse, 0 better, 1 without"), "{text}");
    }

    #[test]
    fn exact_values_are_believed_at_once_and_more_can_be_better() {
        let (text, worse) = summary(&[row(Metric::Instructions, 41.0, 40.0)], &[]);
        assert_eq!((worse, text.starts_with("worse: ")), (1, true));
        let (text, worse) = summary(&[row(Metric::Utilisation, 0.9, 0.8)], &[]);
        assert_eq!((worse, text.contains("1 better")), (0, true));
        let (_, worse) = summary(&[row(Metric::Instructions, 0.0, 0.0)], &[]);
        assert_eq!(worse, 0);
    }

    #[test]
    fn contenders_of_one_build_are_named() {
        let mut alone = row(Metric::Wall, 1.0, 1.0);
        alone.series.remove(0);
        assert_eq!(unpaired(&alone), ["churn ×2, pool: only in the other build"]);
        assert!(unpaired(&row(Metric::Wall, 1.0, 1.0)).is_empty());
        assert!(compare(&[alone], &[Metric::Wall]).is_empty());
    }

    #[test]
    fn a_doubt_names_what_is_run_again() {
        let slow = [row(Metric::Wall, 1.1, 1.0)];
        let (workload, contender) = ("churn".to_string(), "pool".to_string());
        let doubt = compare(&slow, &[Metric::Wall])[0].doubt();
        assert_eq!(doubt, Doubt { workload, threads: Some(2), contender });
    }
}
