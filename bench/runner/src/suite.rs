//! Runs one suite: measures its rows, writes the results, prints tables and verdicts.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use heapsmith_measure::error::{INTERRUPTED, OK, REGRESSION, environment};
use heapsmith_measure::files::Files;
use heapsmith_measure::metric::OF_A_RUN;
use heapsmith_measure::progress::counted;
use heapsmith_measure::record::{self, Failed};
use heapsmith_measure::results::Results;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::screen::{Screen, full_path};
use heapsmith_measure::stats::MIN_ROUNDS;
use heapsmith_measure::verdict::{Judgement, Kind, Rules, judge};

use crate::args::Args;
use crate::bench::Bench;
use crate::manifest::{Manifest, Role};
use crate::measure::measure;
use crate::programs::Measured;
use crate::{comparison, noise, tables, verdict};

pub fn run(args: &Args, manifest: &Manifest) -> Result<u8> {
    let files = Files::prepare(args.json.as_ref(), args.report.as_ref())?;
    let mut bench = Bench::new(args, manifest)?;
    let mut results = Results::new(&["./dev", "bench"]);
    let Measured { mut rows, alone } = measure(&bench, &mut results)?;
    if rows.is_empty()
        && alone.is_empty()
        && results.failures.is_empty()
        && !bench.interrupt.asked()
    {
        return Err(environment("no workload could be measured"));
    }
    if !bench.is_comparison() {
        bench = narrow(bench, &mut rows, &mut results)?;
    }
    for row in &rows {
        let records = match &bench.resume {
            Some(resume) => resume.records(row, &results),
            None => record::samples(row, &results.provenance),
        };
        results.records.extend(records);
    }
    if let Some(resume) = &bench.resume {
        resume.write(&rows, &results)?;
    }
    if bench.is_comparison() {
        return comparison::conclude(bench, &rows, &alone, results, files);
    }
    record_ratios(manifest, &rows, &mut results);
    let lines = verdict::judge(manifest, &rows);
    // Twins say how much noise there is. They are no contenders to choose from.
    let rows = without_twins(manifest, rows);
    results.verdict = Some(judgement(manifest, &rows, &results.failures, &lines));
    let screen = Screen::beside(&files);
    let page = results.write(files)?;
    let mut out = Vec::new();
    tables::print(&mut out, &screen, &rows, &manifest.shown)?;
    verdict::print(&mut out, &lines)?;
    noise::print(&mut out, &rows, bench.resume.is_some())?;
    let code = conclude(&mut out, &bench, &results, page)?;
    screen.print(&out)?;
    Ok(code)
}

fn without_twins(manifest: &Manifest, mut rows: Vec<Row>) -> Vec<Row> {
    let twins = manifest.names_with(Role::Twin);
    for row in &mut rows {
        row.series.retain(|series| !twins.contains(&series.name()));
    }
    rows
}

/// Measures further rounds of the rows whose intervals are too wide to judge a target, until all
/// are narrow enough or the budget is used up.
fn narrow<'a>(bench: Bench<'a>, rows: &mut [Row], results: &mut Results) -> Result<Bench<'a>> {
    let until = Instant::now() + bench.budget();
    let mut bench = bench;
    let mut measured = bench.rounds();
    loop {
        let doubts = verdict::doubts(&verdict::judge(bench.manifest, rows));
        if doubts.is_empty() || Instant::now() >= until || bench.interrupt.asked() {
            return Ok(bench);
        }
        let further = (measured / 2).max(MIN_ROUNDS);
        let mut workloads: Vec<&str> = doubts.iter().map(|it| it.workload.as_str()).collect();
        workloads.dedup();
        let count = counted(workloads.len(), "workload");
        eprintln!("measuring further: intervals of {count} are too wide to judge their targets");
        bench = bench.further(doubts, further, until);
        let before = rounds_of(rows);
        let failed = results.failures.len();
        for more in measure(&bench, results)?.rows {
            let same = |row: &&mut Row| row.workload == more.workload && row.params == more.params;
            if let Some(row) = rows.iter_mut().find(same) {
                row.continue_with(&more);
            }
        }
        forget_repeated(&mut results.failures, failed);
        if rounds_of(rows) == before {
            return Ok(bench);
        }
        measured += further;
    }
}

/// Forgets the failures from `first` on that are known: each pass begins with a run that may fail
/// again.
fn forget_repeated(failures: &mut Vec<Failed>, first: usize) {
    let of = |it: &Failed| (it.suite.clone(), it.label(), it.failure.contender.clone());
    for failed in failures.split_off(first) {
        if !failures.iter().any(|known| of(known) == of(&failed)) {
            failures.push(failed);
        }
    }
}

fn rounds_of(rows: &[Row]) -> usize {
    rows.iter().flat_map(|row| &row.series).map(Series::rounds).sum()
}

/// The targets are the headline. Rows are compared with the baseline, if there is one.
fn judgement(
    manifest: &Manifest,
    rows: &[Row],
    failures: &[Failed],
    lines: &[verdict::Line],
) -> Judgement {
    let baselines = manifest.contenders.iter().filter(|one| one.baseline);
    let baseline = baselines.map(|one| one.name.as_str()).next().unwrap_or_default();
    let rules = Rules { each_row: true, ..Rules::default() };
    let mut judgement = judge(rows, failures, baseline, &rules, &|_| String::new());
    judgement.advice = None;
    if let Some(totals) = verdict::totals(lines) {
        let (totals, rest) = (totals.trim_start_matches("targets: "), judgement.headline);
        judgement.headline = match judgement.kind {
            Kind::Failure => rest,
            _ => format!("Targets of the suite {}: {totals}.", manifest.name),
        };
    }
    if judgement.kind != Kind::Failure {
        judgement.kind = Kind::Suite;
    }
    judgement
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
        writeln!(out, "page: {}", full_path(&page))?;
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

#[cfg(test)]
mod tests {
    //! Failures that further rounds meet again.
    use heapsmith_measure::failure::Failure;
    use serde_json::Map;

    use super::*;

    #[test]
    fn a_failure_is_kept_once() {
        let failed = |contender: &str| Failed {
            suite: "arena".into(),
            workload: "grow".into(),
            params: Map::new(),
            failure: Failure {
                contender: contender.into(),
                exit: Some(1),
                signal: None,
                why: "exit code 1".into(),
                stderr_tail: String::new(),
            },
        };
        let mut failures = vec![failed("a"), failed("a"), failed("b"), failed("b")];
        forget_repeated(&mut failures, 1);
        assert_eq!(failures, [failed("a"), failed("b")]);
    }
}
