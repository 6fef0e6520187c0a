//! The state of the comparisons while rounds go on: a small table above the bar, or a line.

use comfy_table::{CellAlignment, Table, presets::NOTHING};
use heapsmith_measure::metric::Metric;
use heapsmith_measure::progress::{Progress, counted, whole_seconds};
use heapsmith_measure::row::Row;
use heapsmith_measure::verdict::{Comparison, Judgement, Outcome};

use crate::try_run::pace::Pace;

/// Shows what `judgement` says of `rows` after the rounds so far.
pub fn show(progress: &Progress, rows: &[Row], judgement: &Judgement, pace: &Pace) {
    progress.show(|| table(rows, judgement), || line(judgement, pace));
}

fn line(judgement: &Judgement, pace: &Pace) -> String {
    let all = judgement.comparisons.len();
    let decided = judgement.comparisons.iter().filter(|one| is_decided(one)).count();
    let (rounds, time) = (counted(pace.rounds, "round"), whole_seconds(pace.elapsed()));
    format!("{rounds} in {time}: {decided} of {} decided", counted(all, "comparison"))
}

fn is_decided(comparison: &Comparison) -> bool {
    matches!(comparison.outcome, Outcome::Better | Outcome::Worse | Outcome::Equal)
}

fn table(rows: &[Row], judgement: &Judgement) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING).force_no_tty();
    for row in rows {
        let head = if rows.len() > 1 { row.workload.as_str() } else { "" };
        let metrics = metrics(row, judgement);
        let titles = metrics.iter().map(|metric| metric.title().to_string());
        table.add_row(std::iter::once(head.to_string()).chain(titles));
        for series in &row.series {
            let cells = metrics.iter().map(|metric| {
                let value = series.median(*metric).map_or(String::new(), |it| metric.show(it));
                let found = find(judgement, row, series.name(), *metric);
                found.map_or(value.clone(), |one| format!("{value} {}", change(one)))
            });
            table.add_row(std::iter::once(series.name().to_string()).chain(cells));
        }
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

/// Those that the verdict compares in `row`.
fn metrics(row: &Row, judgement: &Judgement) -> Vec<Metric> {
    let mut metrics: Vec<Metric> = Vec::new();
    for one in judgement.comparisons.iter().filter(|one| one.workload == row.workload) {
        let metric = Metric::named(&one.metric).filter(|metric| !metrics.contains(metric));
        metrics.extend(metric);
    }
    metrics
}

fn find<'j>(
    judgement: &'j Judgement,
    row: &Row,
    contender: &str,
    metric: Metric,
) -> Option<&'j Comparison> {
    judgement.comparisons.iter().find(|one| {
        one.workload == row.workload && one.contender == contender && one.metric == metric.name()
    })
}

/// "×0.91 better"; the outcome is "?" while it is open.
fn change(comparison: &Comparison) -> String {
    let outcome = match comparison.outcome {
        Outcome::Better => "better",
        Outcome::Worse => "worse",
        Outcome::Equal => "≈",
        Outcome::Unclear | Outcome::Missing => "?",
    };
    match comparison.median {
        Some(median) => format!("×{median:.2} {outcome:6}"),
        None => format!("{outcome:12}"),
    }
}
