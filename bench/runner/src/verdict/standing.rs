//! One contender against another over many rows.
//!
//! The interval of a geometric mean comes from the geometric means of the single rounds, of which
//! there are as many as rounds. Exact values have no interval.

use heapsmith_measure::metric::Metric;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::stats::{self, Estimate};

/// One series against another, in a row.
pub struct Standing<'a> {
    pub row: &'a Row,
    pub own: &'a Series,
    pub other: &'a Series,
    by_round: Vec<f64>,
    pub estimate: Estimate,
    is_exact: bool,
}

impl<'a> Standing<'a> {
    pub fn of(row: &'a Row, own: &'a Series, other: &'a Series, metric: Metric) -> Option<Self> {
        let is_exact = metric.is_exact();
        let (by_round, estimate) = if is_exact {
            let base = other.median(metric).filter(|base| *base > 0.0)?;
            let ratio = own.median(metric)? / base;
            (vec![ratio], exact(ratio))
        } else {
            let by_round = stats::ratios(own.by_round(metric), other.by_round(metric));
            let estimate = stats::estimate(&by_round)?;
            (by_round, estimate)
        };
        Some(Self { row, own, other, by_round, estimate, is_exact })
    }
}

fn exact(value: f64) -> Estimate {
    Estimate { n: 1, median: value, low: value, high: value }
}

/// The estimate over the rounds of each round's geometric mean over the rows.
pub fn mean_of(standings: &[Standing]) -> Option<Estimate> {
    let rounds = standings.iter().map(|standing| standing.by_round.len()).min()?;
    let mean_of_round = |round: usize| {
        let ratios: Vec<f64> = standings.iter().map(|standing| standing.by_round[round]).collect();
        stats::geometric_mean(&ratios)
    };
    let means: Option<Vec<f64>> = (0..rounds).map(mean_of_round).collect();
    match means?.as_slice() {
        [mean] if standings.iter().all(|standing| standing.is_exact) => Some(exact(*mean)),
        means => stats::estimate(means),
    }
}

pub fn worst<'a, 'b>(standings: &'b [Standing<'a>]) -> Option<&'b Standing<'a>> {
    let median = |standing: &&Standing| standing.estimate.median;
    standings.iter().max_by(|left, right| median(left).total_cmp(&median(right)))
}

/// The ratio, with its interval where it has one.
pub fn show(estimate: &Estimate) -> String {
    if estimate.n == 1 { format!("×{:.3}", estimate.median) } else { estimate.to_string() }
}
