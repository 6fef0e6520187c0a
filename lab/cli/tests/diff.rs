//! `heapsmith diff`: exit codes, tables and JSON.

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{closed_pipe, heapsmith};
use serde_json::{Value, json};

fn sample(contender: &str, metric: &str, unit: &str, samples: &[f64]) -> Value {
    let mut ascending = samples.to_vec();
    ascending.sort_by(f64::total_cmp);
    json!({
        "kind": "sample", "schema": 2, "suite": "try", "workload": "app", "params": {},
        "contender": contender, "version": "1.0", "settings": [], "metric": metric, "unit": unit,
        "better": "lower", "n": samples.len(), "median": ascending[samples.len() / 2],
        "low": ascending[0], "high": ascending[samples.len() - 1], "samples": samples,
        "machine": {
            "cpu": "a CPU", "cpus": 2, "memory_bytes": 1024, "kernel": "6.1", "os": "Debian",
            "libc": "glibc 2.36", "governor": "unknown", "transparent_huge_pages": "madvise"
        },
        "command": "heapsmith try -- ./app", "created": "2026-01-01T00:00:00Z", "loaded": true,
        "library": "/lib/x.so"
    })
}

fn rounds(median: f64) -> Vec<f64> {
    (0..11).map(|round| median * (1.0 + 0.001 * f64::from(round * 7 % 11 - 5))).collect()
}

fn write(folder: &Path, name: &str, lines: &[Value]) {
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join(name), text).expect("written");
}

/// Old and new results of one contender, in which the time changes by `factor`.
fn folder(factor: f64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let side = |factor: f64| {
        [
            sample("glibc", "wall_s", "s", &rounds(1.5 * factor)),
            sample("glibc", "peak_rss_bytes", "bytes", &rounds(4e6)),
        ]
    };
    write(folder.path(), "old.json", &side(1.0));
    write(folder.path(), "new.json", &side(factor));
    folder
}

