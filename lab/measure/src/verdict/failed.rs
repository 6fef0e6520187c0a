//! A program that fails under an allocator: the headline, before everything else.

use std::collections::BTreeSet;

use crate::failure::Failure;
use crate::record::Failed;
use crate::row::{Row, Series};

use super::judgement::{Advice, Judgement, Kind};
use super::words::list;

const REMEDY: &str = "\
`heapsmith try --show-output -- PROGRAM` shows what it prints. A program that fails under only \
some allocators often misuses memory: -fsanitize=address finds where.";
const REMEDY_EVERYWHERE: &str = "\
`heapsmith try --show-output -- PROGRAM` shows what it prints. --ignore-failure measures a program \
whose exit code is not 0.";

/// Puts failures into the headline. A reason to switch to another contender follows in the same
/// sentence. The goals stay as they are.
pub fn put_first(judgement: &mut Judgement, rows: &[Row], failures: &[Failed], baseline: &str) {
    if failures.is_empty() {
        return;
    }
    let workloads = by_workload(failures);
    let is_only = |row: &Row| workloads.iter().all(|(first, _)| is_of(first, row));
    let contenders = contenders(rows, failures);
    let is_everywhere = |(at, all): &Workload| {
        let has_no_row = !rows.iter().any(|row| is_of(at, row));
        has_no_row && contenders.len() > 1 && by_reason(all).len() == 1 && {
            contenders.iter().all(|name| all.iter().any(|failure| failure.contender == *name))
        }
    };
    let clause = |workload: &Workload| match is_everywhere(workload) {
        true => {
            format!("{} fails under every allocator ({})", workload.0.label(), workload.1[0].why)
        }
        false => clause(&workload.0.label(), &workload.1),
    };
    let mut headline = workloads.iter().map(clause).collect::<Vec<_>>().join("; ");
    if let [row] = rows {
        let works = |name: &str| !has_failed(failures, row, name);
        let sound = row.series.iter().filter(|series| works(series.name())).count();
        headline += &match sound {
            _ if !is_only(row) => String::new(),
            0 => String::new(),
            1 => " and works under one other".to_string(),
            count => format!(" and works under {count} others"),
        };
        let reason = match &judgement.advice {
            Some(advice) => reason(judgement, advice),
            None if is_only(row) => None,
            None => Some(uncapitalised(judgement.headline.trim_end_matches('.'))),
        };
        if let Some(reason) = reason {
            let place = if is_only(row) { String::new() } else { format!("in {} ", row.label()) };
            headline += &format!("; {place}{reason}");
        }
    }
    let (everywhere, workloads): (Vec<Workload>, Vec<Workload>) =
        workloads.iter().cloned().partition(is_everywhere);
    headline += &without_baseline(rows, &workloads, baseline);
    judgement.kind = Kind::Failure;
    judgement.headline = headline + ".";
    let of_each = workloads.is_empty() && !everywhere.is_empty();
    judgement.remedy = Some(if of_each { REMEDY_EVERYWHERE } else { REMEDY }.to_string());
}

/// All that were to run, whether they did or failed.
fn contenders<'a>(rows: &'a [Row], failures: &'a [Failed]) -> BTreeSet<&'a str> {
    let measured = rows.iter().flat_map(|row| &row.series).map(Series::name);
    measured.chain(failures.iter().map(|failed| failed.failure.contender.as_str())).collect()
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
        let reasons = by_reason(&failures);
        let each = reasons.iter().map(|(why, names)| format!("{} ({why})", list(names, "and")));
        let each: Vec<String> = each.collect();
        (!failures.is_empty()).then(|| format!("{what} under {}", list(&each, "and")))
    };
    let parts: Vec<String> = parts.into_iter().filter_map(of).collect();
    format!("{workload} {}", list(&parts, "and"))
}

fn uncapitalised(sentence: &str) -> String {
    let mut rest = sentence.chars();
    rest.next().map_or(String::new(), |first| first.to_lowercase().chain(rest).collect())
}

/// Each reason, with the contenders that have it.
fn by_reason<'a>(failures: &[&'a Failure]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for failure in failures {
        match reasons.iter_mut().find(|(why, _)| *why == failure.why) {
            Some((_, names)) => names.push(&failure.contender),
            None => reasons.push((&failure.why, vec![&failure.contender])),
        }
    }
    reasons
}
