//! How large a difference must be, how sure, and after which rounds the stopping rule looks.
//!
//! All statements of a verdict hold together with the stated confidence. Half of the error is spent
//! on the verdict at the end. The other half is spent on the looks at which measuring may stop
//! early: a quarter on the first look, an eighth on the second, and so on. Each part is divided
//! equally by the number of comparisons (Bonferroni). The intervals of a look contain those of the
//! verdict at the same round, so a verdict reads like the look that stopped the rounds.

use crate::stats::interval_rank_at;

#[derive(Clone, Debug)]
pub struct Rules {
    /// A difference counts from this share on, in time and in memory.
    pub smallest_gain: f64,
    /// The same for the scatter of times, which is known less precisely.
    pub smallest_steadiness: f64,
    /// So many bytes less or more count at least. Small programs differ by less from run to run, and
    /// by what is mapped with a preload.
    pub smallest_bytes: f64,
    /// The probability that all outcomes are right together.
    pub confidence: f64,
    /// A gain that could be hidden is worth more rounds from this share on.
    pub widest: f64,
    /// So many comparisons share the confidence at least. The rounds of several rows stop at different
    /// times, so each must know the comparisons of all.
    pub compared: usize,
    /// Each row is right with the stated confidence by itself, as suits suites of many rows, which
    /// have no headline about one of them.
    pub each_row: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            smallest_gain: 0.01,
            smallest_bytes: 256.0 * 1024.0,
            smallest_steadiness: 0.2,
            confidence: 0.95,
            widest: 0.05,
            compared: 1,
            each_row: false,
        }
    }
}

/// A budget never runs more rounds: they make results larger and intervals hardly smaller.
pub const MOST_ROUNDS: usize = 300;

/// Each look comes after this many times the rounds of the last one.
const GROWTH: f64 = 1.5;

impl Rules {
    /// The probability with which one interval of the verdict may miss.
    pub fn miss(&self, compared: usize) -> f64 {
        (1.0 - self.confidence) / 2.0 / compared as f64
    }

    /// The same for an interval of the stopping rule, if it looks after `rounds` rounds.
    pub fn miss_of_look(&self, compared: usize, rounds: usize) -> Option<f64> {
        let mut miss = self.miss(compared);
        let mut at = 0;
        while at < rounds {
            miss /= 2.0;
            at = fewest(miss).max((at as f64 * GROWTH).ceil() as usize);
        }
        (at == rounds && rounds > 0).then_some(miss)
    }

    /// The fewest rounds that give every comparison an interval.
    pub fn fewest_rounds(&self, compared: usize) -> usize {
        fewest(self.miss(compared))
    }
}

/// The fewest observations whose smallest and largest enclose the median but for `miss`.
pub fn fewest(miss: f64) -> usize {
    (2..).find(|n| interval_rank_at(*n, miss).is_some()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    //! The looks and the error they spend.
    use super::*;

    #[test]
    fn the_fewest_rounds_grow_with_the_logarithm_of_the_comparisons() {
        let rules = Rules::default();
        assert_eq!(rules.fewest_rounds(1), 7);
        assert_eq!(rules.fewest_rounds(20), 11);
        assert_eq!(rules.fewest_rounds(40), 12);
    }

    #[test]
    fn looks_are_few_and_spend_half_of_the_error() {
        let rules = Rules::default();
        let looks = |n| rules.miss_of_look(20, n).map(|miss| (n, miss));
        let looks: Vec<(usize, f64)> = (1..1000).filter_map(looks).collect();
        let rounds: Vec<usize> = looks.iter().map(|(n, _)| *n).collect();
        assert_eq!(&rounds[..4], [12, 18, 27, 41]);
        assert!(rounds.len() < 14, "{rounds:?}");
        let spent: f64 = looks.iter().map(|(_, miss)| 20.0 * miss).sum();
        assert!(spent + 20.0 * rules.miss(20) <= 0.05, "{spent}");
        // No interval of a look is narrower than that of the verdict.
        assert!(looks.iter().all(|(_, miss)| *miss < rules.miss(20)));
    }
}
