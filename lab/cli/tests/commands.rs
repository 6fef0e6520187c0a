//! doctor and the exit codes of wrong command lines.

mod common;

use std::process::Output;

use common::heapsmith;
use common::lab::source;

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
    assert!(text.contains("MALLOC_ARENA_MAX") && text.contains("fix: "), "{text}");
    assert!(text.contains("idle enough to measure"), "{text}");
}

#[test]
fn doctor_lists_the_settings_in_force_and_their_mistakes() {
    let folder = tempfile::tempdir().expect("a folder");
    let variables =
        [("HEAPSMITH_RESERVE", "32G"), ("HEAPSMITH_STATS", "1"), ("HEAPSMITH_STATZ", "1")];
    let build = source("build/release");
    if !build.join("libheapsmith_preload.so").exists() {
        return eprintln!("skipped: ./dev build has not made the library");
    }
    let mut command = heapsmith(folder.path());
    let output = command.arg("doctor").arg("--heapsmith").arg(build).envs(variables).output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
    let has =
        |row: &[&str]| text.lines().any(|line| line.split_whitespace().eq(row.iter().copied()));
    assert!(has(&["reserve", "32G", "HEAPSMITH_RESERVE"]), "{text}");
    assert!(has(&["cache_bytes", "none", "default"]), "{text}");
    assert!(text.contains("HEAPSMITH_STATZ is unknown, did you mean 'HEAPSMITH_STATS'?"), "{text}");
    assert!(!text.contains("statistics of"), "{text}");
}

#[test]
fn wrong_command_lines_are_usage_errors() {
    for arguments in [
        &["try"][..],
        &["try", "--rounds", "5", "--", "true"],
        &["try", "--alloc", "jemaloc-debian", "--", "true"],
        &["try", "--report", "/no/such/folder/page.html", "--", "true"],
        &["bench", "heap"],
    ] {
        let (code, output, _folder) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_missing_allocator_that_was_requested_is_the_environments_fault() {
    let arguments = ["try", "--alloc", "heapsmith", "--heapsmith", ".", "--", "true"];
    let (code, output, _folder) = run(&arguments);
    assert_eq!(code, 3);
    assert!(String::from_utf8_lossy(&output.stderr).contains("libheapsmith_preload.so"));
}

#[test]
fn verbs_of_the_source_tree_are_named() {
    let (code, output, _folder) = run(&["bench", "heap", "--quick"]);
    assert_eq!(code, 2);
    assert!(String::from_utf8_lossy(&output.stderr).contains("./dev bench"));
    let (_, output, _folder) = run(&["--help"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("./dev bench"));
}

#[test]
fn the_help_of_each_verb_shows_an_example() {
    for verb in ["try", "report", "diff", "doctor", "peers"] {
        let (code, output, _folder) = run(&[verb, "--help"]);
        let text = String::from_utf8(output.stdout).expect("text");
        assert_eq!(code, 0, "{verb}");
        let example = format!("\n  heapsmith {verb}");
        assert!(text.contains("Example") && text.contains(&example), "{verb}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{verb}: {text}");
    }
}
