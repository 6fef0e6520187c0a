//! The tables of the suites: a row per workload, a column per contender. A table that is too wide for
//! the screen becomes several, with some of the contenders each.

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::screen::Screen;
use heapsmith_measure::stats::Verdict;
use heapsmith_measure::table::{Cell, Table, judged_cell};

/// One table per metric, of the rows that have it: the value and its share of the row's best,
/// which is 1.
pub fn print(out: &mut dyn Write, screen: &Screen, rows: &[Row], metrics: &[Metric]) -> Result<()> {
    let names = contenders(rows);
    for metric in metrics {
        let rows: Vec<_> =
            rows.iter().filter(|row| row.best_of(&names, *metric).is_some()).collect();
        if rows.is_empty() {
            continue;
        }
        for table in fitting(screen, &rows, &names, *metric) {
            writeln!(out, "{table}")?;
        }
    }
    writeln!(out, "×: against the row's best")?;
    if rows.iter().flat_map(|row| &row.series).any(|series| series.rounds() > 1) {
        writeln!(out, "noise: median deviation within a contender's rounds, their median")?;
    }
    Ok(())
}

/// Tables with as many contenders each as fit the screen, or with one.
fn fitting(screen: &Screen, rows: &[&Row], names: &[&str], metric: Metric) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut rest = names;
    while !rest.is_empty() {
        let made = (1..=rest.len()).rev().map(|count| {
            let (shown, others) = rest.split_at(count);
            (table(screen, rows, names, shown, metric), others)
        });
        let Some((table, others)) = screen.first_that_fits(made, |(table, _)| table) else {
            break;
        };
        tables.push(table);
        rest = others;
    }
    tables
}

fn table(screen: &Screen, rows: &[&Row], names: &[&str], shown: &[&str], metric: Metric) -> Table {
    let mut table = screen.table();
    let noise = is_noisy(rows, metric).then_some("noise");
    let heads = std::iter::once(metric.title()).chain(shown.iter().copied()).chain(noise);
    table.set_header(heads);
    for row in rows {
        let mut cells = vec![Cell::new(row.label())];
        cells.extend(shown.iter().map(|name| cell(row, name, names, metric)));
        if noise.is_some() {
            let share = row.noise(metric).unwrap_or(0.0);
            cells.push(judged_cell(format!("{:.1} %", 100.0 * share), None));
        }
        table.add_row(cells);
    }
    table
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

#[cfg(test)]
mod tests {
    //! Many contenders on a narrow screen.
    use super::*;
    use heapsmith_measure::prove::Identity;
    use heapsmith_measure::row::Values;

    fn row(names: &[&str]) -> Row {
        let series = names.iter().zip(1..).map(|(name, value)| {
            let identity = Identity {
                name: (*name).into(),
                version: String::new(),
                settings: Vec::new(),
                library: "/lib/x.so".into(),
                loaded: true,
            };
            let values = vec![Some(f64::from(value)); 6];
            Series::of_values(identity, Values::from([(Metric::Wall, values)]))
        });
        let (suite, workload) = ("heap".to_string(), "producer-consumer".to_string());
        Row { suite, workload, params: serde_json::Map::new(), series: series.collect() }
    }

    #[test]
    fn contenders_are_spread_over_tables_that_fit() {
        let names = ["heapsmith", "glibc", "jemalloc-debian", "mimalloc-debian", "tbbmalloc"];
        let printed = |width| {
            let mut text = Vec::new();
            let rows = [row(&names)];
            print(&mut text, &Screen::plain(width), &rows, &[Metric::Wall]).expect("printed");
            String::from_utf8(text).expect("text")
        };
        let heads = |text: &str| text.lines().filter(|line| line.contains("wall time")).count();
        assert_eq!(heads(&printed(None)), 1);
        assert!((2..5).contains(&heads(&printed(Some(60)))), "{}", printed(Some(60)));
        for width in [60, 80, 120] {
            let text = printed(Some(width));
            let table = text.lines().filter(|line| !line.starts_with(['×', 'n']));
            let longest = table.map(|line| line.trim_end().chars().count()).max();
            assert!(longest.is_some_and(|longest| longest <= width), "{width}: {text}");
            assert!(names.iter().all(|name| text.contains(name)), "{width}: {text}");
            // A part of the contenders is still compared with the best of all.
            assert!(text.contains("×5.00"), "{width}: {text}");
        }
    }
}
