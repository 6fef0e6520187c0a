//! `heapsmith report` on traces: the data of the page, the diff of two, and a page that opens.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use common::lab::{cc, source};
use common::traces::{info, number};
use common::{Try, heapsmith};
use serde_json::Value;

const KEPT_BYTES: u64 = 1000 * 4000;

fn record(folder: &Path, options: &[&str], program: &str, trace: &str) {
    let all = ["-fno-builtin", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-g"];
    let built = folder.join(trace.trim_end_matches(".trace"));
    cc(&[&all[..], options].concat(), &[program], &built);
    let mut command = heapsmith(folder);
    let output = command.args(["record", "-f", "-o", trace, "--"]).arg(&built).output();
    assert!(output.expect("it runs").status.success());
}

/// A folder with traces of exported.c, which keeps 1000 blocks of 4000 bytes.
fn folder() -> &'static Path {
    static RECORDED: OnceLock<PathBuf> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        for (trace, options) in [("old.trace", &[][..]), ("new.trace", &["-DMORE"][..])] {
            record(&folder, options, "lab/cli/tests/exported.c", trace);
        }
        folder
    })
}

fn report(folder: &Path, words: &[&str]) -> Output {
    heapsmith(folder).arg("report").args(words).output().expect("it runs")
}

/// The data in a page; null if it has none.
fn embedded(page: &Path, id: &str) -> Value {
    let html = std::fs::read_to_string(page).expect("a page");
    let opening = format!(r#"<script type="application/json" id="{id}">"#);
    let (_, rest) = html.split_once(&opening).expect("a place for data");
    let (json, _) = rest.split_once("</script>").expect("the data ends");
    serde_json::from_str(json).expect("JSON")
}

fn list<'a>(value: &'a Value, path: &str) -> &'a Vec<Value> {
    value.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{path} in {value}"))
}

fn sum(value: &Value, path: &str) -> u64 {
    list(value, path).iter().map(|it| it.as_u64().expect("a number")).sum()
}

/// What chromium shows of a page.
fn opened(page: &Path, hash: &str) -> Value {
    let mut command = Command::new("node");
    let output = command.arg(source("lab/page/test/open.mjs")).arg(page).arg(hash).output();
    let output = output.expect("node runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "chromium opens the page: {errors}");
    let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(list(&shown, "/said").len(), 0, "{shown}");
    shown
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_page_has_the_numbers_of_the_trace() {
    let output = report(folder(), &["old.trace", "-o", "one.html", "--json", "one.json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    assert!(said.starts_with("old had at most 3.8"), "{said}");
    assert!(said.contains("100 % of the peak came from leaf (exported.c:8).\n"), "{said}");
    let page = folder().join("one.html");
    let data = embedded(&page, "heapsmith-traces");
    let json = std::fs::read(folder().join("one.json")).expect("JSON");
    assert_eq!(serde_json::from_slice::<Value>(&json).expect("JSON"), data);
    assert_eq!(embedded(&page, "heapsmith-data"), Value::Null);
    assert_eq!(data["changes"], Value::Null);

    let (whole, trace) = (info(&folder().join("old.trace")), &data["traces"][0]);
    for key in ["events", "allocated_bytes", "peak_bytes", "left_bytes", "duration_ns"] {
        let path = format!("/info/{key}");
        assert_eq!(number(trace, &path), number(&whole, &path), "{key}");
    }
    let most = list(trace, "/curve/most").iter().filter_map(Value::as_u64).max();
    assert_eq!(most, Some(number(trace, "/info/peak_bytes")));
    let calls: u64 = list(trace, "/bins").iter().map(|bin| number(bin, "/calls")).sum();
    assert_eq!(calls, number(trace, "/info/events"));
    let sizes: u64 = list(trace, "/bins").iter().map(|bin| sum(bin, "/sizes")).sum();
    assert_eq!(sizes, number(trace, "/info/allocated_blocks"));
    let leaf = &trace["sites"][0];
    assert_eq!(number(leaf, "/bytes"), 4 * KEPT_BYTES);
    assert_eq!(sum(leaf, "/series/bytes"), 4 * KEPT_BYTES);
    assert_eq!(sum(leaf, "/series/left"), KEPT_BYTES);
    assert_eq!(sum(leaf, "/series/freed"), 3 * KEPT_BYTES);
}

#[test]
fn chromium_shows_a_recorded_trace() {
    assert!(report(folder(), &["old.trace", "-o", "shown.html"]).status.success());
    let page = folder().join("shown.html");
    let shown = opened(&page, "#sites=flame&code=own");
    let labels = shown["labels"].to_string();
    for function in ["main", "often", "seldom", "leaf"] {
        assert!(labels.contains(function), "{function} in {labels}");
    }
    assert_eq!(opened(&page, "")["sites"][0], "leaf");
    let html = std::fs::read_to_string(page).expect("a page");
    assert!(html.contains("<tr><th>leaf (exported.c:8)</th><td>4,000</td>"), "for noscript");
}

#[test]
fn two_traces_are_compared() {
    let output = report(folder(), &["old.trace", "new.trace", "-o", "two.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("The peak went from 3.8"), "{}", text(&output.stdout));
    let data = embedded(&folder().join("two.html"), "heapsmith-traces");
    let names: Vec<_> = list(&data, "/traces").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["old.trace", "new.trace"]);
    assert_eq!(number(&data, "/changes/whole/left_bytes/old"), KEPT_BYTES);
    assert_eq!(number(&data, "/changes/whole/left_bytes/new"), 2 * KEPT_BYTES);
    assert!(data["changes"]["sites"][0]["name"].as_str().expect("a name").starts_with("leaf"));
    opened(&folder().join("two.html"), "");
}

#[test]
fn results_and_a_trace_share_a_page() {
    let measured = Try::run("glibc,as-built", &[], &["true"]);
    assert_eq!(measured.code(), 0, "{}", measured.stderr());
    let trace = folder().join("old.trace");
    let trace = trace.to_str().expect("a path");
    let output = report(measured.folder.path(), &["out.json", trace, "-o", "both.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = measured.folder.path().join("both.html");
    assert_eq!(embedded(&page, "heapsmith-data")["version"], 2);
    assert_eq!(embedded(&page, "heapsmith-traces")["traces"][0]["name"], "old.trace");
    assert!(text(&output.stdout).contains("old had at most"));
    opened(&page, "");
}

#[test]
fn options_for_results_are_refused() {
    for option in ["--baseline=glibc", "--export-csv=x.csv", "--export-markdown=-"] {
        let output = report(folder(), &["old.trace", option]);
        assert_eq!(output.status.code(), Some(2), "{option}");
        assert!(text(&output.stderr).contains("is for results"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_trace_of_ten_million_events_opens_soon() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    record(folder.path(), &[], "lab/cli/tests/many_sites.c", "many.trace");
    let output = report(folder.path(), &["many.trace", "-o", "many.html", "--json", "many.json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = folder.path().join("many.html");
    let data = embedded(&page, "heapsmith-traces");
    assert!(number(&data["traces"][0], "/info/events") >= 10_000_000);
    let bytes = std::fs::metadata(folder.path().join("many.json")).expect("a file").len();
    assert!(bytes <= 1_100_000, "{bytes} bytes of data");
    let shown = opened(&page, "");
    let time = shown["opened_ms"].as_f64().expect("a time");
    assert!(time < 2000.0, "{time} ms");
}
