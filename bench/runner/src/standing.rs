//! One contender against another over many rows, and how that is judged and shown.
//!
//! "At most" is judged by the low end of a 95 % interval. The interval of a geometric mean comes
//! from the geometric means of the single rounds, of which there are as many as rounds.

use crate::metric::Metric;
use crate::row::{Row, Series};
use crate::stats::{self, Estimate};

/// One series against another of the same row.
pub struct Standing<'a> {
    pub row: &'a Row,
    pub peer: &'a str,
    by_round: Vec<f64>,
    pub estimate: Estimate,
}

impl<'a> Standing<'a> {
    pub fn of(row: &'a Row, own: &Series, peer: &'a Series, metric: Metric) -> Option<Self> {
        let by_round = stats::ratios(own.by_round(metric), peer.by_round(metric));
        let estimate = stats::estimate(&by_round)?;
        Some(Self { row, peer: peer.name(), by_round, estimate })
    }
}

/// The estimate over the rounds of each round's geometric mean over the rows.
pub fn mean_of(standings: &[Standing]) -> Option<Estimate> {
    let rounds = standings.iter().map(|standing| standing.by_round.len()).min()?;
    let mean_of_round = |round: usize| {
        let ratios: Vec<f64> = standings.iter().map(|standing| standing.by_round[round]).collect();
        stats::geometric_mean(&ratios)
    };
    let means: Option<Vec<f64>> = (0..rounds).map(mean_of_round).collect();
    stats::estimate(&means?)
}

pub fn worst<'a, 'b>(standings: &'b [Standing<'a>]) -> Option<&'b Standing<'a>> {
    let median = |standing: &&Standing| standing.estimate.median;
    standings.iter().max_by(|left, right| median(left).total_cmp(&median(right)))
}

pub fn verdict(low: f64, limit: f64) -> String {
    format!("target ≤ {limit:.2} {}", if low <= limit { "met" } else { "missed" })
}

pub fn show(estimate: &Estimate) -> String {
    let Estimate { median, low, high, .. } = estimate;
    format!("×{median:.3} [{low:.3}, {high:.3}]")
}
