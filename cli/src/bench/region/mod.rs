//! `heapsmith bench region`: allocators over memory that a program supplies.
//!
//! A contender is a program of its own (bench/region.cpp), which times the phases that depend on
//! the allocator and prints what they took. Here its runs are interleaved with the others'.

mod measure;
mod plan;
mod summary;

use std::time::Duration;

use anyhow::Result;

use self::measure::Bench;
use self::plan::Plan;
use super::{conclude, tables};
use crate::args::BenchArgs;
use crate::error::environment;
use crate::interrupt::Interrupt;
use crate::metric::Metric;
use crate::place::Lab;
use crate::progress::Progress;
use crate::record;
use crate::results::{Files, Results};
use crate::row::Row;

const SUITE: &str = "region";
const ROUNDS: usize = 11;
const QUICK_ROUNDS: usize = 6;
/// No workload comes near it; an allocator that hangs should not hang the suite.
const TIMEOUT: Duration = Duration::from_secs(120);
/// What the containers' ratios are taken against.
const BASELINE: &str = "glibc";
const SHOWN: [Metric; 5] =
    [Metric::Wall, Metric::P999, Metric::WorstInstructions, Metric::Utilisation, Metric::Refused];

pub fn run(args: &BenchArgs) -> Result<u8> {
    let lab = Lab::find()?;
    let plan = Plan::load()?;
    let contenders = plan.chosen(&args.chosen.alloc)?;
    let cases = plan.cases(args)?;
    let files = Files::prepare(args.json.as_ref(), args.report.as_ref())?;
    let rounds = args.rounds.unwrap_or(if args.quick { QUICK_ROUNDS } else { ROUNDS });
    let interrupt = Interrupt::listen()?;
    let bench = Bench::new(&lab, &interrupt, rounds, args.quick);

    let mut results = Results::new();
    let players = bench.identify(&contenders, &mut results)?;
    let runs = cases.iter().map(|case| bench.runs(case, &players)).sum();
    let progress = Progress::new(runs);
    progress.note(&format!("{runs} runs of {} programs, {rounds} rounds", players.len()));
    let mut rows: Vec<Row> = Vec::new();
    for case in &cases {
        if interrupt.asked() {
            break;
        }
        for row in bench.measure(case, &players, &progress, &mut results)? {
            merge(&mut rows, row);
        }
    }
    progress.finish();
    if rows.is_empty() && !interrupt.asked() && results.failures.is_empty() {
        return Err(environment("no workload could be measured"));
    }
    for row in &rows {
        results.records.extend(record::samples(row, &results.provenance));
        results.records.extend(record::ratios(row, BASELINE));
    }
    let page = results.write(files)?;
    tables::print(&rows, &SHOWN)?;
    let peers: Vec<&str> = players
        .iter()
        .filter(|one| !one.contender.own)
        .map(|one| one.contender.name.as_str())
        .collect();
    summary::print(&rows, &peers)?;
    let next = match args.quick {
        true => "heapsmith bench region --json region.json   (the whole suite)",
        false => "heapsmith bench heap",
    };
    conclude(&results, page, interrupt.asked(), next)
}

/// Adds a row, or its values to the row of the same workload and parameters.
fn merge(rows: &mut Vec<Row>, row: Row) {
    let same = |known: &&mut Row| known.workload == row.workload && known.params == row.params;
    match rows.iter_mut().find(same) {
        None => rows.push(row),
        Some(known) => {
            for series in row.series {
                known.add(series);
            }
        }
    }
}
