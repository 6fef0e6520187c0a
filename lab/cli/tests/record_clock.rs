//! `heapsmith record` of programs that forbid themselves the processor's clock: they end as they would
//! without the recorder, all events are there, and it is said from when on they have no time.

mod common;

use std::fs;
use std::path::Path;

use common::heapsmith;
use common::lab::cc;
use common::traces::{assert_whole, info, number};
use serde_json::Value;

const DONE: i32 = 5;
const TOLD: &str = "times show only the order of events";

/// The infos of the traces of `clockless MODE`, and what `heapsmith record` said.
fn recorded(folder: &Path, mode: &str) -> (Vec<Value>, String) {
    let program = folder.join("clockless");
    if !program.exists() {
        cc(&["-O1", "-fno-builtin", "-pthread"], &["lab/cli/tests/clockless.c"], &program);
    }
    let mut command = heapsmith(folder);
    command.args(["record", "-f", "-o", "t.trace", "--"]).arg(&program).arg(mode);
    let output = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(DONE), "{mode}: {text}");
    let others = fs::read_dir(folder.join("t.trace.others")).into_iter().flatten().flatten();
    let others = others.map(|entry| entry.path());
    let all: Vec<_> = std::iter::once(folder.join("t.trace")).chain(others).collect();
    let all: Vec<Value> = all.iter().map(|path| info(path)).collect();
    (all, text)
}

fn assert_events(info: &Value, expected: u64) {
    let events = number(info, "/info/events");
    assert!((expected..expected + 20).contains(&events), "{events} in place of {expected}");
    assert_whole(info);
}

#[test]
fn a_program_without_a_clock_ends_as_always_and_all_its_events_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let modes = ["strict", "strict by number", "seccomp"];
    let forbids = ["tsc", "by number"];
    let is_here = |_: &&&str| cfg!(target_arch = "x86_64");
    for mode in modes.iter().chain(forbids.iter().filter(is_here)) {
        let (all, text) = recorded(folder.path(), mode);
        assert_events(&all[0], 63_000);
        assert!(text.contains(TOLD), "{mode}: {text}");
        assert!(!text.contains("missing"), "{mode}: {text}");
        let lacks = all[0]["lacks"].to_string();
        assert!(lacks.contains(TOLD), "{mode}: {lacks}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_clock_that_is_allowed_again_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let (all, text) = recorded(folder.path(), "again");
    assert_events(&all[0], 183_000);
    assert!(text.contains(TOLD), "{text}");
    // The program slept that long after the clock was allowed again.
    assert!(number(&all[0], "/info/duration_ns") > 250_000_000, "{}", all[0]["info"]);
}

#[cfg(target_arch = "x86_64")]
#[test]
fn threads_and_forked_processes_inherit_that_the_clock_is_forbidden() {
    let folder = tempfile::tempdir().expect("a folder");
    let (all, _) = recorded(folder.path(), "thread");
    assert_events(&all[0], 183_000);
    let (all, text) = recorded(folder.path(), "fork");
    assert_eq!(all.len(), 2, "{text}");
    assert_events(&all[0], 63_000);
    assert_events(&all[1], 60_000);
    assert_eq!(text.matches(TOLD).count(), 2, "{text}");
}

#[test]
fn of_other_programs_nothing_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = heapsmith(folder.path()).args(["record", "-o", "t.trace", "--", "true"]).output();
    let text = String::from_utf8_lossy(&output.expect("it runs").stderr).into_owned();
    assert!(text.contains("events in") && !text.contains(TOLD), "{text}");
}
