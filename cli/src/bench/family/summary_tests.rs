//! Verdicts on rows made by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Map;

use super::super::targets;
use super::*;
use crate::prove::Identity;
use crate::row::Series;

fn series(name: &str, metric: Metric, value: f64) -> Series {
    let identity = Identity {
        name: name.to_string(),
        version: String::new(),
        library: PathBuf::new(),
        loaded: true,
    };
    Series::of_values(identity, BTreeMap::from([(metric, vec![Some(value); 6])]))
}

fn row(workload: &str, threads: u32, metric: Metric, values: &[(&str, f64)]) -> Row {
    let params = Map::from_iter([("threads".to_string(), threads.into())]);
    let series = values.iter().map(|(name, value)| series(name, metric, *value)).collect();
    Row { suite: "x", workload: workload.to_string(), params, series }
}

fn verdicts(rows: &[Row], targets: &[Target]) -> Vec<String> {
    let of_target = |target| rows.iter().filter_map(|row| judged(target, row)).collect::<Vec<_>>();
    targets.iter().flat_map(of_target).collect()
}

fn judged(target: &Target, row: &Row) -> Option<String> {
    if (target.includes)(row) { target.judge(row) } else { None }
}

#[test]
fn an_arena_is_judged_where_limit_allows() {
    let values = [("arena", 1.1), ("limit", 1.0), ("pmr-monotonic", 2.0)];
    let rows = [row("objects-16-trivial", 1, Metric::Alloc, &values)];
    let lines = verdicts(&rows, targets::ARENA);
    assert!(lines[0].ends_with("target ≤ 1.15 met"), "{lines:?}");
    assert!(lines[1].contains("no target: limit takes 0.50 of pmr-monotonic"), "{lines:?}");
    let values = [("arena", 1.1), ("limit", 1.0), ("pmr-monotonic", 2.4)];
    let rows = [row("objects-16-trivial", 1, Metric::Alloc, &values)];
    assert!(verdicts(&rows, targets::ARENA)[1].ends_with("target ≤ 0.50 met"));
}

#[test]
fn a_scope_may_be_near_limit_instead() {
    let rows = |own: f64| {
        let values = [("scope", own), ("limit", 1.0), ("new-glibc", 4.0)];
        [row("objects-64-trivial", 1, Metric::Alloc, &values)]
    };
    let near = verdicts(&rows(1.2), targets::SCOPE);
    assert!(near[0].contains("target ≤ 0.15 missed; against limit"), "{near:?}");
    assert!(near[0].ends_with("target ≤ 1.25 met"), "{near:?}");
    assert!(verdicts(&rows(1.3), targets::SCOPE)[0].ends_with("target ≤ 1.25 missed"));
}

#[test]
fn only_some_threads_are_judged() {
    let values = [("synchronized_pool", 1.0), ("pmr-sync-pool", 2.0)];
    let rows = [2, 10].map(|threads| row("churn-nodes", threads, Metric::Wall, &values));
    let lines = verdicts(&rows, targets::POOL_RESOURCE);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("churn-nodes ×10") && lines[0].ends_with("≤ 0.30 missed"));
}

#[test]
fn to_be_ahead_takes_the_whole_interval() {
    let values = [("allocator", 1.0), ("new-glibc", 1.0), ("limit", 0.5)];
    let lines = verdicts(&[row("vector-grow-4", 1, Metric::Wall, &values)], targets::ALLOCATOR);
    assert!(lines[0].ends_with("target ≤ 1.00 met"), "{lines:?}");
    assert!(lines[1].ends_with("target ahead missed"), "{lines:?}");
}
