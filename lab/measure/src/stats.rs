//! Medians and their order-statistic intervals: all the statistics heapsmith uses.
//!
//! The interval of a median makes no assumption about the distribution: the number of the n
//! observations below the true median is binomial(n, 1/2), so the k-th smallest and the k-th
//! largest enclose it with probability 1 - 2 P(X < k). The largest k that keeps 95 % is used.

use serde::{Deserialize, Serialize};

/// The confidence every interval has at least.
pub const CONFIDENCE: f64 = 0.95;
/// The fewest observations that have a 95 % interval: 2 / 2^6 is 3.1 %, 2 / 2^5 is 6.3 %.
pub const MIN_ROUNDS: usize = 6;

/// A median with the ends of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub n: usize,
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    #[serde(rename = "better")]
    Better,
    #[serde(rename = "worse")]
    Worse,
    #[serde(rename = "no measurable difference")]
    Same,
}

impl Estimate {
    /// The verdict on a metric of which more is better, or less.
    pub fn verdict_on(&self, higher_is_better: bool) -> Verdict {
        match (self.verdict(), higher_is_better) {
            (Verdict::Better, true) => Verdict::Worse,
            (Verdict::Worse, true) => Verdict::Better,
            (verdict, _) => verdict,
        }
    }

    /// The verdict on a metric of which less is better.
    pub fn verdict(&self) -> Verdict {
        if self.high < 1.0 {
            Verdict::Better
        } else if self.low > 1.0 {
            Verdict::Worse
        } else {
            Verdict::Same
        }
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut ascending = values.to_vec();
    ascending.sort_by(f64::total_cmp);
    ascending
}

pub fn median(values: &[f64]) -> Option<f64> {
    let ascending = sorted(values);
    let middle = ascending.len() / 2;
    match ascending.len() {
        0 => None,
        n if n % 2 == 1 => Some(ascending[middle]),
        _ => Some((ascending[middle - 1] + ascending[middle]) / 2.0),
    }
}

/// The rank k (from 1) of the order statistics that enclose the median of `n` observations:
/// the largest with 2 P(binomial(n, 1/2) < k) <= 5 %, or none when n is too small for any.
pub fn interval_rank(n: usize) -> Option<usize> {
    interval_rank_at(n, 1.0 - CONFIDENCE)
}

/// The same for an interval that misses the median with probability `miss` at most.
pub fn interval_rank_at(n: usize, miss: f64) -> Option<usize> {
    let tail = miss / 2.0;
    // In logarithms: 2^-n alone underflows from n = 1075 on.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut below = 0.0;
    let mut rank = 0;
    for k in 0..n / 2 {
        below += log_term.exp();
        if below > tail {
            break;
        }
        rank = k + 1;
        log_term += ((n - k) as f64 / (k + 1) as f64).ln();
    }
    (rank > 0).then_some(rank)
}

/// The median with its 95 % interval; none below `MIN_ROUNDS` values.
pub fn estimate(values: &[f64]) -> Option<Estimate> {
    estimate_at(values, 1.0 - CONFIDENCE)
}

/// The median with an interval that misses it with probability `miss` at most.
pub fn estimate_at(values: &[f64], miss: f64) -> Option<Estimate> {
    let n = values.len();
    let rank = interval_rank_at(n, miss)?;
    let ascending = sorted(values);
    Some(Estimate {
        n,
        median: median(values)?,
        low: ascending[rank - 1],
        high: ascending[n - rank],
    })
}

/// The estimate of value / base over the rounds that have both.
pub fn compare(values: &[Option<f64>], base: &[Option<f64>]) -> Option<Estimate> {
    estimate(&ratios(values, base))
}

pub fn ratios(values: &[Option<f64>], base: &[Option<f64>]) -> Vec<f64> {
    let pairs = values.iter().zip(base).filter_map(|(value, base)| Some(((*value)?, (*base)?)));
    pairs.filter(|(_, base)| *base > 0.0).map(|(value, base)| value / base).collect()
}

/// How much `values` scatter over how much `base` does: one ratio for every two rounds that have
/// both. Two rounds scatter by their difference over their sum, so pairs of rounds are independent of
/// each other, and of two series that scatter alike each is the larger one in half of the pairs.
pub fn scatter_ratios(values: &[Option<f64>], base: &[Option<f64>]) -> Vec<f64> {
    let both = values.iter().zip(base).filter_map(|(value, base)| Some(((*value)?, (*base)?)));
    let both: Vec<(f64, f64)> = both.collect();
    let scatter = |first: f64, second: f64| (first - second).abs() / (first + second);
    let pairs = both.chunks_exact(2).filter_map(|pair| {
        let (value, base) = (scatter(pair[0].0, pair[1].0), scatter(pair[0].1, pair[1].1));
        let ratio = value / base;
        (!ratio.is_nan()).then_some(ratio)
    });
    pairs.collect()
}

/// The median absolute deviation as a share of the median: how much one contender's own rounds
/// scatter.
pub fn noise(values: &[f64]) -> Option<f64> {
    let centre = median(values)?;
    let deviations: Vec<f64> = values.iter().map(|value| (value - centre).abs()).collect();
    Some(if centre == 0.0 { 0.0 } else { median(&deviations)? / centre })
}

pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| *value <= 0.0) {
        return None;
    }
    Some((values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp())
}

#[cfg(test)]
#[path = "stats_tests.rs"]
mod tests;
