//! The ratio of two groups of values that make no pairs, such as those of two sessions.
//!
//! The estimate is the median of all ratios value / base. Its interval is that of Hodges and Lehmann:
//! the k-th smallest and the k-th largest ratio, with k from the exact distribution of the number of
//! pairs in which a value of one group is below one of the other (Mann and Whitney). It assumes no
//! distribution, only that one group is a multiple of the other.

/// Above this many pairs the distribution is replaced by a normal one.
const EXACT_PAIRS: usize = 2500;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub median: f64,
    /// The ends of the interval; none if there are too few values for one.
    pub interval: Option<(f64, f64)>,
}

/// How `values` compare with `base`, with an interval that misses with probability `miss` at most.
/// None if a group is empty or has a negative value. Against 0, all that is more is infinitely more,
/// and 0 is equal.
pub fn change(values: &[f64], base: &[f64], miss: f64) -> Option<Change> {
    let is_negative = |value: &f64| *value < 0.0;
    if values.iter().chain(base).any(is_negative) {
        return None;
    }
    let mut ratios: Vec<f64> =
        values.iter().flat_map(|value| base.iter().map(|base| ratio(*value, *base))).collect();
    ratios.sort_by(f64::total_cmp);
    let median = crate::stats::median(&ratios)?;
    let rank = rank(values.len(), base.len(), miss);
    let interval = rank.map(|rank| (ratios[rank - 1], ratios[ratios.len() - rank]));
    Some(Change { median, interval })
}

pub fn ratio(value: f64, base: f64) -> f64 {
    if value == base { 1.0 } else { value / base }
}

/// The largest rank k with 2 P(U < k) <= `miss`, where U is the number of pairs. Too few values have
/// no such rank.
pub fn rank(n: usize, m: usize, miss: f64) -> Option<usize> {
    let tail = miss / 2.0;
    let rank = if n * m <= EXACT_PAIRS { exact_rank(n, m, tail) } else { normal_rank(n, m, tail) };
    (rank > 0).then_some(rank)
}

/// The fewest values of each of two equal groups that have an interval.
pub fn fewest(miss: f64) -> usize {
    (1..100).find(|n| rank(*n, *n, miss).is_some()).unwrap_or(100)
}

fn exact_rank(n: usize, m: usize, tail: f64) -> usize {
    let mut below = 0.0;
    let counted = distribution(n, m).into_iter().take_while(|probability| {
        below += probability;
        below <= tail
    });
    counted.count()
}

/// P(U = u) for groups of `n` and `m` values. The largest value belongs to the first group with
/// probability n / (n + m), and then it is above all m values of the other.
fn distribution(n: usize, m: usize) -> Vec<f64> {
    // by_m[j] is the distribution for the groups i and j.
    let mut by_m: Vec<Vec<f64>> = vec![vec![1.0]; m + 1];
    for i in 1..=n {
        for j in 1..=m {
            let mut here = vec![0.0; i * j + 1];
            let share = i as f64 / (i + j) as f64;
            for (u, probability) in by_m[j].iter().enumerate() {
                here[u + j] += share * probability;
            }
            for (u, probability) in by_m[j - 1].iter().enumerate() {
                here[u] += (1.0 - share) * probability;
            }
            by_m[j] = here;
        }
    }
    by_m.swap_remove(m)
}

fn normal_rank(n: usize, m: usize, tail: f64) -> usize {
    let pairs = (n * m) as f64;
    let deviation = (pairs * (n + m + 1) as f64 / 12.0).sqrt();
    let rank = pairs / 2.0 + quantile(tail) * deviation;
    rank.floor().max(0.0) as usize
}

/// The point below which a normal variable lies with probability `tail`, by bisection.
fn quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 0.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if lower_tail(middle) < tail { low = middle } else { high = middle }
    }
    low
}

