//! The measurements of one workload under every contender, and the comparisons drawn from them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::launch::Costs;
use crate::metric::{Metric, OF_A_RUN};
use crate::prove::Identity;
use crate::stats::{self, Estimate};

/// Values by metric and round; None for a round without a value.
pub type Values = BTreeMap<Metric, Vec<Option<f64>>>;

/// One contender's values.
#[derive(Clone, Debug)]
pub struct Series {
    pub identity: Identity,
    values: Values,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub series: Vec<Series>,
}

impl Series {
    pub fn of_runs(identity: Identity, costs: &[Option<Costs>]) -> Self {
        let by_round = |metric: Metric| {
            costs.iter().map(|costs| costs.as_ref().and_then(|costs| metric.of(costs))).collect()
        };
        let all = OF_A_RUN.into_iter().chain([Metric::Load]);
        let values: Values = all.map(|metric| (metric, by_round(metric))).collect();
        Self::of_values(identity, values)
    }

    /// A metric without any value is left out.
    pub fn of_values(identity: Identity, mut values: Values) -> Self {
        values.retain(|_, values| values.iter().any(Option::is_some));
        Self { identity, values }
    }

    pub fn of_count(identity: Identity, metric: Metric, value: f64) -> Self {
        Self { identity, values: BTreeMap::from([(metric, vec![Some(value)])]) }
    }

    /// Adds further metrics.
    pub fn add(&mut self, values: Values) {
        self.values.extend(values);
    }

    pub fn name(&self) -> &str {
        &self.identity.name
    }

    pub fn metrics(&self) -> impl Iterator<Item = Metric> + '_ {
        self.values.keys().copied()
    }

    pub fn has(&self, metric: Metric) -> bool {
        self.values.contains_key(&metric)
    }

    pub fn rounds(&self) -> usize {
        self.values.values().map(Vec::len).max().unwrap_or(0)
    }

    pub fn by_round(&self, metric: Metric) -> &[Option<f64>] {
        self.values.get(&metric).map_or(&[], Vec::as_slice)
    }

    pub fn samples(&self, metric: Metric) -> Vec<f64> {
        self.by_round(metric).iter().copied().flatten().collect()
    }

    pub fn median(&self, metric: Metric) -> Option<f64> {
        stats::median(&self.samples(metric))
    }

    pub fn against(&self, base: &Self, metric: Metric) -> Option<Estimate> {
        stats::compare(self.by_round(metric), base.by_round(metric))
    }
}

impl Row {
    pub fn named(&self, name: &str) -> Option<&Series> {
        self.series.iter().find(|series| series.name() == name)
    }

    /// Adds a series, or its values to the series of the same contender.
    pub fn add(&mut self, series: Series) {
        match self.series.iter_mut().find(|known| known.name() == series.name()) {
            None => self.series.push(series),
            Some(known) => known.values.extend(series.values),
        }
    }

    /// Adds the rounds of `more`, the same row measured again, for some contenders or all. The
    /// others have no values in these rounds.
    pub fn continue_with(&mut self, more: &Self) {
        let metrics = more.series.iter().flat_map(Series::metrics);
        let metrics: BTreeSet<Metric> = metrics.filter(|metric| !metric.is_exact()).collect();
        for metric in metrics {
            let rounds = |row: &Self| row.series.iter().map(|one| one.by_round(metric).len()).max();
            let (before, after) = (rounds(self).unwrap_or(0), rounds(more).unwrap_or(0));
            for series in &mut self.series {
                let further = more.named(series.name()).map_or(&[][..], |one| one.by_round(metric));
                if let Some(values) = series.values.get_mut(&metric) {
                    values.resize(before, None);
                    values.extend(further);
                    values.resize(before + after, None);
                }
            }
        }
    }

    /// The one of `names` with the best median.
    pub fn best_of(&self, names: &[&str], metric: Metric) -> Option<&Series> {
        let entrants = self.series.iter().filter(|series| names.contains(&series.name()));
        let scored = entrants.filter_map(|series| Some((series.median(metric)?, series)));
        let worth = |score: f64| if metric.higher_is_better() { -score } else { score };
        scored
            .min_by(|left, right| worth(left.0).total_cmp(&worth(right.0)))
            .map(|(_, series)| series)
    }

    pub fn label(&self) -> String {
        label(&self.workload, &self.params)
    }

    /// The median over the contenders of each one's own scatter.
    pub fn noise(&self, metric: Metric) -> Option<f64> {
        let each = self.series.iter().filter_map(|series| stats::noise(&series.samples(metric)));
        stats::median(&each.collect::<Vec<_>>())
    }
}

/// How a row is called: the workload with its parameters.
pub fn label(workload: &str, params: &Map<String, Value>) -> String {
    let value = |value: &Value| value.as_str().map_or(value.to_string(), str::to_string);
    let parameters = params.iter().map(|(name, given)| match name.as_str() {
        "threads" => format!(" ×{}", value(given)),
        _ => format!(" {}", value(given)),
    });
    workload.to_string() + &parameters.collect::<String>()
}

#[cfg(test)]
mod tests {
    //! Rows that are measured further.
    use std::path::PathBuf;

    use super::*;

    fn row(series: &[(&str, &[f64])]) -> Row {
        let of = |(name, values): &(&str, &[f64])| {
            let identity = Identity {
                name: name.to_string(),
                version: String::new(),
                library: PathBuf::new(),
                loaded: true,
                settings: Vec::new(),
            };
            let values = values.iter().copied().map(Some).collect();
            Series::of_values(identity, Values::from([(Metric::Wall, values)]))
        };
        let (suite, workload) = ("x".to_string(), "w".to_string());
        Row { suite, workload, params: Map::new(), series: series.iter().map(of).collect() }
    }

    #[test]
    fn further_rounds_keep_their_places() {
        let mut all = row(&[("a", &[1.0, 2.0]), ("b", &[3.0, 4.0]), ("c", &[5.0])]);
        all.continue_with(&row(&[("c", &[6.0]), ("a", &[7.0])]));
        let of = |name: &str| all.named(name).expect("a series").by_round(Metric::Wall).to_vec();
        assert_eq!(of("a"), [Some(1.0), Some(2.0), Some(7.0)]);
        assert_eq!(of("b"), [Some(3.0), Some(4.0), None]);
        assert_eq!(of("c"), [Some(5.0), None, Some(6.0)]);
    }
}
