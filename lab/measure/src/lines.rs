//! Results as lines of JSON, written and read. A reader refuses everything that it does not know,
//! and names the file, the line and what it expected.

use std::fmt::Display;
use std::io::{self, BufRead, Read};

use anyhow::{Result, anyhow};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::usage;
use crate::metric::Metric;
use crate::record::{
    Attempts, CodeAdvice, Curve, Failed, Process, Published, Ratio, Record, Sample, VERSION,
};
use crate::verdict::Judgement;

const KINDS: [&str; 9] = [
    "sample",
    "ratio",
    "failure",
    "attempts",
    "curve",
    "process",
    "verdict",
    "advice",
    "published",
];
/// The lines of `heapsmith diff --json`, which are not results.
const KINDS_OF_DIFF: [&str; 5] = ["change", "missing", "diff", "site", "trace_diff"];

/// One line of a file of results.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Sample(Box<Sample>),
    Ratio(Box<Ratio>),
    Failure(Failed),
    Attempts(Attempts),
    Curve(Curve),
    Process(Process),
    Verdict(Judgement),
    Advice(CodeAdvice),
    Published(Published),
}

/// The judgement has a `kind` of its own, so it is a member of its line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictLine<J> {
    verdict: J,
}

/// `body` as a line that begins with its kind and the version of the schema.
pub fn write(kind: &str, body: &impl Serialize) -> Result<String> {
    let mut object = Map::new();
    object.insert("kind".to_string(), kind.into());
    object.insert("schema".to_string(), VERSION.into());
    let Value::Object(members) = serde_json::to_value(body)? else {
        return Err(anyhow!("a line of results must be an object"));
    };
    object.extend(members.into_iter().filter(|(name, _)| name != "kind"));
    Ok(serde_json::to_string(&object)? + "\n")
}

pub fn write_record(record: &Record) -> Result<String> {
    match record {
        Record::Sample(sample) => write("sample", sample),
        Record::Ratio(ratio) => write("ratio", ratio),
    }
}

pub fn write_verdict(verdict: &Judgement) -> Result<String> {
    write("verdict", &VerdictLine { verdict })
}

/// The lines of a file that is called `name` in messages.
pub fn read(name: &str, text: &str) -> Result<Vec<Line>> {
    read_from(name, text.as_bytes())
}

/// The same of a stream. It may have no end: nothing is read behind the first line that is wrong, nor
/// the rest of a long line that does not begin as an object.
pub fn read_from(name: &str, mut input: impl BufRead) -> Result<Vec<Line>> {
    const BEGIN: u64 = 4096;
    const LONGEST: u64 = 1 << 30;
    const MOST_EMPTY: u32 = 4096; // one behind the other
    let (mut lines, mut bytes, mut empty) = (Vec::new(), Vec::new(), 0);
    for number in 1.. {
        let wrong = |what: &dyn Display| usage(format!("{name}:{number}: {what}"));
        let failed = |error: io::Error| usage(format!("{name}: {error}"));
        bytes.clear();
        input.by_ref().take(BEGIN).read_until(b'\n', &mut bytes).map_err(failed)?;
        let begin = bytes.trim_ascii_start().first().copied();
        if begin == Some(b'{') && bytes.last() != Some(&b'\n') {
            input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).map_err(failed)?;
        }
        empty = if begin.is_none() { empty + 1 } else { 0 };
        if bytes.is_empty() {
            break;
        }
        if empty > MOST_EMPTY {
            return Err(wrong(&"too many empty lines; expected one JSON object a line"));
        }
        if begin.is_some() {
            let line = std::str::from_utf8(&bytes)
                .map_err(|_| wrong(&"not UTF-8; expected one JSON object a line"))?;
            lines.push(read_line(line).map_err(|what| wrong(&what))?);
        }
    }
    Ok(lines)
}

