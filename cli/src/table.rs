//! The table `heapsmith try` prints: a row per contender, value, ratio and verdict per metric.

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::contender::AS_BUILT;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::metric::{Metric, OF_A_RUN};
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::stats::{self, MIN_ROUNDS, Verdict};
use heapsmith_measure::table::{Attribute, Cell, judged_cell, new_table};

pub fn print(out: &mut dyn Write, row: &Row, baseline: &str, failures: &[Failure]) -> Result<()> {
    let mut table = new_table();
    let heads = OF_A_RUN.iter().map(|metric| metric.title());
    table.set_header(std::iter::once("allocator").chain(heads));
    for series in &row.series {
        let mut cells = vec![name_cell(series)];
        cells.extend(OF_A_RUN.iter().map(|metric| value_cell(row, series, baseline, *metric)));
        table.add_row(cells);
    }
    let rounds = row.series.iter().map(|series| series.samples(Metric::Wall).len()).max();
    let rounds = rounds.unwrap_or(0);
    let round = if rounds == 1 { "round" } else { "rounds" };
    writeln!(out, "{}: {rounds} interleaved {round}, ratios against {baseline}", row.workload)?;
    writeln!(out, "{table}")?;
    if rounds < MIN_ROUNDS {
        writeln!(
            out,
            "fewer than {MIN_ROUNDS} rounds have no 95 % interval, so nothing is compared"
        )?;
    } else {
        writeln!(
            out,
            "×: median of the per-round ratios [95 % interval]; ≈: no measurable difference"
        )?;
    }
    writeln!(out, "{}", noise_line(row))?;
    for failure in failures {
        writeln!(out, "failed under {}", failure.line())?;
    }
    Ok(())
}

/// The version, or, for the program as built, whose malloc it has.
fn name_cell(series: &Series) -> Cell {
    let identity = &series.identity;
    let library = identity.library.file_name().unwrap_or_default().to_string_lossy();
    let second = if identity.name == AS_BUILT { &library } else { identity.version.as_str() };
    Cell::new(format!("{}\n{second}", identity.name)).add_attribute(Attribute::Bold)
}

fn value_cell(row: &Row, series: &Series, baseline: &str, metric: Metric) -> Cell {
    let value = series.median(metric).map_or(String::new(), |value| metric.show(value));
    if series.name() == baseline {
        return judged_cell(format!("{value}\nbaseline"), None);
    }
    let estimate = row.named(baseline).and_then(|base| series.against(base, metric));
    match estimate {
        None => judged_cell(value, None),
        Some(estimate) => {
            let verdict = estimate.verdict();
            judged_cell(format!("{value}\n{estimate}\n{}", word(verdict)), Some(verdict))
        }
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::Same => "≈",
    }
}

/// How much one contender's own rounds scatter: the largest over the contenders, per metric.
fn noise_line(row: &Row) -> String {
    let largest = |metric: Metric| {
        let each = row.series.iter().filter_map(|series| stats::noise(&series.samples(metric)));
        each.fold(0.0, f64::max)
    };
    let each: Vec<_> = OF_A_RUN
        .iter()
        .map(|metric| format!("{} {:.1} %", metric.title(), 100.0 * largest(*metric)))
        .collect();
    format!(
        "noise (median deviation within a contender's rounds, the largest): {}",
        each.join(", ")
    )
}
