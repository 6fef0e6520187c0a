//! The rows of a suite's results that a target is about.

use std::collections::BTreeMap;

use heapsmith_measure::row::Row;
use serde::Deserialize;
use serde_json::Value;

use super::one_or_many::OneOrMany;

/// Rows by workload and parameters. In the names of workloads, `*` stands for any text.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    pub workload: Option<OneOrMany>,
    #[serde(default)]
    pub except: OneOrMany,
    #[serde(default)]
    params: BTreeMap<String, Wanted>,
}

/// A value, one of several, or a number between two.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Wanted {
    OneOf(Vec<Value>),
    Between(Between),
    Is(Value),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Between {
    from: Option<u64>,
    to: Option<u64>,
}

impl Rows {
    pub fn includes(&self, row: &Row) -> bool {
        let fits = |pattern: &String| matches(pattern, &row.workload);
        self.workload.as_ref().is_none_or(|patterns| patterns.0.iter().any(fits))
            && !self.except.0.iter().any(fits)
            && self.params.iter().all(|(name, wanted)| {
                row.params.get(name).is_some_and(|value| wanted.admits(value))
            })
    }

    pub fn of<'a>(&self, rows: &'a [Row]) -> Vec<&'a Row> {
        rows.iter().filter(|row| self.includes(row)).collect()
    }
}

impl Wanted {
    fn admits(&self, value: &Value) -> bool {
        match self {
            Self::Is(wanted) => wanted == value,
            Self::OneOf(wanted) => wanted.contains(value),
            Self::Between(Between { from, to }) => value.as_u64().is_some_and(|value| {
                from.is_none_or(|from| from <= value) && to.is_none_or(|to| value <= to)
            }),
        }
    }
}

/// Whether the text fits a pattern with `*`.
pub fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((before, rest)) => text.strip_prefix(before).is_some_and(|text| {
            (0..=text.len())
                .filter(|at| text.is_char_boundary(*at))
                .any(|at| matches(rest, &text[at..]))
        }),
    }
}

#[cfg(test)]
mod tests {
    //! Patterns and parameters.
    use serde_json::json;

    use super::*;

    fn row(workload: &str, params: Value) -> Row {
        let params = params.as_object().expect("an object").clone();
        Row { suite: "x".into(), workload: workload.into(), params, series: Vec::new() }
    }

    fn rows(text: &str) -> Rows {
        toml::from_str(text).expect("good")
    }

    #[test]
    fn a_star_stands_for_any_text() {
        assert!(matches("list-*", "list-") && matches("*-find", "map-find") && matches("*", ""));
        assert!(matches("a*c*e", "abcde") && !matches("a*c*e", "abcd"));
        assert!(!matches("list", "list-pop") && !matches("*-find", "find-map"));
    }

    #[test]
    fn workloads_are_included_and_excepted() {
        let picked = rows("workload = ['*-push', '*-find']\nexcept = 'map-*'");
        let includes = |name: &str| picked.includes(&row(name, json!({})));
        assert!(includes("list-push") && includes("umap-find"));
        assert!(!includes("map-push") && !includes("list-pop"));
        assert!(Rows::default().includes(&row("anything", json!({}))));
    }

    #[test]
    fn parameters_are_values_lists_and_ranges() {
        let picked =
            rows("params = { phase = ['keys', 'scan'], payload = { from = 10 }, threads = 1 }");
        let includes = |phase: &str, payload: u64, threads: u64| {
            let params = json!({"phase": phase, "payload": payload, "threads": threads});
            picked.includes(&row("x", params))
        };
        assert!(includes("keys", 10, 1) && includes("scan", 100, 1));
        assert!(!includes("probe", 10, 1) && !includes("keys", 1, 1) && !includes("keys", 10, 2));
        assert!(!picked.includes(&row("x", json!({"phase": "keys", "threads": 1}))));
    }
}
