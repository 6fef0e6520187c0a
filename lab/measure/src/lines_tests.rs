//! Written lines are read back; everything else is refused with its place and what was expected.
use serde_json::json;

use super::*;
use crate::machine::Machine;
use crate::memory::{self, Source};
use crate::metric::Metric;
use crate::number::Number;
use crate::prove::Identity;
use crate::record::{self, Provenance};
use crate::row::{Row, Series};
use crate::verdict::Rules;
use std::collections::BTreeMap;

fn machine() -> Machine {
    Machine {
        cpu: "a CPU".into(),
        cpus: 2,
        memory_bytes: 1 << 30,
        kernel: "6.1".into(),
        os: "Debian".into(),
        libc: "glibc 2.36".into(),
        governor: "unknown".into(),
        transparent_huge_pages: "madvise".into(),
    }
}

fn series(name: &str, values: &[Option<f64>]) -> Series {
    let identity = Identity {
        name: name.into(),
        version: "5.3.0".into(),
        settings: vec![("MALLOC_CONF".into(), "narenas:1".into())],
        library: "/lib/x.so".into(),
        loaded: true,
    };
    Series::of_values(identity, BTreeMap::from([(Metric::Wall, values.to_vec())]))
}

fn row() -> Row {
    let values = [Some(0.1 + 0.2), Some(1.0), Some(1e-9 / 3.0), Some(2.5), Some(3.0), Some(4.0)];
    let twice = values.map(|value| value.map(|value| 2.0 * value));
    Row {
        suite: "try".into(),
        workload: "app".into(),
        params: Map::from_iter([("threads".to_string(), json!(4))]),
        series: vec![series("as-built", &values), series("jemalloc", &twice)],
    }
}

fn sample_line() -> String {
    let provenance =
        Provenance { machine: machine(), command: "heapsmith try".into(), created: "now".into() };
    write_record(&record::samples(&row(), &provenance)[0]).expect("written")
}

fn refused(text: &str) -> String {
    read("out.json", text).expect_err("refused").to_string()
}

#[test]
fn every_kind_comes_back_as_it_was_written() {
    let provenance =
        Provenance { machine: machine(), command: "heapsmith try".into(), created: "now".into() };
    let mut records = record::samples(&row(), &provenance);
    records.extend(record::ratios(&row(), "as-built"));
    let mut text: String =
        records.iter().map(|record| write_record(record).expect("written")).collect();
    let failed: Failed = serde_json::from_value(json!({
        "suite": "try", "workload": "app", "params": {}, "contender": "glibc", "exit": null,
        "signal": "SIGSEGV", "why": "killed by SIGSEGV", "stderr_tail": "a\nb"
    }))
    .expect("a failure");
    let memory =
        memory::Curve { source: Source::Pss, t_s: vec![0.0, 0.01], values: vec![1.0, 2.0] };
    let curve = record::curve(&row(), "glibc", 1, &memory);
    let process = Process {
        suite: "try".into(),
        workload: "app".into(),
        params: Map::new(),
        contender: "glibc".into(),
        pid: 12,
        program: "app".into(),
        library: "/lib/libc.so.6".into(),
        version: "2.36".into(),
        allocates: true,
    };
    let verdict = Judgement::empty(&Rules::default(), 1);
    text += &write("failure", &failed).expect("written");
    text += &write("curve", &curve).expect("written");
    text += &write("process", &process).expect("written");
    text += &write_verdict(&verdict).expect("written");
    let advice = CodeAdvice {
        suite: "try".into(),
        workload: "app".into(),
        params: Map::new(),
        advice: json!({"pieces": []}),
    };
    text += &write("advice", &advice).expect("written");
    let published = Published {
        suite: "try".into(),
        workload: "app".into(),
        params: Map::new(),
        metric: Metric::Wall,
        unit: "s".into(),
        contender: "another".into(),
        value: Number(0.25),
        source: "its README".into(),
    };
    text += &write("published", &published).expect("written");

    let mut expected: Vec<Line> = records
        .into_iter()
        .map(|record| match record {
            Record::Sample(sample) => Line::Sample(sample),
            Record::Ratio(ratio) => Line::Ratio(ratio),
        })
        .collect();
    expected.extend([
        Line::Failure(failed),
        Line::Curve(curve),
        Line::Process(process),
        Line::Verdict(verdict),
        Line::Advice(advice),
        Line::Published(published),
    ]);
    assert_eq!(read("out.json", &text).expect("read"), expected);
    for line in text.lines() {
        assert!(line.starts_with("{\"kind\":\"") && line.contains("\"schema\":2,"), "{line}");
    }
}

