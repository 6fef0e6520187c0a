//! CSV that spreadsheets read back, and Markdown as it is pasted.
use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::machine::Machine;
use crate::prove::Identity;
use crate::record::{self, Provenance};
use crate::row::{Row, Series};
use crate::verdict::{Rules, judge};

fn series(name: &str, factor: f64) -> Series {
    let identity = Identity {
        name: name.into(),
        version: "1.0".into(),
        settings: vec![("A".into(), "1,2".into()), ("B".into(), "x".into())],
        library: "/lib/x.so".into(),
        loaded: true,
    };
    let drift = |round: usize| 1.0 + 0.001 * ((round * (7 + name.len())) % 11) as f64;
    let values = |median: f64| (0..20).map(|round| Some(median * factor * drift(round))).collect();
    let by_metric = [(Metric::Wall, values(1.5)), (Metric::Cpu, values(1.25))];
    Series::of_values(identity, BTreeMap::from(by_metric))
}

fn results(contender: &str) -> Results {
    let row = Row {
        suite: "try".into(),
        workload: "app, \"b\"".into(),
        params: Map::from_iter([("threads".to_string(), json!(4))]),
        series: vec![series("glibc", 1.0), series(contender, 0.8)],
    };
    let machine = Machine::look();
    let mut results =
        Results::of(Provenance { machine, command: String::new(), created: String::new() });
    results.records = record::samples(&row, &results.provenance);
    results.records.extend(record::ratios(&row, "glibc"));
    let rows = [row];
    results.verdict = Some(judge(&rows, &[], "glibc", &Rules::default(), &|_| String::new()));
    results
}

#[test]
fn csv_is_read_back() {
    let text = csv(&results("jemalloc")).expect("written");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().expect("a head").clone();
    let lines: Vec<csv::StringRecord> = reader.records().map(|it| it.expect("a line")).collect();
    let get = |line: usize, head: &str| {
        let column = heads.iter().position(|it| it == head).expect("a column");
        lines[line].get(column).expect("a cell").to_string()
    };
    assert_eq!(lines.len(), 4);
    assert_eq!((get(0, "contender").as_str(), get(0, "ratio").as_str()), ("glibc", ""));
    assert_eq!(get(2, "workload"), "app, \"b\"");
    assert_eq!(get(2, "params"), "threads=4");
    assert_eq!(get(2, "settings"), "A=1,2;B=x");
    assert_eq!((get(2, "metric").as_str(), get(2, "unit").as_str()), ("wall_s", "s"));
    assert_eq!((get(2, "baseline").as_str(), get(2, "outcome").as_str()), ("glibc", "better"));
    let number = |head: &str| get(2, head).parse::<f64>().expect("a number");
    assert!(number("min") <= number("low") && number("high") <= number("max"));
    assert!((number("ratio") - 0.8).abs() < 0.01);
    assert_eq!((get(3, "metric").as_str(), get(3, "outcome").as_str()), ("cpu_s", "better"));
    assert!(!get(3, "ratio").is_empty());
}

#[test]
fn markdown_is_a_table_with_ratios() {
    let text = markdown(&results("je|malloc"));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "| Allocator | Wall time | Relative | CPU time | Relative |");
    assert_eq!(lines[1], "|:---|---:|---:|---:|---:|");
    assert_eq!(lines[2], "| `glibc` | 1.507 s | 1 | 1.256 s | 1 |");
    assert!(lines[3].starts_with("| `je\\|malloc` | 1.206 s | 0.80"), "{}", lines[3]);
    assert_eq!(lines.len(), 4);
}

#[test]
fn several_workloads_have_a_heading_each() {
    let mut both = results("jemalloc");
    let mut more = results("jemalloc").records;
    for record in &mut more {
        if let Record::Sample(sample) = record {
            sample.workload = "other".into();
        }
    }
    both.records.extend(more);
    let text = markdown(&both);
    let heads: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(heads, ["### `app, \"b\" ×4`", "### `other ×4`"]);
    assert!(text.contains("\n\n### `other"), "{text}");
}
