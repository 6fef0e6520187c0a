//! The records of the result schema, which docs/results.md describes. A file of results has one
//! record a line; the page embeds the same objects.

mod rows;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::machine::Machine;
use crate::memory;
use crate::metric::Metric;
use crate::number::Number;
use crate::prove::{self, Identity};
use crate::row::{self, Row, Series};
use crate::stats;

pub use rows::rows_of;

/// The version of the schema, on each line and in the page. A reader refuses all others.
pub const VERSION: u32 = 2;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Record {
    Sample(Box<Sample>),
    Ratio(Box<Ratio>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    Lower,
    Higher,
}

/// All rounds of one contender in one metric. `low` and `high` are the median's 95 % interval, null
/// if there are fewer rounds than an interval needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub contender: String,
    pub version: String,
    pub settings: Vec<(String, String)>,
    pub metric: Metric,
    pub unit: String,
    pub better: Better,
    /// The rounds that have a value.
    pub n: usize,
    pub median: Number,
    pub low: Option<Number>,
    pub high: Option<Number>,
    /// In the order of the rounds; null for a round without a value.
    pub samples: Vec<Option<Number>>,
    pub machine: Machine,
    pub command: String,
    pub created: String,
    pub loaded: bool,
    pub library: String,
}

/// One contender against another: the median of the per-round ratios with its 95 % interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ratio {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub metric: Metric,
    pub contender: String,
    pub baseline: String,
    pub n: usize,
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

/// A contender under which the workload could not be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "FlatFailed")]
pub struct Failed {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    #[serde(flatten)]
    pub failure: Failure,
}

/// The same without flattening, which would accept unknown fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlatFailed {
    suite: String,
    workload: String,
    params: Map<String, Value>,
    contender: String,
    exit: Option<i32>,
    signal: Option<String>,
    why: String,
    stderr_tail: String,
}

/// How often a workload ran under a contender and how often it failed, if it failed under any but no
/// more often under one than chance explains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempts {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub contender: String,
    pub runs: usize,
    pub failed_runs: usize,
    /// Of the first failure, as in `Failure`; without one, nothing.
    pub exit: Option<i32>,
    pub signal: Option<String>,
    pub why: String,
    pub stderr_tail: String,
}

/// The memory of one run over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub contender: String,
    /// From 1.
    pub run: usize,
    /// The quantity: "pss" or "rss".
    pub metric: memory::Source,
    pub unit: String,
    /// Seconds since the start.
    pub t_s: Vec<Number>,
    /// As many as `t_s`.
    pub values: Vec<Number>,
}

/// Advice for the code of a workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodeAdvice {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    /// As `heapsmith advise --json` writes it.
    pub advice: Value,
}

/// A figure that somebody else published for a workload, measured on another machine. It stands
/// beside the measured values and is compared with none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub metric: Metric,
    pub unit: String,
    pub contender: String,
    pub value: Number,
    /// Where it was published, and what it was measured on.
    pub source: String,
}

/// The proof: a program, its first process, and the library that serves malloc in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Process {
    pub suite: String,
    pub workload: String,
    pub params: Map<String, Value>,
    pub contender: String,
    pub pid: i32,
    pub program: String,
    pub library: String,
    pub version: String,
    /// Whether it has malloc in reach, or memory that it has allocated otherwise.
    pub allocates: bool,
}

impl From<FlatFailed> for Failed {
    fn from(flat: FlatFailed) -> Self {
        let FlatFailed { suite, workload, params, .. } = flat;
        let FlatFailed { contender, exit, signal, why, stderr_tail, .. } = flat;
        let failure = Failure { contender, exit, signal, why, stderr_tail };
        Self { suite, workload, params, failure }
    }
}

impl Failed {
    pub fn label(&self) -> String {
        row::label(&self.workload, &self.params)
    }
}

impl Sample {
    pub fn identity(&self) -> Identity {
        Identity {
            name: self.contender.clone(),
            version: self.version.clone(),
            settings: self.settings.clone(),
            library: self.library.clone().into(),
            loaded: self.loaded,
        }
    }

    pub fn label(&self) -> String {
        row::label(&self.workload, &self.params)
    }

    /// The values of the rounds that have one.
    pub fn values(&self) -> Vec<f64> {
        self.samples.iter().flatten().map(|value| value.0).collect()
    }
}

/// Where, when and how the records of a session were made.
#[derive(Clone, Debug)]
pub struct Provenance {
    pub machine: Machine,
    pub command: String,
    pub created: String,
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
    let by_round = series.by_round(metric).iter();
    Some(Record::Sample(Box::new(Sample {
        suite: row.suite.clone(),
        workload: row.workload.clone(),
        params: row.params.clone(),
        contender: identity.name.clone(),
        version: identity.version.clone(),
        settings: identity.settings.clone(),
        metric,
        unit: metric.unit().to_string(),
        better: if metric.higher_is_better() { Better::Higher } else { Better::Lower },
        n: values.len(),
        median: Number(median),
        low: low.map(Number),
        high: high.map(Number),
        samples: by_round.map(|value| value.map(Number)).collect(),
        machine: provenance.machine.clone(),
        command: provenance.command.clone(),
        created: provenance.created.clone(),
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
        let metrics: Vec<Metric> = series.metrics().collect();
        let of_metric = |metric| ratio(row, series, base, metric);
        metrics.into_iter().filter_map(of_metric).collect::<Vec<_>>()
    };
    others.flat_map(of_series).collect()
}

pub fn ratio(row: &Row, series: &Series, base: &Series, metric: Metric) -> Option<Record> {
    if metric.is_signed() {
        return None;
    }
    let estimate = series.against(base, metric)?;
    Some(Record::Ratio(Box::new(Ratio {
        suite: row.suite.clone(),
        workload: row.workload.clone(),
        params: row.params.clone(),
        metric,
        contender: series.name().to_string(),
        baseline: base.name().to_string(),
        n: estimate.n,
        median: estimate.median,
        low: estimate.low,
        high: estimate.high,
    })))
}

/// The memory of run `run` under `contender`, as a record of `row`.
pub fn curve(row: &Row, contender: &str, run: usize, curve: &memory::Curve) -> Curve {
    let numbers = |values: &[f64]| values.iter().map(|value| Number(*value)).collect();
    Curve {
        suite: row.suite.clone(),
        workload: row.workload.clone(),
        params: row.params.clone(),
        contender: contender.to_string(),
        run,
        metric: curve.source,
        unit: "bytes".to_string(),
        t_s: numbers(&curve.t_s),
        values: numbers(&curve.values),
    }
}

/// A program of the proof under `contender`, as a record of `row`.
pub fn process(row: &Row, contender: &str, process: &prove::Process) -> Process {
    Process {
        suite: row.suite.clone(),
        workload: row.workload.clone(),
        params: row.params.clone(),
        contender: contender.to_string(),
        pid: process.pid,
        program: process.program.display().to_string(),
        library: process.library.display().to_string(),
        version: process.version.clone(),
        allocates: process.allocates,
    }
}
