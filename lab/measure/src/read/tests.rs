//! Several files as one: what keeps its name, what gets a label, what is refused.
use std::fs;

use serde_json::{Value, json};

use super::*;

fn sample(workload: &str, contender: &str, version: &str) -> Value {
    json!({
        "kind": "sample", "schema": 2, "suite": "try", "workload": workload, "params": {},
        "contender": contender, "version": version, "settings": [], "metric": "wall_s",
        "unit": "s", "better": "lower", "n": 6, "median": 1.5, "low": 1, "high": 2,
        "samples": [1, 1.5, 1.5, 1.5, 2, 1.5],
        "machine": {
            "cpu": "a CPU", "cpus": 2, "memory_bytes": 1024, "kernel": "6.1", "os": "Debian",
            "libc": "glibc 2.36", "governor": "unknown", "transparent_huge_pages": "madvise"
        },
        "command": "heapsmith try", "created": "2026-01-01T00:00:00Z", "loaded": true,
        "library": format!("/lib/{contender}.so")
    })
}

fn ratio(workload: &str, contender: &str, baseline: &str) -> Value {
    json!({
        "kind": "ratio", "schema": 2, "suite": "try", "workload": workload, "params": {},
        "metric": "wall_s", "contender": contender, "baseline": baseline, "n": 6, "median": 1.0,
        "low": 0.9, "high": 1.1
    })
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str, lines: &[Value]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&path, text).expect("written");
        path
    }
}

fn names(read: &Read) -> Vec<String> {
    let of_row = |row: &Row| {
        let series: Vec<&str> = row.series.iter().map(|series| series.name()).collect();
        format!("{}: {}", row.workload, series.join(", "))
    };
    read.rows.iter().map(of_row).collect()
}

#[test]
fn one_file_keeps_all_its_names() {
    let folder = Folder::new();
    let lines = [sample("app", "as-built", ""), sample("app", "jemalloc", "5.3.0")];
    let read = read(&[folder.file("a.json", &lines)], None).expect("read");
    assert_eq!(names(&read), ["app: as-built, jemalloc"]);
    assert_eq!((read.baseline.as_str(), read.results.records.len()), (AS_BUILT, 2));
    assert_eq!(read.rows[0].series[1].by_round(crate::metric::Metric::Wall).len(), 6);
}

#[test]
fn a_workload_of_two_files_becomes_one_for_each_file() {
    let folder = Folder::new();
    let lines = [sample("app", "glibc", "2.36"), sample("app", "jemalloc", "5.3.0")];
    let more = [lines[0].clone(), lines[1].clone(), sample("other", "glibc", "2.36")];
    let paths = [folder.file("monday.json", &lines), folder.file("friday.json", &more)];
    let both = read(&paths, None).expect("read");
    let expected =
        ["app [monday]: glibc, jemalloc", "app [friday]: glibc, jemalloc", "other: glibc"];
    assert_eq!(names(&both), expected);

    let paths = [folder.file("x/a.json", &lines), folder.file("y/a.json", &lines)];
    let both = read(&paths, None).expect("read");
    assert!(both.rows[1].workload.contains("y/a.json]"), "{}", both.rows[1].workload);
    let error = read(&[paths[0].clone(), paths[0].clone()], None).err().expect("refused");
    assert!(error.to_string().ends_with("is named twice"), "{error}");
}

#[test]
fn contenders_that_differ_are_told_apart_by_their_versions() {
    let folder = Folder::new();
    let lines = |version| [sample("app", "as-built", version), sample("app", "jemalloc", version)];
    let paths = [folder.file("a.json", &lines("5.2")), folder.file("b.json", &lines("5.3"))];
    let both = read(&paths, None).expect("read");
    assert_eq!(
        names(&both),
        ["app [a]: as-built, jemalloc 5.2", "app [b]: as-built, jemalloc 5.3"]
    );
    assert_eq!(both.results.identities.len(), 3);
}

#[test]
fn files_with_different_baselines_need_a_choice() {
    let folder = Folder::new();
    let lines = |baseline| [sample("app", "jemalloc", "5"), ratio("app", "jemalloc", baseline)];
    let paths = [folder.file("a.json", &lines("glibc")), folder.file("b.json", &lines("as-built"))];
    let error = read(&paths, None).err().expect("refused").to_string();
    assert!(error.contains("choose with --baseline NAME"), "{error}");
    assert_eq!(read(&paths, Some("glibc")).expect("read").baseline, "glibc");
}

#[test]
fn a_value_that_is_there_twice_and_a_file_without_values_are_refused() {
    let folder = Folder::new();
    let twice = [sample("app", "glibc", "2.36"), sample("app", "glibc", "2.36")];
    let error = read(&[folder.file("a.json", &twice)], None).err().expect("refused").to_string();
    assert_eq!(error, "app, glibc: wall_s is there twice");
    let error = read(&[folder.file("b.json", &[])], None).err().expect("refused").to_string();
    assert!(error.contains("no measured value"), "{error}");
}

#[test]
fn different_machines_are_remarked_on() {
    let folder = Folder::new();
    let mut other = sample("app", "glibc", "2.36");
    other["machine"]["cpu"] = "another CPU".into();
    let paths =
        [folder.file("a.json", &[sample("app", "glibc", "2.36")]), folder.file("b.json", &[other])];
    let remarks = read(&paths, None).expect("read").remarks;
    assert!(remarks[0].ends_with("come from different machines"), "{remarks:?}");
}

#[test]
fn a_verdict_is_made_again_by_its_own_rules() {
    let folder = Folder::new();
    let verdict = |each_row| {
        let rules = Rules { each_row, ..Rules::default() };
        let line = lines::write_verdict(&Judgement::empty(&rules, 16)).expect("a line");
        serde_json::from_str::<Value>(&line).expect("JSON")
    };
    let rules = |each_row| {
        let file = folder.file("a.json", &[sample("app", "as-built", "1"), verdict(each_row)]);
        let rules = read(&[file], None).expect("read").rules;
        (rules.compared, rules.each_row)
    };
    assert_eq!((rules(false), rules(true)), ((16, false), (16, true)));
}
