//! Two files of results, compared: a change per workload, contender and metric.
//!
//! The rounds of two sessions make no pairs, so the intervals are those of [`crate::unpaired`]. All
//! of them hold together with the stated confidence, if only the rounds scatter: what else differs
//! between two sessions is in no interval.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::digits;
use crate::metric::Metric;
use crate::record::Failed;
use crate::row::{self, Row, Series};
use crate::stats;
use crate::unpaired;

#[derive(Clone, Debug)]
pub struct Rules {
    /// The share above which a loss is a regression; none if nothing is.
    pub fail_above: Option<f64>,
    /// Metrics to compare; all if empty.
    pub metrics: Vec<Metric>,
    /// The probability that all intervals hold together.
    pub confidence: f64,
    /// A gain or loss counts from this share on.
    pub smallest: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { fail_above: None, metrics: Vec::new(), confidence: 0.95, smallest: 0.01 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Measurably worse, by more than the limit.
    Regression,
    Worse,
    Better,
    /// Not worse by more than the limit.
    Within,
    /// The interval reaches from 1 beyond the limit.
    CannotTell,
}

/// One side of a change.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    pub version: String,
    pub n: usize,
    pub median: f64,
}

/// One contender in one metric of one workload, new against old.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub contender: String,
    pub metric: Metric,
    pub unit: &'static str,
    pub old: Side,
    pub new: Side,
    /// The median of all ratios new / old; infinite if the old value is 0.
    pub ratio: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub outcome: Outcome,
}

/// A value that only one of the files has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub contender: String,
    /// None if the contender is missing in all of them.
    pub metric: Option<Metric>,
    pub missing_in: &'static str,
}

#[derive(Clone, Debug, Default)]
pub struct Diff {
    pub changes: Vec<Change>,
    pub missing: Vec<Missing>,
    /// Failures that the old results do not have.
    pub broken: Vec<Failed>,
    /// How many intervals share the confidence.
    pub compared: usize,
    /// The fewest rounds on both sides that have an interval.
    pub fewest_rounds: usize,
}

impl Change {
    pub fn label(&self) -> String {
        row::label(&self.workload, &self.params)
    }

    /// "×1.23" and "[1.20, 1.26]".
    pub fn shown(&self) -> (String, String) {
        match (self.low, self.high) {
            _ if self.ratio.is_infinite() => ("more than 0".to_string(), String::new()),
            (Some(low), Some(high)) if high.is_finite() => digits::ratio(self.ratio, low, high),
            (Some(low), Some(_)) => (format!("×{:.2}", self.ratio), format!("[{low:.2}, ∞]")),
            _ => (format!("×{:.2}", self.ratio), "no interval".to_string()),
        }
    }
}

impl Missing {
    pub fn line(&self) -> String {
        let metric = self.metric.map_or(String::new(), |metric| format!(", {}", metric.title()));
        let label = row::label(&self.workload, &self.params);
        format!("{label}, {}{metric}: not in the {} results", self.contender, self.missing_in)
    }
}

impl Diff {
    pub fn of(old: (&[Row], &[Failed]), new: (&[Row], &[Failed]), rules: &Rules) -> Self {
        let wants = |metric: Metric| rules.metrics.is_empty() || rules.metrics.contains(&metric);
        let mut diff = Self::default();
        let mut pairs = Vec::new();
        for (row, series) in all(new.0) {
            let Some(base) = counterpart(old.0, row, series) else {
                diff.missing.push(missing(row, series, None, "old"));
                continue;
            };
            for metric in series.metrics().filter(|metric| wants(*metric) && !metric.is_signed()) {
                match (base.median(metric), series.median(metric)) {
                    (Some(_), Some(_)) => pairs.push((row, base, series, metric)),
                    (None, Some(_)) => diff.missing.push(missing(row, series, Some(metric), "old")),
                    _ => (),
                }
            }
        }
        for (row, series) in all(old.0) {
            let Some(found) = counterpart(new.0, row, series) else {
                diff.missing.push(missing(row, series, None, "new"));
                continue;
            };
            for metric in series.metrics().filter(|metric| wants(*metric) && !metric.is_signed()) {
                if series.median(metric).is_some() && found.median(metric).is_none() {
                    diff.missing.push(missing(row, series, Some(metric), "new"));
                }
            }
        }
        diff.compared = pairs.iter().filter(|(.., metric)| !metric.is_exact()).count();
        let miss = (1.0 - rules.confidence) / diff.compared.max(1) as f64;
        diff.fewest_rounds = unpaired::fewest(miss);
        let change = |(row, base, series, metric)| change(row, base, series, metric, rules, miss);
        diff.changes = pairs.into_iter().filter_map(change).collect();
        diff.broken =
            new.1.iter().filter(|one| !old.1.iter().any(|it| is_same(it, one))).cloned().collect();
        diff
    }

