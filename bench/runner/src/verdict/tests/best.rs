//! The best of several peers, chosen and scored in different rounds; means; noise.

use super::standing::{Standing, mean_of};
use super::*;

/// Rounds of which some have no value.
fn gaps(name: &str, times: &[Option<f64>]) -> Series {
    let identity = series(name, &[]).identity;
    Series::of_values(identity, BTreeMap::from([(Metric::Wall, times.to_vec())]))
}

fn best<'a>(row: &'a Row, names: &[&str]) -> Standing<'a> {
    let own = row.named("own").expect("measured");
    Standing::of_best(row, own, names, Metric::Wall).expect("rounds")
}

#[test]
fn of_two_peers_each_is_scored_in_the_rounds_that_chose_the_other() {
    // a is fast in the first, third, … round, b in the others.
    let turns = |first: f64, second: f64| [first, second].repeat(6);
    let all =
        vec![timed("own", &[1.0; 12]), timed("a", &turns(0.5, 2.0)), timed("b", &turns(2.0, 0.5))];
    let row = row_of("w", json!({}), all);
    let standing = best(&row, &["a", "b"]);
    assert_eq!(standing.estimate.median, 0.5, "each loses in the rounds that did not choose it");
    assert_eq!((standing.estimate.low, standing.estimate.high), (0.5, 0.5));
}

#[test]
fn one_peer_alone_is_scored_in_all_rounds() {
    let row = row_of("w", json!({}), vec![timed("own", &[1.0; 6]), timed("a", &[4.0; 6])]);
    let standing = best(&row, &["a", "not-measured"]);
    assert_eq!((standing.estimate.median, standing.estimate.n), (0.25, 6));
    let own = row.named("own").expect("measured");
    assert!(Standing::of_best(&row, own, &[], Metric::Wall).is_none());
}

#[test]
fn the_third_best_is_chosen_and_scored_in_different_rounds() {
    // Of c and d, each is the third best in the rounds that score the other.
    let turns = |first: f64, second: f64| [first, second].repeat(6);
    let all = vec![
        timed("own", &[1.0; 12]),
        timed("a", &[0.1; 12]),
        timed("b", &[0.2; 12]),
        timed("c", &turns(0.5, 2.0)),
        timed("d", &turns(2.0, 0.5)),
    ];
    let row = row_of("w", json!({}), all);
    let own = row.named("own").expect("measured");
    let third = |names: &[&str]| Standing::of_nth_best(&row, own, names, Metric::Wall, 3);
    let standing = third(&["d", "c", "b", "a"]).expect("rounds");
    assert_eq!((standing.estimate.low, standing.estimate.high), (0.5, 0.5));
    assert_eq!(third(&["a", "b", "c"]).expect("rounds").other.name(), "c");
    assert!(third(&["a", "b"]).is_none(), "two have no third");
}

#[test]
fn a_round_without_a_value_makes_no_ratio_and_moves_no_other() {
    let of = |from: f64| (0..14).map(move |round| from * f64::from(1 << round)).map(Some);
    let mut peer: Vec<Option<f64>> = of(2.0).collect();
    let own: Vec<Option<f64>> = of(1.0).collect();
    (peer[0], peer[5]) = (None, None);
    let slow: Vec<Option<f64>> = of(64.0).collect();
    let all = vec![gaps("own", &own), gaps("a", &peer), gaps("b", &slow)];
    let row = row_of("w", json!({}), all);
    let standing = best(&row, &["a", "b"]);
    let found = (standing.estimate.n, standing.estimate.low, standing.estimate.high);
    assert_eq!(found, (12, 0.5, 0.5), "each round is compared with itself");
}

#[test]
fn a_mean_has_as_many_rounds_as_the_row_with_the_fewest() {
    let of = |own: f64, rounds: usize| {
        let both = vec![timed("own", &vec![own; rounds]), timed("a", &vec![1.0; rounds])];
        row_of("w", json!({}), both)
    };
    let rows = [of(1.0, 6), of(4.0, 9)];
    let standings: Vec<Standing> = rows.iter().map(|row| best(row, &["a"])).collect();
    let mean = mean_of(&standings).expect("six rounds");
    assert!(mean.n == 6 && (mean.median - 2.0).abs() < 1e-9, "{mean}");
}

#[test]
fn noise_is_the_own_contender_over_its_twin() {
    let heap = suite("lab/workloads/suite.toml");
    let values = [("heapsmith", 1.0), ("heapsmith-twin", 0.8), ("glibc", 4.0)];
    let lines = verdicts(&heap, &[row("a", json!({}), Metric::Wall, &values)]);
    assert!(lines[2].ends_with("×1.250 [1.250, 1.250], rows from ×1.250 to ×1.250"), "{lines:?}");
}