fn read_line(line: &str) -> Result<Line, String> {
    let value: Value = serde_json::from_str(line).map_err(not_json)?;
    let Value::Object(mut object) = value else {
        return Err("expected a JSON object on the line".to_string());
    };
    let kind = take_kind(&mut object)?;
    require_version(object.shift_remove("schema").as_ref(), &kind)?;
    let body = Value::Object(object);
    Ok(match kind.as_str() {
        "sample" => Line::Sample(Box::new(sound(parse(&kind, body)?)?)),
        "ratio" => Line::Ratio(Box::new(parse(&kind, body)?)),
        "failure" => Line::Failure(parse(&kind, body)?),
        "attempts" => Line::Attempts(parse(&kind, body)?),
        "curve" => Line::Curve(of_equal_lengths(parse(&kind, body)?)?),
        "process" => Line::Process(parse(&kind, body)?),
        "advice" => Line::Advice(parse(&kind, body)?),
        "published" => Line::Published(in_its_unit(parse(&kind, body)?)?),
        "verdict" => Line::Verdict(parse::<VerdictLine<Judgement>>(&kind, body)?.verdict),
        diff if KINDS_OF_DIFF.contains(&diff) => {
            return Err(format!(
                "a line of kind '{diff}' belongs to heapsmith diff; expected results of heapsmith \
                 try or ./dev bench"
            ));
        }
        other => {
            return Err(format!(
                "unknown kind '{other}'; expected one of {}. A newer heapsmith may have written \
                 the file",
                KINDS.join(", ")
            ));
        }
    })
}

fn not_json(error: serde_json::Error) -> String {
    // serde_json counts lines too, but it sees only this one.
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("column {}: {what}; expected one JSON object a line", error.column())
}

fn take_kind(object: &mut Map<String, Value>) -> Result<String, String> {
    match object.shift_remove("kind") {
        Some(Value::String(kind)) => Ok(kind),
        Some(other) => Err(format!("kind is {other}; expected a string")),
        None => Err(format!("no kind; expected one of {}", KINDS.join(", "))),
    }
}

fn require_version(found: Option<&Value>, kind: &str) -> Result<(), String> {
    match found {
        Some(version) if *version == VERSION => Ok(()),
        Some(version) => Err(format!(
            "{kind}: schema version {version}; this heapsmith reads version {VERSION} only"
        )),
        None => Err(format!(
            "{kind}: no schema version; expected \"schema\": {VERSION}. An older heapsmith may \
             have written the file: measure again"
        )),
    }
}

fn parse<T: DeserializeOwned>(kind: &str, body: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(body).map_err(|error| {
        let path = error.path().to_string();
        match path.as_str() {
            "." => format!("{kind}: {}", error.inner()),
            path => format!("{kind}: {path}: {}", error.inner()),
        }
    })
}

fn expected<T>(what: impl Display, found: impl Display) -> Result<T, String> {
    Err(format!("sample: expected {what}, found {found}"))
}

fn require_unit(kind: &str, metric: Metric, unit: &str) -> Result<(), String> {
    let own = metric.unit();
    if unit == own {
        return Ok(());
    }
    Err(format!("{kind}: expected {} in {own}, found {unit}", metric.name()))
}

/// The members that follow from others must agree with them.
fn sound(sample: Sample) -> Result<Sample, String> {
    require_unit("sample", sample.metric, &sample.unit)?;
    let values = sample.values().len();
    if values != sample.n {
        return expected(format!("n: {values}, the number of values in samples"), sample.n);
    }
    if values == 0 {
        return expected("at least one value", "none");
    }
    Ok(sample)
}

fn in_its_unit(published: Published) -> Result<Published, String> {
    require_unit("published", published.metric, &published.unit)?;
    Ok(published)
}

fn of_equal_lengths(curve: Curve) -> Result<Curve, String> {
    match (curve.t_s.len(), curve.values.len()) {
        (times, values) if times == values => Ok(curve),
        (times, values) => {
            Err(format!("curve: expected {times} values, as many as t_s, found {values}"))
        }
    }
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
