//! The table of one row: a line per contender, a column per metric. It fits the screen.
//!
//! The more important metrics come first. A table that is too wide moves the intervals to lines of
//! their own, then drops its last columns one by one. Two columns always stay.

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::contender::AS_BUILT;
use heapsmith_measure::digits;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::progress::counted;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::screen::Screen;
use heapsmith_measure::stats::{self, MIN_ROUNDS, Verdict};
use heapsmith_measure::table::{Attribute, Cell, Table, judged_cell};
use heapsmith_measure::verdict::{Comparison, Judgement, Outcome, Rules};

/// The first columns; other metrics follow.
const ORDER: [Metric; 10] = [
    Metric::Wall,
    Metric::Load,
    Metric::PssPeak,
    Metric::PssMean,
    Metric::PssEnd,
    Metric::PssIdle,
    Metric::PssSlope,
    Metric::PeakRss,
    Metric::Cpu,
    Metric::PageFaults,
];
/// The columns that stay on any screen.
const FEWEST: usize = 2;

/// A row with what was found out about it.
pub struct Shown<'a> {
    pub row: &'a Row,
    pub baseline: &'a str,
    pub judgement: &'a Judgement,
    pub failures: &'a [Failure],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Intervals {
    Beside,
    Below,
}

pub fn print(out: &mut dyn Write, screen: &Screen, shown: &Shown) -> Result<()> {
    let Shown { row, baseline, failures, .. } = shown;
    let metrics = metrics(row);
    let rounds = row.series.iter().map(Series::rounds).max().unwrap_or(0);
    let rounds_shown = counted(rounds, "interleaved round");
    writeln!(out, "{}: {rounds_shown}, ratios against {baseline}", row.label())?;
    if let Some((table, columns)) = fitting(screen, shown, &metrics) {
        writeln!(out, "{table}")?;
        let dropped: Vec<_> = metrics[columns..].iter().map(|metric| metric.title()).collect();
        if let Some(width) = screen.width().filter(|_| !dropped.is_empty()) {
            writeln!(out, "not shown in {width} columns: {}", dropped.join(", "))?;
        }
    }
    writeln!(out, "{}", legend(shown, rounds))?;
    if let Some(noise) = noise_line(row) {
        writeln!(out, "{noise}")?;
    }
    for failure in *failures {
        writeln!(out, "failed under {}", failure.line())?;
    }
    Ok(())
}

/// Those that have a value, in their order.
fn metrics(row: &Row) -> Vec<Metric> {
    let has = |metric: &Metric| row.series.iter().any(|series| series.median(*metric).is_some());
    let mut metrics: Vec<Metric> = ORDER.into_iter().filter(has).collect();
    for metric in row.series.iter().flat_map(Series::metrics).filter(has) {
        if !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    metrics
}

/// The table with the number of its columns.
fn fitting(screen: &Screen, shown: &Shown, metrics: &[Metric]) -> Option<(Table, usize)> {
    let widest = (Intervals::Beside, metrics.len());
    let fewer = (FEWEST.min(metrics.len())..=metrics.len()).rev();
    let forms = std::iter::once(widest).chain(fewer.map(|columns| (Intervals::Below, columns)));
    let tables =
        forms.map(|(form, columns)| (table(screen, shown, &metrics[..columns], form), columns));
    screen.first_that_fits(tables, |(table, _)| table)
}

fn table(screen: &Screen, shown: &Shown, metrics: &[Metric], intervals: Intervals) -> Table {
    let mut table = screen.table();
    let heads = metrics.iter().map(|metric| judged_cell(metric.title().to_string(), None));
    table.set_header(std::iter::once(Cell::new("allocator")).chain(heads));
    for series in &shown.row.series {
        let mut cells = vec![name_cell(series)];
        cells.extend(metrics.iter().map(|metric| cell(shown, series, *metric, intervals)));
        table.add_row(cells);
    }
    table
}

/// The version, or, for the program as built, the library of its malloc.
fn name_cell(series: &Series) -> Cell {
    let identity = &series.identity;
    let library = identity.library.file_name().unwrap_or_default().to_string_lossy();
    let second = if identity.name == AS_BUILT { &library } else { identity.version.as_str() };
    Cell::new(format!("{}\n{second}", identity.name)).add_attribute(Attribute::Bold)
}

fn cell(shown: &Shown, series: &Series, metric: Metric, intervals: Intervals) -> Cell {
    let value = value(series, metric);
    if series.name() == shown.baseline {
        return judged_cell(format!("{value}\nbaseline"), None);
    }
    let judged = comparison(shown, series.name(), metric);
    let (word, verdict) = judged.map_or(("", None), |judged| outcome(judged.outcome));
    let value = format!("{value} {word}");
    let Some((ratio, interval)) = change(shown, judged, series, metric) else {
        return judged_cell(value.trim_end().to_string(), verdict);
    };
    let between = if intervals == Intervals::Beside { ' ' } else { '\n' };
    let change = format!("{ratio}{between}{interval}");
    judged_cell(format!("{}\n{}", value.trim_end(), change.trim_end()), verdict)
}

fn value(series: &Series, metric: Metric) -> String {
    let samples = series.samples(metric);
    match (stats::estimate(&samples), stats::median(&samples)) {
        (Some(known), _) => metric.show_within(known.median, known.low, known.high),
        (None, Some(median)) => metric.show(median),
        (None, None) => "–".to_string(),
    }
}

/// The verdict on a cell. It compares only metrics that answer a goal.
fn comparison<'a>(shown: &Shown<'a>, name: &str, metric: Metric) -> Option<&'a Comparison> {
    let row = shown.row;
    shown.judgement.comparisons.iter().find(|one| {
        (&one.suite, &one.workload, &one.params) == (&row.suite, &row.workload, &row.params)
            && one.contender == name
            && one.metric == metric.name()
    })
}

