//! The result schema. --json writes one line per object; the page embeds the same objects.

use serde::Serialize;
use serde_json::{Map, Number, Value};

use crate::failure::Failure;
use crate::machine::Machine;
use crate::metric::Metric;
use crate::row::{self, Row, Series};
use crate::stats::{self, Verdict};

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Record {
    Sample(Box<Sample>),
    Ratio(Box<Ratio>),
}

/// All rounds of one contender in one metric. `low` and `high` are the median's 95 % interval, null
/// where there are fewer rounds than an interval needs.
#[derive(Debug, Serialize)]
pub struct Sample {
    suite: String,
    workload: String,
    params: Map<String, Value>,
    contender: String,
    version: String,
    metric: &'static str,
    unit: &'static str,
    better: &'static str,
    n: usize,
    median: Value,
    low: Option<Value>,
    high: Option<Value>,
    samples: Vec<Value>,
    machine: Machine,
    command: String,
    loaded: bool,
    library: String,
}

/// One contender against another: the median of the per-round ratios with its 95 % interval.
#[derive(Debug, Serialize)]
pub struct Ratio {
    suite: String,
    workload: String,
    params: Map<String, Value>,
    metric: &'static str,
    contender: String,
    baseline: String,
    n: usize,
    median: f64,
    low: f64,
    high: f64,
    verdict: Verdict,
}

/// A contender under which the workload could not be measured.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    #[serde(flatten)]
    pub failure: Failure,
}

impl Failed {
    pub fn label(&self) -> String {
        row::label(&self.workload, &self.params)
    }
}

/// Where and how the records of a session were made.
#[derive(Clone, Debug)]
pub struct Provenance {
    pub machine: Machine,
    pub command: String,
}

pub fn samples(row: &Row, provenance: &Provenance) -> Vec<Record> {
    let of_series = |series: &Series| {
        let metrics: Vec<Metric> = series.metrics().collect();
        let of_metric = |metric| sample(row, series, metric, provenance);
        metrics.into_iter().filter_map(of_metric).collect::<Vec<_>>()
    };
    row.series.iter().flat_map(of_series).collect()
}

fn sample(row: &Row, series: &Series, metric: Metric, provenance: &Provenance) -> Option<Record> {
    let values = series.samples(metric);
    let median = stats::median(&values)?;
    let (low, high) = interval(metric, &values).unzip();
    let identity = &series.identity;
    Some(Record::Sample(Box::new(Sample {
        suite: row.suite.clone(),
        workload: row.workload.clone(),
        params: row.params.clone(),
        contender: identity.name.clone(),
        version: identity.version.clone(),
        metric: metric.name(),
        unit: metric.unit(),
        better: if metric.higher_is_better() { "higher" } else { "lower" },
        n: values.len(),
        median: number(median),
        low: low.map(number),
        high: high.map(number),
        samples: values.into_iter().map(number).collect(),
        machine: provenance.machine.clone(),
        command: provenance.command.clone(),
        loaded: identity.loaded,
        library: identity.library.display().to_string(),
    })))
}

fn interval(metric: Metric, values: &[f64]) -> Option<(f64, f64)> {
    if metric.is_exact() {
        return values.first().map(|value| (*value, *value));
    }
    stats::estimate(values).map(|estimate| (estimate.low, estimate.high))
}

/// Every other contender against `baseline`, in every metric that has enough rounds.
pub fn ratios(row: &Row, baseline: &str) -> Vec<Record> {
    let Some(base) = row.named(baseline) else {
        return Vec::new();
    };
    let others = row.series.iter().filter(|series| series.name() != baseline);
    let of_series = |series: &Series| {
        let metrics: Vec<Metric> = series.metrics().filter(|metric| !metric.is_signed()).collect();
        let of_metric = |metric| ratio(row, series, base, metric);
        metrics.into_iter().filter_map(of_metric).collect::<Vec<_>>()
    };
    others.flat_map(of_series).collect()
}

pub fn ratio(row: &Row, series: &Series, base: &Series, metric: Metric) -> Option<Record> {
    let estimate = series.against(base, metric)?;
    Some(Record::Ratio(Box::new(Ratio {
        suite: row.suite.clone(),
        workload: row.workload.clone(),
        params: row.params.clone(),
        metric: metric.name(),
        contender: series.name().to_string(),
        baseline: base.name().to_string(),
        n: estimate.n,
        median: estimate.median,
        low: estimate.low,
        high: estimate.high,
        verdict: estimate.verdict_on(metric.higher_is_better()),
    })))
}

/// Counts and bytes as JSON integers where they are whole.
fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// A failure as a line of its own kind.
#[derive(Serialize)]
struct FailureLine<'a> {
    kind: &'static str,
    #[serde(flatten)]
    failed: &'a Failed,
}

/// Records and failures as JSON lines.
pub fn json_lines(records: &[Record], failures: &[Failed]) -> serde_json::Result<String> {
    let mut text = String::new();
    for record in records {
        text += &(serde_json::to_string(record)? + "\n");
    }
    for failed in failures {
        text += &(serde_json::to_string(&FailureLine { kind: "failure", failed })? + "\n");
    }
    Ok(text)
}
