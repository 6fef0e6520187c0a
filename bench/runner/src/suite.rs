//! Runs one suite: measures its rows, writes the results, prints tables and verdicts.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use heapsmith_measure::error::{INTERRUPTED, OK, REGRESSION, environment};
use heapsmith_measure::metric::OF_A_RUN;
use heapsmith_measure::record;
use heapsmith_measure::results::{Files, Results};
use heapsmith_measure::row::Row;

use crate::args::Args;
use crate::bench::Bench;
use crate::manifest::{Kind, Manifest, Role};
use crate::programs::Measured;
use crate::{comparison, counted, offer, processes, programs, tables, verdict};

pub fn run(args: &Args, manifest: &Manifest) -> Result<u8> {
    let files = Files::prepare(args.json.as_ref(), args.report.as_ref())?;
    let bench = Bench::new(args, manifest)?;
    let mut results = Results::new(&["./dev", "bench"]);
    let Measured { rows, alone } = measure(&bench, &mut results)?;
    if rows.is_empty()
        && alone.is_empty()
        && results.failures.is_empty()
        && !bench.interrupt.asked()
    {
        return Err(environment("no workload could be measured"));
    }
    for row in &rows {
        results.records.extend(record::samples(row, &results.provenance));
    }
    if bench.is_comparison() {
        return comparison::conclude(bench, &rows, &alone, results, files);
    }
    record_ratios(manifest, &rows, &mut results);
    let page = results.write(files)?;
    let mut out = io::stdout().lock();
    tables::print(&mut out, &rows, &manifest.shown)?;
    verdict::print(&mut out, manifest, &rows)?;
    conclude(&mut out, &bench, &results, page)
}

/// All rows that are wanted, timed and counted. Ends early when interrupted.
pub fn measure(bench: &Bench, results: &mut Results) -> Result<Measured> {
    let mut measured = match bench.manifest.kind {
        Kind::Processes => {
            Measured { rows: processes::measure(bench, results)?, alone: Vec::new() }
        }
        Kind::Program | Kind::Programs => programs::measure(bench, results)?,
        Kind::Callgrind => {
            offer::require_workloads(bench, &[])?;
            Measured::default()
        }
    };
    measured.rows.extend(counted::measure(bench, results)?);
    Ok(measured)
}

/// Ratios against the baselines, and to each row's best peer where the suite wants those.
fn record_ratios(manifest: &Manifest, rows: &[Row], results: &mut Results) {
    let baselines = || manifest.contenders.iter().filter(|one| one.baseline);
    for row in rows {
        for baseline in baselines() {
            results.records.extend(record::ratios(row, &baseline.name));
        }
        if !manifest.ratios_to_best_peer {
            continue;
        }
        for metric in OF_A_RUN {
            let Some(best) = row.best_of(&manifest.names_with(Role::Peer), metric) else {
                continue;
            };
            if !baselines().any(|baseline| baseline.name == best.name()) {
                let others = row.series.iter().filter(|series| series.name() != best.name());
                let ratios = others.filter_map(|series| record::ratio(row, series, best, metric));
                results.records.extend(ratios);
            }
        }
    }
}

/// Names the failures, the page and the next command. Returns the exit code.
fn conclude(
    out: &mut dyn Write,
    bench: &Bench,
    results: &Results,
    page: Option<PathBuf>,
) -> Result<u8> {
    for failed in &results.failures {
        writeln!(out, "failed: {}, {}", failed.label(), failed.failure.line())?;
    }
    if let Some(page) = page {
        writeln!(out, "page: {}", page.canonicalize().unwrap_or(page).display())?;
    }
    let Manifest { name, next, .. } = bench.manifest;
    match bench.args.quick {
        true => writeln!(out, "next: ./dev bench {name} --json {name}.json   (the whole suite)")?,
        false => writeln!(out, "next: ./dev bench {next}")?,
    }
    Ok(match (bench.interrupt.asked(), results.failures.is_empty()) {
        (true, _) => INTERRUPTED,
        (false, true) => OK,
        (false, false) => REGRESSION,
    })
}