/// The ratio and its interval, which is empty if there are too few rounds: those of the verdict, or
/// else those of this metric alone.
fn change(
    shown: &Shown,
    judged: Option<&Comparison>,
    series: &Series,
    metric: Metric,
) -> Option<(String, String)> {
    if let Some(Comparison { median, low, high, .. }) = judged {
        let median = (*median)?;
        return Some(match (low, high) {
            (Some(low), Some(high)) => digits::ratio(median, *low, *high),
            _ => (format!("×{median:.2}"), String::new()),
        });
    }
    if metric.is_signed() {
        return None;
    }
    let estimate = series.against(shown.row.named(shown.baseline)?, metric)?;
    Some(digits::ratio(estimate.median, estimate.low, estimate.high))
}

fn outcome(outcome: Outcome) -> (&'static str, Option<Verdict>) {
    match outcome {
        Outcome::Better => ("better", Some(Verdict::Better)),
        Outcome::Worse => ("worse", Some(Verdict::Worse)),
        Outcome::Equal => ("≈", None),
        Outcome::Unclear => ("?", None),
        Outcome::Missing => ("", None),
    }
}

fn legend(shown: &Shown, rounds: usize) -> String {
    if rounds < MIN_ROUNDS {
        return format!("fewer than {MIN_ROUNDS} rounds have no interval: nothing is compared");
    }
    let confidence = 100.0 * shown.judgement.confidence;
    let gain = 100.0 * shown.judgement.smallest_gain;
    let kib = Rules::default().smallest_bytes / 1024.0;
    format!(
        "×: median of the per-round ratios [interval]; with {confidence:.0} %\n\
         confidence, all intervals of better, worse, ≈ and ? hold\n\
         ≈: equal within {gain:.0} % or {kib:.0} KiB; ?: cannot tell"
    )
}

/// How much one contender's own rounds scatter: the largest over the contenders, for each time.
/// One round does not scatter.
fn noise_line(row: &Row) -> Option<String> {
    let largest = |metric: Metric| {
        let samples = row.series.iter().map(|series| series.samples(metric));
        let several = samples.filter(|samples| samples.len() > 1);
        several.filter_map(|samples| stats::noise(&samples)).max_by(f64::total_cmp)
    };
    let times = metrics(row).into_iter().filter(|metric| metric.unit() == "s");
    let each: Vec<_> = times
        .filter_map(|metric| Some(format!("{} {:.1} %", metric.title(), 100.0 * largest(metric)?)))
        .collect();
    (!each.is_empty()).then(|| format!("noise: {} (median deviation)", each.join(", ")))
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
