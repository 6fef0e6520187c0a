//! One contender against another, in one row or over many.
//!
//! Of several others the best counts. It is chosen in the odd rounds and scored in the even ones,
//! and the other way round: scored in the rounds that chose it, the best of several identical
//! contenders would look better than each of them.
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

    pub fn of_best(row: &'a Row, own: &'a Series, names: &[&str], metric: Metric) -> Option<Self> {
        Self::of_nth_best(row, own, names, metric, 1)
    }

    /// Against the `nth` best of `names`. `other` is that of all rounds.
    pub fn of_nth_best(
        row: &'a Row,
        own: &'a Series,
        names: &[&str],
        metric: Metric,
        nth: usize,
    ) -> Option<Self> {
        let best_by = |score: &dyn Fn(&Series) -> Option<f64>| {
            let entrants = row.series.iter().filter(|one| names.contains(&one.name()));
            let worth = |score: f64| if metric.higher_is_better() { -score } else { score };
            let mut ranked: Vec<(f64, &'a Series)> =
                entrants.filter_map(|one| Some((worth(score(one)?), one))).collect();
            ranked.sort_by(|left, right| left.0.total_cmp(&right.0));
            ranked.get(nth - 1).map(|(_, one)| *one)
        };
        let other = best_by(&|one| one.median(metric))?;
        if names.len() < 2 || metric.is_exact() {
            return Self::of(row, own, other, metric);
        }
        let best_where = |is_even: bool| {
            best_by(&|one| {
                let rounds = one.by_round(metric).iter().enumerate();
                let chosen = rounds.filter(|(round, _)| (round % 2 == 0) == is_even);
                stats::median(&chosen.filter_map(|it| *it.1).collect::<Vec<_>>())
            })
        };
        let (of_even, of_odd) = (best_where(true)?, best_where(false)?);
        let values = own.by_round(metric).iter().enumerate();
        let ratios = values.filter_map(|(round, value)| {
            let best = if round % 2 == 0 { of_odd } else { of_even };
            let base = best.by_round(metric).get(round).copied().flatten();
            Some((*value)? / base.filter(|base| *base > 0.0)?)
        });
        let by_round: Vec<f64> = ratios.collect();
        let estimate = stats::estimate(&by_round)?;
        Some(Self { row, own, other, by_round, estimate, is_exact: false })
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

/// The ratios of two contenders that are the same allocator: over all rows, and the outermost rows.
pub fn noise_of(standings: &[Standing]) -> Option<String> {
    let mean = mean_of(standings)?;
    let medians = || standings.iter().map(|standing| standing.estimate.median);
    let (least, most) = (medians().min_by(f64::total_cmp)?, medians().max_by(f64::total_cmp)?);
    Some(format!("{}, rows from ×{least:.3} to ×{most:.3}", show(&mean)))
}

/// The ratio, with its interval where it has one.
pub fn show(estimate: &Estimate) -> String {
    if estimate.n == 1 { format!("×{:.3}", estimate.median) } else { estimate.to_string() }
}