#[test]
fn a_failed_round_keeps_its_place() {
    let mut row = row();
    row.series[0] = series("as-built", &[Some(1.0), None, Some(3.0)]);
    let provenance =
        Provenance { machine: machine(), command: String::new(), created: String::new() };
    let line = write_record(&record::samples(&row, &provenance)[0]).expect("written");
    assert!(line.contains("\"samples\":[1,null,3]"), "{line}");
    let lines = read("out.json", &line).expect("read");
    let [Line::Sample(sample)] = &lines[..] else { panic!("one sample") };
    assert_eq!((sample.n, sample.median, sample.low), (2, Number(2.0), None));
}

#[test]
fn a_fault_is_named_with_its_file_line_and_member() {
    let good = sample_line();
    let with = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}: {good}");
        refused(&format!("{good}\n{}", good.replacen(from, to, 1)))
    };
    let error = with("\"median\":", "\"median\":\"fast\",\"old\":");
    assert!(error.starts_with("out.json:3: sample: median: "), "{error}");
    let error = with("\"n\":6,", "");
    assert_eq!(error, "out.json:3: sample: missing field `n`");
    let error = with("\"n\":6,", "\"n\":7,");
    assert!(error.contains("expected n: 6, the number of values in samples, found 7"), "{error}");
    let error = with("\"n\":6,", "\"n\":6,\"colour\":1,");
    assert!(error.contains("unknown field `colour`"), "{error}");
    let error = with("\"wall_s\"", "\"wal_s\"");
    assert!(error.contains("no metric is called 'wal_s'"), "{error}");
    let error = with("\"unit\":\"s\"", "\"unit\":\"ms\"");
    assert!(error.contains("expected wall_s in s, found ms"), "{error}");
    let error = with("\"threads\":4}", "\"threads\":4");
    assert!(error.starts_with("out.json:3: column "), "{error}");
}

#[test]
fn unknown_versions_and_kinds_are_refused() {
    let good = sample_line();
    let error = refused(&good.replacen("\"schema\":2", "\"schema\":3", 1));
    assert_eq!(error, "out.json:1: sample: schema version 3; this heapsmith reads version 2 only");
    let error = refused(&good.replacen("\"schema\":2,", "", 1));
    assert!(error.contains("no schema version; expected \"schema\": 2"), "{error}");
    let error = refused(&good.replacen("\"sample\"", "\"trace\"", 1));
    assert!(error.contains("unknown kind 'trace'"), "{error}");
    assert!(error.contains("A newer heapsmith may have written the file"), "{error}");
    let error = refused(r#"{"kind":"change","schema":2}"#);
    assert!(error.contains("belongs to heapsmith diff"), "{error}");
    assert!(refused("[1]").contains("expected a JSON object"));
    assert!(refused("{}").contains("no kind; expected one of sample, ratio"));
}

/// The same bytes again and again.
struct Endless(&'static [u8], usize);

impl std::io::Read for Endless {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        assert!(self.1 < 1 << 20, "a megabyte of {:?} was read", self.0);
        for byte in &mut *to {
            *byte = self.0[self.1 % self.0.len()];
            self.1 += 1;
        }
        Ok(to.len())
    }
}

#[test]
fn a_stream_without_end_is_refused_at_its_beginning() {
    let read = |bytes| read_from("stream", std::io::BufReader::new(Endless(bytes, 0)));
    for bytes in [&[0][..], b"y\n", b"{}\n", b"HSTRACE\n", &[0xFF]] {
        let error = read(bytes).expect_err("these are no results").to_string();
        assert!(error.starts_with("stream:1: "), "{error}");
    }
    let error = read(b"\n").expect_err("nothing is left out without a word").to_string();
    assert_eq!(error, "stream:4097: too many empty lines; expected one JSON object a line");
}
