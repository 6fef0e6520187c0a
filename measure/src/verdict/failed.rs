//! A program that fails under an allocator: the headline, before everything else.

use crate::failure::Failure;
use crate::record::Failed;
use crate::row::Row;

use super::judgement::{Advice, Judgement, Kind};
use super::words::list;

const REMEDY: &str = "\
`heapsmith try --show-output -- PROGRAM` shows what it prints. A program that fails under some \
allocators only often misuses memory: -fsanitize=address finds where.";

/// Puts failures into the headline. A reason to switch to another contender follows in the same
/// sentence. The goals stay as they are.
pub fn put_first(judgement: &mut Judgement, rows: &[Row], failures: &[Failed], baseline: &str) {
    if failures.is_empty() {
        return;
    }
    let workloads = by_workload(failures);
    let is_only = |row: &Row| workloads.iter().all(|(first, _)| is_of(first, row));
    let each: Vec<String> = workloads.iter().map(|(at, all)| clause(&at.label(), all)).collect();
    let mut headline = each.join("; ");
    if let [row] = rows {
        let works = |name: &str| !has_failed(failures, row, name);
        let sound = row.series.iter().filter(|series| works(series.name())).count();
        headline += &match sound {
            _ if !is_only(row) => String::new(),
            0 => String::new(),
            1 => " and works under one other".to_string(),
            count => format!(" and works under {count} others"),
        };
        if let Some(reason) = judgement.advice.as_ref().and_then(|it| reason(judgement, it)) {
            let place = if is_only(row) { String::new() } else { format!("in {} ", row.label()) };
            headline += &format!("; {place}{reason}");
        }
    }
    headline += &without_baseline(rows, &workloads, baseline);
    judgement.kind = Kind::Failure;
    judgement.headline = headline + ".";
    judgement.remedy = Some(REMEDY.to_string());
}

/// Whether `row` failed under `name`.
pub fn has_failed(failures: &[Failed], row: &Row, name: &str) -> bool {
    failures.iter().any(|failed| is_of(failed, row) && failed.failure.contender == name)
}

fn is_of(failed: &Failed, row: &Row) -> bool {
    (&failed.suite, &failed.workload, &failed.params) == (&row.suite, &row.workload, &row.params)
}

/// The reason to switch, as a clause.
fn reason(judgement: &Judgement, advice: &Advice) -> Option<String> {
    match judgement.kind {
        Kind::Switch => Some(format!("{} takes {}", advice.contender, advice.note)),
        Kind::Trade => {
            let (_, effects) = judgement.headline.trim_end_matches('.').split_once(": ")?;
            Some(effects.to_string())
        }
        _ => None,
    }
}

/// "; nothing can be compared with as-built in a and b", or nothing. One workload is not named.
fn without_baseline(rows: &[Row], workloads: &[Workload], baseline: &str) -> String {
    let has_baseline = |all: &[&Failure]| all.iter().any(|failure| failure.contender == baseline);
    let failed: Vec<String> = workloads
        .iter()
        .filter(|(_, all)| has_baseline(all))
        .map(|(first, _)| first.label())
        .collect();
    let others = rows.iter().any(|row| !workloads.iter().any(|(first, _)| is_of(first, row)));
    match failed.as_slice() {
        [] => String::new(),
        [_] if workloads.len() == 1 && !others => {
            format!("; nothing can be compared with {baseline}")
        }
        several => format!("; nothing can be compared with {baseline} in {}", list(several, "and")),
    }
}

/// The first failure of a workload, which names it, and all.
type Workload<'a> = (&'a Failed, Vec<&'a Failure>);

/// The failures of each workload, in order.
fn by_workload(failures: &[Failed]) -> Vec<Workload<'_>> {
    let of = |it: &Failed| (it.suite.clone(), it.label());
    let mut found: Vec<Workload> = Vec::new();
    for failed in failures {
        match found.iter_mut().find(|(known, _)| of(known) == of(failed)) {
            Some((_, all)) => all.push(&failed.failure),
            None => found.push((failed, vec![&failed.failure])),
        }
    }
    found
}

/// "sort fails under a and b (killed by SIGABRT) and c (exit code 3)". Runs that end well all the
/// same, such as one that another allocator served, could not be measured.
fn clause(workload: &str, failures: &[&Failure]) -> String {
    let ends_well = |failure: &&&Failure| failure.exit == Some(0);
    let (sound, failed): (Vec<&Failure>, Vec<&Failure>) = failures.iter().partition(ends_well);
    let parts = [("fails", failed), ("could not be measured", sound)];
    let of = |(what, failures): (&str, Vec<&Failure>)| {
        (!failures.is_empty()).then(|| format!("{what} under {}", by_reason(&failures)))
    };
    let parts: Vec<String> = parts.into_iter().filter_map(of).collect();
    format!("{workload} {}", list(&parts, "and"))
}

fn by_reason(failures: &[&Failure]) -> String {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for failure in failures {
        match reasons.iter_mut().find(|(why, _)| *why == failure.why) {
            Some((_, names)) => names.push(&failure.contender),
            None => reasons.push((&failure.why, vec![&failure.contender])),
        }
    }
    let each: Vec<String> =
        reasons.iter().map(|(why, names)| format!("{} ({why})", list(names, "and"))).collect();
    list(&each, "and")
}
