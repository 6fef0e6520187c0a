//! Each outcome, exact metrics, and values that only one side has.
use std::collections::BTreeMap;

use super::*;
use crate::failure::Failure;
use crate::prove::Identity;

fn values(median: f64, scatter: f64, rounds: usize) -> Vec<Option<f64>> {
    let drift = |round: usize| 1.0 + scatter * ((round * 7 % rounds) as f64 / rounds as f64 - 0.5);
    (0..rounds).map(|round| Some(median * drift(round))).collect()
}

fn series(name: &str, of: &[(Metric, Vec<Option<f64>>)]) -> Series {
    let identity = Identity {
        name: name.into(),
        version: "1".into(),
        settings: Vec::new(),
        library: "/lib/x.so".into(),
        loaded: true,
    };
    Series::of_values(identity, BTreeMap::from_iter(of.iter().cloned()))
}

fn row(series: Vec<Series>) -> Vec<Row> {
    vec![Row { suite: "try".into(), workload: "app".into(), params: Map::new(), series }]
}

fn of_metric(metric: Metric, old: Vec<Option<f64>>, new: Vec<Option<f64>>, limit: f64) -> Change {
    let (old, new) =
        (row(vec![series("a", &[(metric, old)])]), row(vec![series("a", &[(metric, new)])]));
    let rules = Rules { fail_above: Some(limit), ..Rules::default() };
    Diff::of((&old, &[]), (&new, &[]), &rules).changes.remove(0)
}

fn outcome_of(factor: f64, scatter: f64, rounds: usize) -> Outcome {
    let old = values(2.0, scatter, rounds);
    of_metric(Metric::Wall, old, values(2.0 * factor, scatter, rounds), 0.05).outcome
}

#[test]
fn a_loss_beyond_noise_and_limit_is_a_regression() {
    assert_eq!(outcome_of(1.08, 0.02, 11), Outcome::Regression);
    assert_eq!(outcome_of(1.03, 0.02, 11), Outcome::Worse);
    assert_eq!(outcome_of(1.004, 0.02, 11), Outcome::Within);
    assert_eq!(outcome_of(0.95, 0.02, 11), Outcome::Better);
    // Noise hides whether the limit is exceeded.
    assert_eq!(outcome_of(1.04, 0.4, 11), Outcome::CannotTell);
    // Too few rounds have no interval.
    assert_eq!(outcome_of(2.0, 0.02, 3), Outcome::CannotTell);
}

#[test]
fn without_a_limit_nothing_is_a_regression() {
    let old = row(vec![series("a", &[(Metric::Wall, values(1.0, 0.02, 11))])]);
    let new = row(vec![series("a", &[(Metric::Wall, values(2.0, 0.02, 11))])]);
    let diff = Diff::of((&old, &[]), (&new, &[]), &Rules::default());
    assert_eq!(diff.changes[0].outcome, Outcome::Worse);
    assert!(!diff.is_worse());
}

#[test]
fn more_is_better_in_some_metrics() {
    let exact = |value: f64| vec![Some(value)];
    let change = of_metric(Metric::Utilisation, exact(0.9), exact(0.8), 0.05);
    assert_eq!(change.outcome, Outcome::Regression);
    let change = of_metric(Metric::Utilisation, exact(0.8), exact(0.9), 0.05);
    assert_eq!(change.outcome, Outcome::Better);
}

#[test]
fn exact_values_need_one_round() {
    let exact = |value: f64| vec![Some(value)];
    let change = of_metric(Metric::Instructions, exact(100.0), exact(106.0), 0.05);
    assert_eq!((change.outcome, change.low), (Outcome::Regression, Some(1.06)));
    let change = of_metric(Metric::Instructions, exact(100.0), exact(100.0), 0.05);
    assert_eq!(change.outcome, Outcome::Within);
}

#[test]
fn more_than_nothing_is_a_loss() {
    let exact = |value: f64| vec![Some(value)];
    let change = of_metric(Metric::Instructions, exact(0.0), exact(5.0), 0.05);
    assert_eq!((change.outcome, change.ratio), (Outcome::Regression, f64::INFINITY));
    assert_eq!(change.shown().0, "more than 0");
    let rounds = |values: [f64; 2]| (0..12).map(|round| Some(values[round % 2])).collect();
    let of = |old, new| of_metric(Metric::Refused, rounds(old), rounds(new), 0.05);
    assert_eq!(of([0.0, 0.0], [12.0, 11.0]).outcome, Outcome::Regression);
    assert_eq!(of([0.0, 0.0], [0.0, 0.0]).outcome, Outcome::Within);
    assert_eq!(of([0.0, 0.0], [0.0, 9.0]).outcome, Outcome::CannotTell);
    // A session with a single 0 is compared, too.
    let mut old: Vec<Option<f64>> = values(2.0, 0.02, 12);
    old[3] = Some(0.0);
    let change = of_metric(Metric::Wall, old, values(4.0, 0.02, 12), 0.05);
    assert_eq!(change.outcome, Outcome::Regression);
}

#[test]
fn many_comparisons_have_wider_intervals() {
    let width = |contenders: usize| {
        let side = |factor: f64| {
            let names = (0..contenders).map(|index| format!("a{index}"));
            let of = |name: String| series(&name, &[(Metric::Wall, values(factor, 0.1, 11))]);
            row(names.map(of).collect())
        };
        let diff = Diff::of((&side(1.0), &[]), (&side(1.0), &[]), &Rules::default());
        assert_eq!(diff.compared, contenders);
        diff.changes[0].high.expect("an interval") - diff.changes[0].low.expect("an interval")
    };
    assert!(width(30) > 1.3 * width(1));
}

#[test]
fn missing_values_and_new_failures_are_named() {
    let wall = || (Metric::Wall, values(1.0, 0.02, 11));
    let cpu = || (Metric::Cpu, values(1.0, 0.02, 11));
    let old = row(vec![series("a", &[wall(), cpu()]), series("b", &[wall()])]);
    let new = row(vec![series("a", &[wall()]), series("c", &[wall()])]);
    let failed = |contender: &str| Failed {
        suite: "try".into(),
        workload: "app".into(),
        params: Map::new(),
        failure: Failure {
            contender: contender.into(),
            exit: None,
            signal: Some("SIGSEGV".into()),
            why: "killed by SIGSEGV".into(),
            stderr_tail: String::new(),
        },
    };
    let (before, after) = ([failed("d")], [failed("d"), failed("b")]);
    let diff = Diff::of((&old, &before), (&new, &after), &Rules::default());
    let lines: Vec<String> = diff.missing.iter().map(Missing::line).collect();
    assert_eq!(
        lines,
        [
            "app, c: not in the old results",
            "app, a, CPU time: not in the new results",
            "app, b: not in the new results",
        ]
    );
    assert_eq!(diff.unjudged().map(Missing::line).collect::<Vec<_>>(), lines[1..]);
    assert_eq!((diff.broken.len(), diff.broken[0].failure.contender.as_str()), (1, "b"));
    assert!(diff.is_worse());
}

#[test]
fn only_requested_metrics_are_compared() {
    let both = || {
        row(vec![series(
            "a",
            &[(Metric::Wall, values(1.0, 0.02, 11)), (Metric::Cpu, values(1.0, 0.02, 11))],
        )])
    };
    let rules = Rules { metrics: vec![Metric::Cpu], ..Rules::default() };
    let diff = Diff::of((&both(), &[]), (&both(), &[]), &rules);
    assert_eq!((diff.changes.len(), diff.changes[0].metric), (1, Metric::Cpu));
}
