//! The verdict and the numbers as plain HTML, which the page shows where scripts are disabled.

use heapsmith_trace::printable::lines;
use serde::Serialize;
use serde_json::Value;

use super::data::Page;
use crate::metric::Metric;
use crate::record::{CodeAdvice, Failed, Record, Sample};
use crate::row;
use crate::verdict::Judgement;

pub fn render(page: &Page) -> String {
    let verdict = page.verdict.map(verdict).unwrap_or_default();
    let failures: String = page.failures.iter().map(failure).collect();
    let advice: String = page.advice.iter().map(advice).collect();
    let samples: Vec<&Sample> = page.records.iter().filter_map(as_sample).collect();
    let mut labels: Vec<(&str, String)> = samples.iter().map(|sample| place(sample)).collect();
    labels.dedup();
    let tables: String = labels.iter().map(|of| table(of, &samples)).collect();
    [verdict, failures, tables, advice].concat()
}

fn as_sample(record: &Record) -> Option<&Sample> {
    match record {
        Record::Sample(sample) => Some(sample),
        Record::Ratio(_) => None,
    }
}

fn place(sample: &Sample) -> (&str, String) {
    (&sample.suite, row::label(&sample.workload, &sample.params))
}

fn verdict(judgement: &Judgement) -> String {
    let goals: String = judgement
        .goals
        .iter()
        .map(|goal| format!("<dt>{}</dt><dd>{}</dd>", name_of(goal.goal), text(&goal.sentence)))
        .collect();
    let remedy = judgement.remedy.as_deref().map(|remedy| format!("<p>{}</p>", text(remedy)));
    let advice = judgement.advice.as_ref().filter(|advice| !advice.line.is_empty());
    let line = advice.map(|advice| format!("<pre>{}</pre>", text(&advice.line)));
    format!(
        "<h1>{}</h1>{}{}<dl>{goals}</dl>",
        text(&judgement.headline),
        remedy.unwrap_or_default(),
        line.unwrap_or_default()
    )
}

/// `smallest_at_peak` as "smallest at peak".
fn name_of(goal: impl Serialize) -> String {
    match serde_json::to_value(goal) {
        Ok(Value::String(name)) => text(&name.replace('_', " ")),
        _ => String::new(),
    }
}

fn failure(failed: &Failed) -> String {
    format!("<p>{}: {}</p>", text(&failed.label()), text(&failed.failure.line()))
}

/// The changes of the code that pay, and the places.
fn advice(of: &CodeAdvice) -> String {
    let pieces = of.advice["pieces"].as_array().into_iter().flatten();
    let changes = pieces.map(|piece| {
        let saved = |what: &str| 100.0 * piece["gain"][what]["median"].as_f64().unwrap_or_default();
        let places = piece["places"].as_array().into_iter().flatten();
        let names: Vec<&str> = places.filter_map(|it| it["name"].as_str()).collect();
        let title = piece["title"].as_str().unwrap_or_default();
        format!(
            "<li>{}, in {}: saves {:.1} % of the time and {:.1} % of the peak</li>",
            text(title),
            text(&names.join("; ")),
            saved("time"),
            saved("peak")
        )
    });
    let changes: String = changes.collect();
    if changes.is_empty() {
        return String::new();
    }
    format!("<p>Changes of the code of {}:</p><ul>{changes}</ul>", text(&of.workload))
}

/// The contenders of one workload, with their medians and the intervals of these.
fn table(of: &(&str, String), samples: &[&Sample]) -> String {
    let here: Vec<&&Sample> = samples.iter().filter(|sample| place(sample) == *of).collect();
    let mut metrics: Vec<Metric> = here.iter().map(|sample| sample.metric).collect();
    metrics.sort();
    metrics.dedup();
    let mut contenders: Vec<&str> = here.iter().map(|sample| sample.contender.as_str()).collect();
    contenders.dedup();
    let heads: String =
        metrics.iter().map(|metric| format!("<th>{}</th>", metric.title())).collect();
    let cell = |contender: &str, metric: Metric| {
        let found =
            here.iter().find(|sample| sample.contender == contender && sample.metric == metric);
        format!("<td>{}</td>", found.map_or("–".to_string(), |sample| value(sample)))
    };
    let rows = contenders.iter().map(|contender| {
        let cells: String = metrics.iter().map(|metric| cell(contender, *metric)).collect();
        format!("<tr><th>{}</th>{cells}</tr>", text(contender))
    });
    format!(
        "<div class=\"scroll\"><table><caption>{}</caption><thead><tr><th>contender</th>{heads}\
         </tr></thead><tbody>{}</tbody></table></div>",
        text(&of.1),
        rows.collect::<String>()
    )
}

fn value(sample: &Sample) -> String {
    let show = |value: f64| sample.metric.show(value);
    let median = show(sample.median.0);
    match (sample.low, sample.high) {
        (Some(low), Some(high)) if low < high => {
            format!("{median} <small>{} to {}</small>", show(low.0), show(high.0))
        }
        _ => median,
    }
}

/// Text of the results cannot become markup.
pub fn text(given: &str) -> String {
    lines(given).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests;
