//! Results for spreadsheets and for text: CSV and tables of Markdown.

use anyhow::Result;
use heapsmith_trace::printable::{markdown as code, name};
use serde_json::{Map, Value};

use crate::digits;
use crate::metric::Metric;
use crate::record::{Better, Ratio, Record, Sample};
use crate::results::Results;
use crate::verdict::{Comparison, Outcome};

const HEADS: [&str; 20] = [
    "suite",
    "workload",
    "params",
    "contender",
    "version",
    "settings",
    "metric",
    "unit",
    "better",
    "n",
    "median",
    "low",
    "high",
    "min",
    "max",
    "baseline",
    "ratio",
    "ratio_low",
    "ratio_high",
    "outcome",
];

/// A contender against the baseline: as the verdict says, or else a ratio without an outcome.
struct Change<'a> {
    baseline: &'a str,
    median: f64,
    low: Option<f64>,
    high: Option<f64>,
    outcome: Option<Outcome>,
}

fn samples(results: &Results) -> impl Iterator<Item = &Sample> {
    results.records.iter().filter_map(|record| match record {
        Record::Sample(sample) => Some(&**sample),
        Record::Ratio(_) => None,
    })
}

fn change<'a>(results: &'a Results, sample: &Sample) -> Option<Change<'a>> {
    let place = (&sample.suite, &sample.workload, &sample.params, &sample.contender);
    let compared = results.verdict.iter().flat_map(|verdict| &verdict.comparisons);
    let of_comparison = |one: &'a Comparison| {
        let Comparison { suite, workload, params, contender, .. } = one;
        let fits = (suite, workload, params, contender) == place;
        let fits = fits && one.metric == sample.metric.name();
        let Comparison { baseline, low, high, outcome, .. } = one;
        let change =
            |median| Change { baseline, median, low: *low, high: *high, outcome: Some(*outcome) };
        one.median.filter(|_| fits).map(change)
    };
    let of_ratio = |record: &'a Record| {
        let Record::Ratio(ratio) = record else { return None };
        let Ratio { suite, workload, params, contender, .. } = &**ratio;
        let fits = (suite, workload, params, contender) == place && ratio.metric == sample.metric;
        let Ratio { baseline, median, low, high, .. } = &**ratio;
        let change =
            Change { baseline, median: *median, low: Some(*low), high: Some(*high), outcome: None };
        fits.then_some(change)
    };
    let ratio = || results.records.iter().find_map(of_ratio);
    compared.into_iter().find_map(of_comparison).or_else(ratio)
}

/// A line for each contender, workload and metric.
pub fn csv(results: &Results) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(HEADS)?;
    for sample in samples(results) {
        let change = change(results, sample);
        let of_change = |get: fn(&Change) -> Option<f64>| number(change.as_ref().and_then(get));
        let values = sample.values();
        let outcome = change.as_ref().and_then(|change| change.outcome);
        writer.write_record([
            sample.suite.clone(),
            name(&sample.workload).into_owned(),
            name(&params(&sample.params)).into_owned(),
            sample.contender.clone(),
            sample.version.clone(),
            settings(&sample.settings),
            sample.metric.name().to_string(),
            sample.unit.clone(),
            if sample.better == Better::Lower { "lower" } else { "higher" }.to_string(),
            sample.n.to_string(),
            sample.median.0.to_string(),
            number(sample.low.map(|low| low.0)),
            number(sample.high.map(|high| high.0)),
            number(values.iter().copied().reduce(f64::min)),
            number(values.iter().copied().reduce(f64::max)),
            change.as_ref().map_or(String::new(), |change| change.baseline.to_string()),
            of_change(|change| Some(change.median)),
            of_change(|change| change.low),
            of_change(|change| change.high),
            outcome.map_or(Ok(String::new()), word)?,
        ])?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// The word that JSON has.
fn word(outcome: Outcome) -> Result<String> {
    Ok(serde_json::to_value(outcome)?.as_str().unwrap_or_default().to_string())
}

/// "threads=4;size=large".
fn params(params: &Map<String, Value>) -> String {
    let value = |value: &Value| value.as_str().map_or(value.to_string(), str::to_string);
    let pairs: Vec<_> = params.iter().map(|(name, it)| format!("{name}={}", value(it))).collect();
    pairs.join(";")
}

fn settings(settings: &[(String, String)]) -> String {
    let pairs: Vec<_> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    pairs.join(";")
}

/// A table for each workload: a line per contender, and two columns per metric.
pub fn markdown(results: &Results) -> String {
    let mut labels: Vec<String> = Vec::new();
    for sample in samples(results) {
        if !labels.contains(&sample.label()) {
            labels.push(sample.label());
        }
    }
    let tables = labels.iter().map(|label| {
        let own: Vec<&Sample> = samples(results).filter(|it| it.label() == *label).collect();
        let head =
            if labels.len() > 1 { format!("### {}\n\n", code(label)) } else { String::new() };
        head + &table(results, &own)
    });
    tables.collect::<Vec<_>>().join("\n")
}

fn table(results: &Results, samples: &[&Sample]) -> String {
    let mut metrics: Vec<Metric> = Vec::new();
    let mut contenders: Vec<&str> = Vec::new();
    for sample in samples {
        if !metrics.contains(&sample.metric) {
            metrics.push(sample.metric);
        }
        if !contenders.contains(&sample.contender.as_str()) {
            contenders.push(&sample.contender);
        }
    }
    let heads = metrics.iter().map(|metric| format!(" {} | Relative |", capital(metric.title())));
    let mut text = format!("| Allocator |{}\n", heads.collect::<String>());
    text += &format!("|:---|{}\n", "---:|---:|".repeat(metrics.len()));
    for contender in contenders {
        text += &format!("| {} |", code(contender));
        for metric in &metrics {
            let is_its = |it: &&&Sample| it.contender == contender && it.metric == *metric;
            let sample = samples.iter().find(is_its);
            text += &sample.map_or(" – | – |".to_string(), |it| cells(results, it));
        }
        text += "\n";
    }
    text
}

fn cells(results: &Results, sample: &Sample) -> String {
    let (metric, median) = (sample.metric, sample.median.0);
    let value = match (sample.low, sample.high) {
        (Some(low), Some(high)) => metric.show_within(median, low.0, high.0),
        _ => metric.show(median),
    };
    let relative = match change(results, sample) {
        Some(Change { median, low: Some(low), high: Some(high), .. }) => {
            let (ratio, interval) = digits::ratio(median, low, high);
            format!("{} {interval}", ratio.trim_start_matches('×'))
        }
        Some(Change { median, .. }) => format!("{median:.2}"),
        None if is_baseline(results, sample) => "1".to_string(),
        None => "–".to_string(),
    };
    format!(" {value} | {relative} |")
}

fn is_baseline(results: &Results, sample: &Sample) -> bool {
    let judged = results.verdict.iter().flat_map(|verdict| &verdict.comparisons);
    let compared = results.records.iter().filter_map(|record| match record {
        Record::Ratio(ratio) => Some(&ratio.baseline),
        Record::Sample(_) => None,
    });
    judged.map(|one| &one.baseline).chain(compared).any(|name| *name == sample.contender)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests;
