//! A program that fails under an allocator: the headline, before everything else.

use crate::failure::Failure;
use crate::record::Failed;
use crate::row::Row;

use super::judgement::{Judgement, Kind};
use super::words::list;

/// Puts failures into the headline. A reason to switch to another contender follows in the same
/// sentence. The goals stay as they are.
pub fn put_first(judgement: &mut Judgement, rows: &[Row], failures: &[Failed], baseline: &str) {
    if failures.is_empty() {
        return;
    }
    let each: Vec<String> = by_workload(failures).iter().map(|(at, all)| clause(at, all)).collect();
    let mut headline = each.join("; ");
    if let [row] = rows {
        let sound = row.series.iter().filter(|series| !is_failed(failures, series.name())).count();
        let names = match sound {
            0 => String::new(),
            1 => " and works under one other".to_string(),
            count => format!(" and works under {count} others"),
        };
        headline += &names;
    }
    if let (Kind::Switch, Some(advice)) = (judgement.kind, &judgement.advice) {
        headline += &format!("; {} takes {}", advice.contender, advice.note);
    }
    let is_of_baseline = failures.iter().any(|one| one.failure.contender == baseline);
    if is_of_baseline {
        headline += &format!("; nothing can be compared with {baseline}");
    }
    judgement.kind = Kind::Failure;
    judgement.headline = headline + ".";
    let name = &failures[0].failure.contender;
    judgement.remedy = Some(format!(
        "`heapsmith try --show-output --alloc {name} -- PROGRAM` shows what it prints. A program \
         that fails under some allocators only often misuses memory: -fsanitize=address finds where."
    ));
}

fn is_failed(failures: &[Failed], name: &str) -> bool {
    failures.iter().any(|failed| failed.failure.contender == name)
}

/// The failures of each workload, in order.
fn by_workload(failures: &[Failed]) -> Vec<(String, Vec<&Failure>)> {
    let mut found: Vec<(String, Vec<&Failure>)> = Vec::new();
    for failed in failures {
        let label = failed.label();
        match found.iter_mut().find(|(known, _)| *known == label) {
            Some((_, all)) => all.push(&failed.failure),
            None => found.push((label, vec![&failed.failure])),
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