/// P(Z < z) for z <= 0: the density, integrated over 12 deviations by Simpson's rule.
fn lower_tail(z: f64) -> f64 {
    const STEPS: usize = 400;
    let width = 12.0 / STEPS as f64;
    let density = |x: f64| (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    let weight = |step: usize| match step {
        0 | STEPS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = (0..=STEPS).map(|step| weight(step) * density(z - width * step as f64)).sum();
    sum * width / 3.0
}

#[cfg(test)]
mod tests {
    //! Ranks from textbooks, and how often the interval contains the truth.
    use super::*;

    #[test]
    fn ranks_are_those_of_the_tables() {
        // The critical values of U at 5 % on both sides are one less than the rank.
        assert_eq!(rank(4, 4, 0.05), Some(1));
        assert_eq!(rank(5, 5, 0.05), Some(3));
        assert_eq!(rank(6, 6, 0.05), Some(6));
        assert_eq!(rank(10, 10, 0.05), Some(24));
        assert_eq!(rank(20, 20, 0.05), Some(128));
        assert_eq!(rank(5, 10, 0.05), Some(9));
        assert_eq!(rank(3, 3, 0.05), None);
        assert_eq!(fewest(0.05), 4);
        assert_eq!(fewest(0.05 / 24.0), 7);
    }

    #[test]
    fn the_normal_distribution_takes_over_smoothly() {
        for miss in [0.05, 0.002] {
            let (exact, normal) = (exact_rank(50, 50, miss / 2.0), normal_rank(50, 50, miss / 2.0));
            assert!(exact.abs_diff(normal) <= 8, "{exact} {normal}");
        }
        assert!((quantile(0.025) + 1.959_964).abs() < 1e-4);
    }

    #[test]
    fn the_interval_contains_the_median_and_narrows_with_values() {
        let base: Vec<f64> = (0..11).map(|round| 1.0 + 0.01 * f64::from(round)).collect();
        let twice: Vec<f64> = base.iter().map(|value| 2.0 * value).collect();
        let change = change(&twice, &base, 0.05).expect("values");
        let (low, high) = change.interval.expect("enough");
        assert!((change.median - 2.0).abs() < 1e-12);
        assert!(low < 2.0 && 2.0 < high && high - low < 0.2, "{low} {high}");
        let few = super::change(&twice[..3], &base[..3], 0.05).expect("values");
        assert_eq!(few.interval, None);
        assert_eq!(super::change(&twice, &[], 0.05), None);
        assert_eq!(
            super::change(&[0.0, 3.0, 5.0], &[0.0], 0.05).map(|it| it.median),
            Some(f64::INFINITY)
        );
    }

    /// Uniform numbers in (0, 1), the same in every run.
    struct Draw(u64);

    impl Draw {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        }

        /// Times have a floor and a long tail.
        fn time(&mut self, scatter: f64) -> f64 {
            let tail = -self.next().ln();
            1.0 + scatter * tail + if self.next() < 0.05 { 5.0 * scatter } else { 0.0 }
        }
    }

    fn misses(n: usize, m: usize, scatters: (f64, f64), miss: f64) -> f64 {
        let mut draw = Draw(7);
        let (truth, runs) = (1.3, 1000);
        // Both groups have the median 1, so that the ratio of the medians is the truth.
        let centre = |draw: &mut Draw, scatter| {
            let mut many: Vec<f64> = (0..20_001).map(|_| draw.time(scatter)).collect();
            many.sort_by(f64::total_cmp);
            many[10_000]
        };
        let centres = (centre(&mut draw, scatters.0), centre(&mut draw, scatters.1));
        let missed = (0..runs).filter(|_| {
            let base: Vec<f64> = (0..n).map(|_| draw.time(scatters.0) / centres.0).collect();
            let values: Vec<f64> =
                (0..m).map(|_| truth * draw.time(scatters.1) / centres.1).collect();
            let found = change(&values, &base, miss).and_then(|change| change.interval);
            !found.is_some_and(|(low, high)| low <= truth && truth <= high)
        });
        missed.count() as f64 / f64::from(runs)
    }

    #[test]
    fn it_misses_as_seldom_as_it_promises() {
        for (n, m) in [(6, 6), (11, 11), (11, 7)] {
            let share = misses(n, m, (0.03, 0.03), 0.05);
            assert!(share <= 0.065, "{n} and {m}: {share}");
        }
    }

    #[test]
    fn different_scatters_cost_little() {
        let share = misses(11, 11, (0.03, 0.09), 0.05);
        assert!(share <= 0.09, "{share}");
    }
}