    pub fn count(&self, outcome: Outcome) -> usize {
        self.changes.iter().filter(|change| change.outcome == outcome).count()
    }

    /// Values that only the old results have. Nobody knows whether they got worse.
    pub fn unjudged(&self) -> impl Iterator<Item = &Missing> {
        self.missing.iter().filter(|it| it.missing_in == "new")
    }

    /// Whether something got worse: by more than the limit, or so that it fails.
    pub fn is_worse(&self) -> bool {
        self.count(Outcome::Regression) > 0 || !self.broken.is_empty()
    }
}

fn all(rows: &[Row]) -> impl Iterator<Item = (&Row, &Series)> {
    rows.iter().flat_map(|row| row.series.iter().map(move |series| (row, series)))
}

fn counterpart<'a>(rows: &'a [Row], row: &Row, series: &Series) -> Option<&'a Series> {
    let is_its = |other: &&Row| {
        (&other.suite, &other.workload, &other.params) == (&row.suite, &row.workload, &row.params)
    };
    rows.iter().find(is_its)?.named(series.name())
}

fn is_same(one: &Failed, other: &Failed) -> bool {
    let of = |it: &Failed| (it.suite.clone(), it.label(), it.failure.contender.clone());
    of(one) == of(other)
}

fn missing(row: &Row, series: &Series, metric: Option<Metric>, from: &'static str) -> Missing {
    Missing {
        suite: row.suite.clone(),
        workload: row.workload.clone(),
        params: row.params.clone(),
        contender: series.name().to_string(),
        metric,
        missing_in: from,
    }
}

fn change(
    row: &Row,
    base: &Series,
    series: &Series,
    metric: Metric,
    rules: &Rules,
    miss: f64,
) -> Option<Change> {
    let (values, base_values) = (series.samples(metric), base.samples(metric));
    let side = |series: &Series, values: &[f64]| {
        let version = series.identity.version.clone();
        Some(Side { version, n: values.len(), median: stats::median(values)? })
    };
    let (old, new) = (side(base, &base_values)?, side(series, &values)?);
    let ratio = unpaired::ratio(new.median, old.median);
    let (ratio, interval) = match unpaired::change(&values, &base_values, miss) {
        _ if metric.is_exact() => (ratio, Some((ratio, ratio))),
        Some(change) => (change.median, change.interval),
        None => (ratio, None),
    };
    Some(Change {
        suite: row.suite.clone(),
        workload: row.workload.clone(),
        params: row.params.clone(),
        contender: series.name().to_string(),
        metric,
        unit: metric.unit(),
        old,
        new,
        ratio,
        low: interval.map(|(low, _)| low),
        high: interval.map(|(_, high)| high),
        outcome: outcome(ratio, interval, metric.higher_is_better(), rules),
    })
}

fn outcome(ratio: f64, interval: Option<(f64, f64)>, higher: bool, rules: &Rules) -> Outcome {
    let Some((low, high)) = interval else {
        return Outcome::CannotTell;
    };
    // As if less were better.
    let (ratio, low, high) =
        if higher { (1.0 / ratio, 1.0 / high, 1.0 / low) } else { (ratio, low, high) };
    let limit = 1.0 + rules.fail_above.unwrap_or(rules.smallest);
    if low > 1.0 && ratio > limit && rules.fail_above.is_some() {
        Outcome::Regression
    } else if low > 1.0 && ratio >= 1.0 + rules.smallest {
        Outcome::Worse
    } else if high < 1.0 && ratio <= 1.0 - rules.smallest {
        Outcome::Better
    } else if high <= limit {
        Outcome::Within
    } else {
        Outcome::CannotTell
    }
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