fn diff(folder: &Path, options: &[&str]) -> Output {
    let start = ["diff", "old.json", "new.json"];
    heapsmith(folder).args(start).args(options).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_regression_above_the_limit_exits_with_1() {
    let slower = folder(1.08);
    let output = diff(slower.path(), &["--fail-above", "5%"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("regression") && said.contains("×1.080"), "{said}");
    assert!(said.contains("2 comparisons: 1 regression above 5 %, 1 without a change"), "{said}");

    let output = diff(slower.path(), &["--fail-above", "10%"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("no measurable regression above 10 %, 1 worse"));
    assert_eq!(diff(slower.path(), &[]).status.code(), Some(0));
    let memory = ["--fail-above", "5%", "--metric", "peak_rss_bytes"];
    assert_eq!(diff(slower.path(), &memory).status.code(), Some(0));
}

#[test]
fn a_closed_pipe_hides_no_regression() {
    let slower = folder(1.08);
    for options in [&["--fail-above", "5%"][..], &["--fail-above", "5%", "--json", "-"]] {
        let mut command = heapsmith(slower.path());
        command.args(["diff", "old.json", "new.json"]).args(options).stdout(closed_pipe());
        assert_eq!(command.output().expect("it runs").status.code(), Some(1), "{options:?}");
    }
}

#[test]
fn equal_results_are_within_the_limit() {
    let same = folder(1.0);
    let output = diff(same.path(), &["--fail-above", "5%"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        text(&output.stdout),
        "2 comparisons: no measurable regression above 5 %, 2 without a change\n"
    );
    let output = diff(same.path(), &["--all"]);
    assert!(text(&output.stdout).contains("peak RSS"), "{}", text(&output.stdout));
}

#[test]
fn wide_intervals_cannot_tell_and_say_what_helps() {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "old.json", &[sample("glibc", "wall_s", "s", &[1.0, 1.1, 1.2])]);
    write(folder.path(), "new.json", &[sample("glibc", "wall_s", "s", &[1.5, 1.6, 1.7])]);
    let output = diff(folder.path(), &["--fail-above", "5%"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("cannot tell") && said.contains("1 undecided"), "{said}");
    assert!(said.contains("heapsmith try --rounds 4"), "{said}");
    // More rounds are suggested than there were.
    for (rounds, more) in [(11, 31), (40, 80)] {
        let wide = |median: f64| -> Vec<f64> {
            (0..rounds).map(|round| median * (1.0 + f64::from(round % 9) / 9.0)).collect()
        };
        for (name, median) in [("old.json", 1.0), ("new.json", 1.04)] {
            write(folder.path(), name, &[sample("glibc", "wall_s", "s", &wide(median))]);
        }
        let output = diff(folder.path(), &["--fail-above", "5%"]);
        let said = text(&output.stdout);
        assert!(said.contains(&format!("heapsmith try --rounds {more},")), "{said}");
    }
}

#[test]
fn json_has_a_line_per_change_and_what_is_missing() {
    let folder = folder(1.08);
    let new = [
        sample("glibc", "wall_s", "s", &rounds(1.62)),
        sample("jemalloc", "wall_s", "s", &rounds(1.0)),
    ];
    write(folder.path(), "new.json", &new);
    let output = diff(folder.path(), &["--fail-above", "5%", "--json", "-"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("only JSON is on stdout"))
        .collect();
    let kinds: Vec<_> = lines.iter().map(|line| line["kind"].as_str().expect("a kind")).collect();
    assert_eq!(kinds, ["change", "missing", "missing", "diff"]);
    assert_eq!(lines[0]["outcome"], "regression");
    assert_eq!((&lines[0]["old"]["n"], &lines[0]["metric"]), (&json!(11), &json!("wall_s")));
    assert_eq!((&lines[3]["regressions"], &lines[3]["is_worse"]), (&json!(1), &json!(true)));
    let said = text(&output.stderr);
    assert!(said.contains("missing: app, jemalloc: not in the old results"), "{said}");
    assert!(said.contains("missing: app, glibc, peak RSS: not in the new results"), "{said}");
}

#[test]
fn values_that_are_gone_pass_no_limit() {
    let folder = folder(1.0);
    let glibc = || sample("glibc", "wall_s", "s", &rounds(1.5));
    let jemalloc = || sample("jemalloc", "wall_s", "s", &rounds(1.5));
    for (old, new, line) in [
        (vec![glibc(), jemalloc()], vec![glibc()], "app, jemalloc: not in the new"),
        (
            vec![glibc(), sample("glibc", "peak_rss_bytes", "bytes", &rounds(4e6))],
            vec![glibc()],
            "app, glibc, peak RSS: not in the new",
        ),
    ] {
        write(folder.path(), "old.json", &old);
        write(folder.path(), "new.json", &new);
        let output = diff(folder.path(), &["--fail-above", "5%"]);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains(&format!("missing: {line} results")), "{said}");
        let end = "the limit of 5 % was not applied to everything: the new results lack 1 value";
        assert!(said.contains(end), "{said}");
        assert_eq!(diff(folder.path(), &[]).status.code(), Some(0), "there is no limit");
        // What came in addition decides nothing.
        write(folder.path(), "old.json", &new);
        write(folder.path(), "new.json", &old);
        let output = diff(folder.path(), &["--fail-above", "5%"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    }
    write(folder.path(), "old.json", &[glibc(), jemalloc()]);
    let slower = sample("glibc", "wall_s", "s", &rounds(3.0));
    write(folder.path(), "new.json", &[slower]);
    let output = diff(folder.path(), &["--fail-above", "5%"]);
    assert_eq!(output.status.code(), Some(1), "a regression is certain");
}

#[test]
fn results_without_anything_in_common_are_a_usage_error() {
    let folder = folder(1.0);
    write(folder.path(), "new.json", &[sample("jemalloc", "wall_s", "s", &rounds(1.0))]);
    let output = diff(folder.path(), &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("in common"), "{}", text(&output.stderr));
    for wrong in [&["--fail-above", "5"][..], &["--metric", "speed"]] {
        assert_eq!(diff(folder.path(), wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn different_machines_are_remarked_on() {
    let folder = folder(1.0);
    let mut new = sample("glibc", "wall_s", "s", &rounds(1.5));
    new["machine"]["cpu"] = "another CPU".into();
    write(folder.path(), "new.json", &[new]);
    let output = diff(folder.path(), &[]);
    assert!(text(&output.stderr).contains("different machines"), "{}", text(&output.stderr));
}
