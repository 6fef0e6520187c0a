//! The tables of the suites: a row per workload, a column per contender.

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::stats::Verdict;
use heapsmith_measure::table::{Cell, judged_cell, new_table};

/// One table per metric, of the rows that have it: the value and its share of the row's best,
/// which is 1.
pub fn print(out: &mut dyn Write, rows: &[Row], metrics: &[Metric]) -> Result<()> {
    let names = contenders(rows);
    for metric in metrics {
        let rows: Vec<_> =
            rows.iter().filter(|row| row.best_of(&names, *metric).is_some()).collect();
        if rows.is_empty() {
            continue;
        }
        let mut table = new_table();
        let noise = is_noisy(&rows, *metric).then_some("noise");
        let heads = std::iter::once(metric.title()).chain(names.iter().copied()).chain(noise);
        table.set_header(heads);
        for row in rows {
            let mut cells = vec![Cell::new(row.label())];
            cells.extend(names.iter().map(|name| cell(row, name, &names, *metric)));
            if noise.is_some() {
                let share = row.noise(*metric).unwrap_or(0.0);
                cells.push(judged_cell(format!("{:.1} %", 100.0 * share), None));
            }
            table.add_row(cells);
        }
        writeln!(out, "{table}")?;
    }
    writeln!(out, "×: against the row's best")?;
    if rows.iter().flat_map(|row| &row.series).any(|series| series.rounds() > 1) {
        writeln!(out, "noise: median deviation within a contender's rounds, their median")?;
    }
    Ok(())
}

/// Values that were measured once, because they are always the same, have no noise.
fn is_noisy(rows: &[&Row], metric: Metric) -> bool {
    rows.iter().flat_map(|row| &row.series).any(|series| series.samples(metric).len() > 1)
}

/// Every contender of any row, in the order of their first appearance.
fn contenders(rows: &[Row]) -> Vec<&str> {
    let mut names = Vec::new();
    for series in rows.iter().flat_map(|row| &row.series) {
        if !names.contains(&series.name()) {
            names.push(series.name());
        }
    }
    names
}

fn cell(row: &Row, name: &str, names: &[&str], metric: Metric) -> Cell {
    let value = row.named(name).and_then(|series| series.median(metric));
    let best = row.best_of(names, metric).and_then(|best: &Series| best.median(metric));
    let (Some(value), Some(best)) = (value, best) else {
        return judged_cell("–".into(), None);
    };
    let verdict = (value == best).then_some(Verdict::Better);
    let shown = metric.show(value);
    // A best of nothing at all has no multiples.
    let share = if best > 0.0 { format!("\n×{:.2}", value / best) } else { String::new() };
    judged_cell(format!("{shown}{share}"), verdict)
}
