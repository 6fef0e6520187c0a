//! doctor, bench and the exit codes of wrong command lines.

mod common;

use std::process::Output;

use common::{heapsmith, json_lines};

fn run(arguments: &[&str]) -> (i32, Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let output = heapsmith(folder.path()).args(arguments).output().expect("it runs");
    (output.status.code().expect("it exits by itself"), output, folder)
}

#[test]
fn doctor_names_every_contender_and_its_state() {
    let (code, output, _folder) = run(&["doctor"]);
    assert_eq!(code, 0);
    let text = String::from_utf8_lossy(&output.stdout);
    for name in ["as-built", "glibc", "heapsmith", "jemalloc-debian", "tbbmalloc", "next: "] {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(text.contains("libjemalloc.so.2") && text.contains("5.3.0"), "{text}");
}

#[test]
fn doctor_says_what_disturbs() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = heapsmith(folder.path()).arg("doctor").env("MALLOC_ARENA_MAX", "1").output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
    assert!(text.contains("MALLOC_ARENA_MAX") && text.contains("mend: "), "{text}");
}

#[test]
fn wrong_command_lines_are_usage_errors() {
    for arguments in [
        &["try"][..],
        &["try", "--rounds", "5", "--", "true"],
        &["try", "--alloc", "jemaloc-debian", "--", "true"],
        &["try", "--report", "/no/such/folder/page.html", "--", "true"],
        &["bench", "nothing"],
        &["bench", "heap", "--workload", "tiny-object"],
    ] {
        let (code, output, _folder) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn an_allocator_that_is_asked_for_but_absent_is_the_environments_fault() {
    let arguments = ["try", "--alloc", "heapsmith", "--heapsmith", ".", "--", "true"];
    let (code, output, _folder) = run(&arguments);
    assert_eq!(code, 3);
    assert!(String::from_utf8_lossy(&output.stderr).contains("libheapsmith_preload.so"));
}

#[test]
fn the_heap_suite_writes_samples_and_ratios() {
    let (code, output, folder) = run(&[
        "bench",
        "heap",
        "--workload",
        "small-process",
        "--alloc",
        "glibc,jemalloc-debian",
        "--rounds",
        "6",
        "--json",
        "out.json",
        "--report",
        "out.html",
    ]);
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&output.stderr));
    let records = json_lines(&folder.path().join("out.json"));
    let of = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    assert_eq!((of("sample"), of("ratio"), of("failure")), (2 * 2 * 4, 2 * 4, 0));
    assert!(records.iter().all(|record| record["suite"] == "heap"));
    assert!(folder.path().join("out.html").is_file());
}

#[test]
fn instructions_are_counted_in_the_allocator_alone() {
    let arguments = ["bench", "instructions", "--workload", "batch-64-lifo"];
    let more = ["--alloc", "glibc,gperftools", "--json", "out.json"];
    let (code, output, folder) = run(&[&arguments[..], &more].concat());
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&output.stderr));
    let records = json_lines(&folder.path().join("out.json"));
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!((&record["metric"], &record["n"]), (&"instructions".into(), &1.into()));
        let count = record["median"].as_f64().expect("a count");
        // No malloc+free pair takes fewer than ten instructions, none of these two a thousand.
        assert!((10.0..1000.0).contains(&count), "{record}");
    }
}
