//! Instructions counted by callgrind. Counts have no noise: one run each.

mod functions;
mod libraries;
mod valgrind;

use anyhow::Result;
use heapsmith_measure::error::environment;
use heapsmith_measure::program::Program;
use heapsmith_measure::progress::Progress;
use heapsmith_measure::results::Results;
use heapsmith_measure::row::Row;
use serde_json::Map;

use crate::bench::Bench;
use crate::manifest::Counted;

/// The rows of all wanted paths. Ends early when interrupted.
pub fn measure(bench: &Bench, results: &mut Results) -> Result<Vec<Row>> {
    let is_wanted = |counted: &&Counted| bench.wants(&counted.workload, None);
    let wanted: Vec<&Counted> = bench.manifest.counted.iter().filter(is_wanted).collect();
    if wanted.is_empty() || bench.is_further() || bench.interrupt.asked() {
        return Ok(Vec::new());
    }
    if Program::find(&["valgrind".into()]).is_err() {
        return Err(environment("valgrind is not installed: apt install valgrind"));
    }
    let paths: Vec<(&Counted, Option<u64>)> = wanted
        .iter()
        .flat_map(|counted| {
            counted.sizes(bench.args.quick).into_iter().map(|size| (*counted, size))
        })
        .collect();
    let progress = Progress::new(paths.len());
    let mut allocators = libraries::prove_all(bench, &wanted, results)?;
    let mut rows = Vec::new();
    for (counted, size) in paths {
        let mut row = row(bench, counted, size);
        progress.step(&row.label());
        row.series = match counted.functions.is_empty() {
            true => libraries::count(bench, counted, size, &mut allocators)?,
            false => functions::count(bench, counted, size, results)?,
        };
        progress.done_one();
        if bench.interrupt.asked() {
            break;
        }
        if !row.series.is_empty() {
            rows.push(row);
        }
    }
    progress.finish();
    Ok(rows)
}

fn row(bench: &Bench, counted: &Counted, size: Option<u64>) -> Row {
    let params = Map::from_iter(size.map(|size| ("size".to_string(), size.into())));
    let (suite, workload) = (bench.manifest.name.clone(), counted.workload.clone());
    Row { suite, workload, params, series: Vec::new() }
}
