//! The results of `heapsmith try`: the records, the page, the table.

mod common;

use std::collections::BTreeSet;

use common::Try;
use serde_json::Value;

const METRICS: [&str; 4] = ["wall_s", "cpu_s", "peak_rss_bytes", "page_faults"];

fn keys(record: &Value) -> BTreeSet<&str> {
    record.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn every_contender_has_a_sample_record_per_metric_with_its_proof() {
    let run = Try::run("as-built,glibc,jemalloc-debian", &[], &["true"]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let samples = run.kind("sample");
    assert_eq!(samples.len(), 3 * METRICS.len());
    for sample in &samples {
        let expected = "kind schema suite workload params contender version settings metric unit \
                        better n median low high samples machine command created loaded library";
        assert_eq!(keys(sample), expected.split_whitespace().collect());
        assert_eq!(sample["loaded"], true);
        assert_eq!((&sample["suite"], &sample["better"]), (&"try".into(), &"lower".into()));
        assert_eq!(sample["samples"].as_array().expect("samples").len(), 6);
        let value = |name: &str| sample[name].as_f64().expect("a number");
        assert!(value("low") <= value("median") && value("median") <= value("high"));
    }
    let library = |name: &str| {
        let found = samples.iter().find(|sample| sample["contender"] == name).expect("a sample");
        found["library"].as_str().expect("a path").to_string()
    };
    assert!(library("glibc").ends_with("/libc.so.6"));
    assert!(library("jemalloc-debian").ends_with("/libjemalloc.so.2"));
}

#[test]
fn ratios_are_against_the_baseline_that_was_asked_for() {
    let options = ["--baseline", "glibc"];
    let run = Try::run("as-built,glibc,jemalloc-debian", &options, &["true"]);
    let ratios = run.kind("ratio");
    assert_eq!(ratios.len(), 2 * METRICS.len());
    for ratio in &ratios {
        let expected = "kind schema suite workload params metric contender baseline n median low \
                        high";
        assert_eq!(keys(ratio), expected.split_whitespace().collect());
        assert_eq!(ratio["baseline"], "glibc");
        let value = |name: &str| ratio[name].as_f64().expect("a number");
        assert!(value("low") <= value("median") && value("median") <= value("high"));
    }
    // jemalloc maps and touches more than libc for a program that does nothing, on any machine.
    let of = |metric: &str| {
        let mut found = ratios.iter().filter(|ratio| ratio["contender"] == "jemalloc-debian");
        found.find(|ratio| ratio["metric"] == metric).expect("a ratio")["low"].as_f64()
    };
    assert!(of("peak_rss_bytes") > Some(1.0) && of("page_faults") > Some(1.0));
}

#[test]
fn the_page_carries_the_same_records() {
    let run = Try::run("as-built,glibc", &[], &["sh", "-c", "true '</script><b>'"]);
    let page = run.page();
    assert_eq!(page["version"], 2);
    let mut lines = [run.kind("sample"), run.kind("ratio")].concat();
    for line in &mut lines {
        line.as_object_mut().expect("an object").shift_remove("schema");
    }
    assert_eq!(page["records"].as_array().expect("records"), &lines);
    assert_eq!(page["contenders"][1]["name"], "glibc");
    assert!(page["command"].as_str().expect("a command").contains("</script><b>"));
    assert_eq!(page["failures"].as_array().expect("failures").len(), 0);
}

#[test]
fn the_table_is_plain_text_and_ends_with_the_page_and_what_next() {
    let run = Try::run("as-built,glibc", &[], &["true"]);
    let text = run.stdout();
    assert!(!text.contains('\x1b'), "no colours into a pipe");
    for expected in ["as-built", "glibc", "wall time", "noise", "page: ", "next: "] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    assert!(text.contains("heapsmith-report.html"));
}

#[test]
fn every_installed_peer_proves_itself() {
    let peers = "glibc,jemalloc-debian,mimalloc-debian,gperftools,tbbmalloc";
    let run = Try::run(peers, &["--baseline", "glibc"], &["sh", "-c", ":"]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let version = |name: &str| {
        let samples = run.kind("sample");
        let sample = samples.iter().find(|sample| sample["contender"] == name).expect("a sample");
        sample["version"].as_str().expect("a version").to_string()
    };
    for name in peers.split(',') {
        let version = version(name);
        assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{name} says {version}");
    }
}

#[test]
fn a_program_that_links_another_allocator_is_told_from_glibc() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("linked");
    let jemalloc = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2";
    common::cc(&["-Wl,--no-as-needed", jemalloc], &["lab/workloads/one_malloc.c"], &program);
    let run = Try::run("as-built,glibc", &[], &[program.to_str().expect("a path")]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let library = |name: &str| {
        let samples = run.kind("sample");
        let sample = samples.iter().find(|sample| sample["contender"] == name).expect("a sample");
        sample["library"].as_str().expect("a path").to_string()
    };
    assert!(library("as-built").ends_with("/libjemalloc.so.2"), "{}", library("as-built"));
    assert!(library("glibc").ends_with("/libc.so.6"), "{}", library("glibc"));
    assert!(run.stdout().contains("libjemalloc.so.2"));
}
