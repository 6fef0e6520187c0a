//! The targets of a suite's contenders.

use heapsmith_measure::metric::Metric;
use serde::Deserialize;

use super::one_or_many::OneOrMany;
use super::rows::Rows;

/// Stands for all contenders with the role `peer`.
pub const PEERS: &str = "peers";

/// Own contenders against others in one metric: row by row, or by the geometric mean of the rows.
/// Without a bar the comparison is only shown.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The name of the rows in the line of a mean.
    pub what: Option<String>,
    /// Each is judged by itself.
    #[serde(default)]
    pub own: OneOrMany,
    /// One contender, or several, of which the best in each row counts.
    #[serde(default)]
    pub against: OneOrMany,
    /// Several contenders, each compared by itself.
    #[serde(default)]
    pub against_each: OneOrMany,
    /// Own contender and the other, in place of `own` and `against`.
    #[serde(default)]
    pub pairs: Vec<(String, String)>,
    /// The other's row is that of this workload with the same parameters.
    pub of_workload: Option<String>,
    pub metric: Metric,
    #[serde(default)]
    pub rows: Rows,
    /// A peer that has more of this metric than the own contender does not count as the best.
    pub best_has_no_more: Option<Metric>,
    /// Of several others, this one of each row counts: 3 stands for the third best.
    pub nth_best: Option<usize>,
    /// Judge the geometric mean of all rows.
    #[serde(default)]
    pub mean: bool,
    /// A mean for each value of this parameter.
    pub each: Option<String>,

    /// Met if the median is at most this.
    pub at_most: Option<f64>,
    /// The own value may be this much above that, in units of the metric.
    pub allowance: Option<f64>,
    /// Met if the median is at least this.
    pub at_least: Option<f64>,
    /// Met if the whole interval is below 1.
    #[serde(default)]
    pub ahead: bool,
    /// Of a mean: the bar of its worst row.
    pub worst_at_most: Option<f64>,
    /// Of a mean of shares: how many hundredths one row may lose.
    pub most_points_lost: Option<f64>,
    /// Also met if the contender is at most this far from the limit.
    pub or_of_limit: Option<f64>,
    /// Judged only where the limit itself takes at most this part of what the other takes.
    pub where_limit: Option<f64>,
}

impl Target {
    /// Own contenders with those they are compared with. Of several others, the best counts.
    pub fn comparisons(&self, peers: &[&str]) -> Vec<(String, Vec<String>)> {
        let (best, each) = (self.against.or_peers(peers), self.against_each.or_peers(peers));
        let of_own = self.own.0.iter().flat_map(|own| {
            let best = (!best.is_empty()).then(|| (own.clone(), best.clone()));
            let each = each.iter().map(|other| (own.clone(), vec![other.clone()]));
            best.into_iter().chain(each).collect::<Vec<_>>()
        });
        let pairs = self.pairs.iter().map(|(own, other)| (own.clone(), vec![other.clone()]));
        of_own.chain(pairs).collect()
    }

    /// Whether the best of all peers is what counts.
    pub fn is_against_best_peer(&self) -> bool {
        self.against.0 == [PEERS]
    }
}

/// How far the cost grows along a parameter, against the best of the others in the first row and in
/// the last one. Costs that all share, such as cache misses, fall out.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    pub own: String,
    pub against: OneOrMany,
    pub metric: Metric,
    /// The parameter that grows from row to row.
    pub along: String,
    #[serde(default)]
    pub rows: Rows,
    pub at_most: Option<f64>,
}

impl Growth {
    pub fn others(&self, peers: &[&str]) -> Vec<String> {
        self.against.or_peers(peers)
    }
}

/// The largest value in some rows.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Largest {
    pub what: String,
    /// The largest of these together; without any, of each contender.
    #[serde(default)]
    pub own: OneOrMany,
    pub metric: Metric,
    #[serde(default)]
    pub rows: Rows,
    pub at_most: Option<f64>,
}

/// Names the rows where one and the same other contender is better in all the metrics.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dominated {
    /// "slower and larger than"
    pub what: String,
    pub own: String,
    pub against: OneOrMany,
    pub metrics: Vec<Metric>,
}

impl Dominated {
    pub fn others(&self, peers: &[&str]) -> Vec<String> {
        self.against.or_peers(peers)
    }
}

impl OneOrMany {
    /// The names given, or `peers` where those are meant.
    fn or_peers(&self, peers: &[&str]) -> Vec<String> {
        match self.0.as_slice() {
            [one] if one == PEERS => peers.iter().map(ToString::to_string).collect(),
            _ => self.0.clone(),
        }
    }
}
