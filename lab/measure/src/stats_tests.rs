//! The statistics against textbook values and against a brute-force count.

use super::*;

#[test]
fn medians_of_odd_even_and_no_values() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
    assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
    assert_eq!(median(&[]), None);
}

#[test]
fn ranks_agree_with_published_tables() {
    // Ranks of the 95 % interval of a median, as tabled for the sign test.
    let table = [(5, None), (6, Some(1)), (8, Some(1)), (9, Some(2)), (11, Some(2)), (12, Some(3))];
    for (n, rank) in table {
        assert_eq!(interval_rank(n), rank, "n = {n}");
    }
    assert_eq!(interval_rank(20), Some(6));
    assert_eq!(interval_rank(100), Some(40));
}

/// Every one of the 2^n patterns of "below or above the median" counted: exact, no formula shared.
#[test]
fn coverage_is_at_least_95_percent_and_the_next_rank_falls_short() {
    let missed = |n: usize, rank: usize| {
        let misses = (0..1u32 << n).filter(|pattern| {
            let below = pattern.count_ones() as usize;
            below < rank || n - below < rank
        });
        misses.count() as f64 / f64::from(1u32 << n)
    };
    for n in MIN_ROUNDS..=16 {
        let rank = interval_rank(n).expect("an interval exists from six on");
        assert!(missed(n, rank) <= 0.05, "n = {n}");
        assert!(missed(n, rank + 1) > 0.05, "n = {n}: a tighter interval would do");
    }
}

#[test]
fn many_rounds_do_not_underflow() {
    // Normal approximation: n/2 - 0.98 sqrt(n) = 950.5 - ... for n = 2000, within one rank.
    let rank = interval_rank(2000).expect("an interval");
    assert!((956..=957).contains(&rank), "{rank}");
}

#[test]
fn an_interval_that_contains_one_is_no_measurable_difference() {
    let of = |low, high| Estimate { n: 11, median: 1.0, low, high }.verdict();
    assert_eq!(of(0.9, 0.99), Verdict::Better);
    assert_eq!(of(1.01, 1.1), Verdict::Worse);
    assert_eq!(of(0.99, 1.01), Verdict::Same);
    assert_eq!(of(1.0, 1.2), Verdict::Same);
    assert_eq!(of(0.8, 1.0), Verdict::Same);
}

#[test]
fn ratios_are_taken_round_by_round() {
    // Both drift upwards together: every round says 2, though the medians' own ratio would too
    // easily hide it behind the drift.
    let base: Vec<_> = (1..=11).map(|round| Some(f64::from(round))).collect();
    let twice: Vec<_> = (1..=11).map(|round| Some(2.0 * f64::from(round))).collect();
    let found = compare(&twice, &base).expect("eleven rounds");
    assert_eq!((found.median, found.low, found.high, found.n), (2.0, 2.0, 2.0, 11));
}

#[test]
fn rounds_that_lack_one_side_do_not_count() {
    let base = [Some(1.0), None, Some(2.0), Some(0.0)];
    let other = [Some(3.0), Some(4.0), None, Some(1.0)];
    assert_eq!(ratios(&other, &base), vec![3.0]);
    assert_eq!(compare(&other, &base), None);
}

#[test]
fn an_interval_needs_six_values() {
    assert_eq!(estimate(&[1.0, 2.0, 3.0, 4.0, 5.0]), None);
    let eleven: Vec<f64> = (1..=11).map(f64::from).collect();
    let many = estimate(&eleven).expect("eleven values");
    assert_eq!((many.median, many.low, many.high), (6.0, 2.0, 10.0));
}

#[test]
fn noise_is_relative_and_geometric_means_multiply() {
    assert_eq!(noise(&[9.0, 10.0, 12.0]), Some(0.1));
    assert_eq!(noise(&[0.0, 0.0]), Some(0.0));
    let mean = geometric_mean(&[0.5, 2.0, 8.0]).expect("positive values");
    assert!((mean - 2.0).abs() < 1e-12);
    assert_eq!(geometric_mean(&[1.0, 0.0]), None);
}

#[test]
fn more_can_be_better() {
    let more = Estimate { n: 6, median: 1.2, low: 1.1, high: 1.3 };
    assert_eq!((more.verdict_on(false), more.verdict_on(true)), (Verdict::Worse, Verdict::Better));
    let either = Estimate { n: 6, median: 1.0, low: 0.9, high: 1.1 };
    assert_eq!(either.verdict_on(true), Verdict::Same);
}

#[test]
fn scatter_is_compared_over_pairs_of_rounds() {
    let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
    // Differences over sums: 0.2 / 2 and 0 / 2 against 0.4 / 2 and 0.4 / 2.
    let found =
        scatter_ratios(&some(&[0.9, 1.1, 1.0, 1.0, 7.0]), &some(&[0.8, 1.2, 1.2, 0.8, 1.0]));
    assert_eq!(found.len(), 2);
    assert!((found[0] - 0.5).abs() < 1e-12 && found[1] == 0.0, "{found:?}");
    // Pairs in which neither scatters say nothing.
    assert_eq!(scatter_ratios(&some(&[1.0, 1.0]), &some(&[2.0, 2.0])), Vec::<f64>::new());
}

#[test]
fn a_smaller_miss_needs_more_rounds() {
    assert_eq!(interval_rank_at(10, 0.002), Some(1));
    assert_eq!(interval_rank_at(9, 0.002), None);
    assert_eq!(interval_rank_at(20, 0.05), interval_rank(20));
}
