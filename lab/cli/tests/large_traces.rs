//! Traces of programs with more memory than this machine, through `heapsmith replay` and `advise`.

mod common;

use std::path::Path;
use std::process::Output;

use common::{control, heapsmith};
use heapsmith_trace::packed::{Caller, Meta, Tables, ThreadInfo, Writer};
use heapsmith_trace::{Api, Event, Kind};

/// A thousand terabytes.
const HUGE: u64 = 1 << 50;

/// Makes a trace: each call has its thread.
fn write(path: &Path, calls: &[(u32, Api, Kind)]) {
    let mut writer = Writer::create(path).expect("a file");
    for (&(thread, api, kind), n) in calls.iter().zip(1..) {
        let event = Event { tick: n * 1000, thread, api, caller: 0, kind };
        writer.push(&event).expect("written");
    }
    let meta = Meta { ticks_a_ns: 0.05, events: calls.len() as u64, ..Meta::default() };
    let thread = |number| ThreadInfo { number, tid: number, ..ThreadInfo::default() };
    let (threads, callers) = (vec![thread(1), thread(2)], vec![Caller::default()]);
    let tables = Tables { meta, threads, callers, ..Tables::default() };
    writer.finish(&tables).expect("written");
}

fn run(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let control = control("plain");
    let mut command = heapsmith(folder);
    command.args(words).args(["--alloc", &control]);
    let Output { status, stdout, stderr } = command.output().expect("it runs");
    let text = [stdout, stderr].concat();
    (status.code(), String::from_utf8(text).expect("text"))
}

#[test]
fn a_trace_that_does_not_fit_is_refused_before_it_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let allocate = |block, size| Kind::Allocate { block, size, align: 1 };
    let mut calls: Vec<_> = (0..64).map(|n| (1, Api::Malloc, allocate(n, HUGE / 64))).collect();
    calls.push((1, Api::Free, Kind::Free { block: 0 }));
    write(&at.join("t.trace"), &calls);
    for words in [&["replay", "t.trace"][..], &["advise", "t.trace"]] {
        let (code, text) = run(at, words);
        assert_eq!(code, Some(3), "{text}");
        assert!(text.contains("t.trace has 1048576 GiB in use at its peak, and "), "{text}");
    }
    // Nothing is touched: the blocks that the allocator has are addresses.
    let (code, text) = run(at, &["replay", "t.trace", "--touch", "none", "--rounds", "6"]);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn allocations_that_are_refused_are_counted_and_survived() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let allocate = |block| Kind::Allocate { block, size: HUGE, align: 1 };
    let touched = |block| Kind::Resident { block, bytes: 4096 };
    let aligned = |block| Kind::Allocate { block, size: HUGE, align: 64 };
    let free = |block| Kind::Free { block };
    let resize = |old, block, size| Kind::Resize { old, block, size, took: 9, in_place: false };
    let small = |block| Kind::Allocate { block, size: 40, align: 1 };
    let calls = [
        (1, Api::Malloc, allocate(0)),
        (1, Api::Calloc, allocate(1)),
        (1, Api::New, allocate(2)),
        (1, Api::NewArray, allocate(3)),
        (1, Api::NewAligned, aligned(4)),
        (1, Api::PosixMemalign, aligned(5)),
        (1, Api::UsableSize, Kind::UsableSize { block: 0 }),
        (1, Api::Realloc, resize(0, 6, 100)), // there is no block to grow
        (1, Api::Malloc, small(7)),
        (1, Api::Realloc, resize(7, 8, HUGE)), // the old block stays
        (1, Api::Malloc, allocate(9)),
        (1, Api::Realloc, resize(9, 10, HUGE)),
        (1, Api::Free, touched(1)),
        (1, Api::Free, free(1)),
        (1, Api::Delete, touched(2)),
        (1, Api::DeleteSized, free(2)),
        (2, Api::DeleteArray, touched(3)), // another thread waits for the block
        (2, Api::DeleteArray, free(3)),
        (2, Api::Delete, touched(4)),
        (2, Api::Delete, free(4)),
        (2, Api::Free, touched(5)),
        (2, Api::Free, free(5)),
        (2, Api::Free, free(6)),
        (2, Api::Free, touched(8)),
        (2, Api::Free, free(8)),
        (2, Api::Realloc, touched(9)),
        (1, Api::Free, touched(10)),
        (1, Api::Free, free(10)),
        (1, Api::Malloc, small(11)),
        (1, Api::Free, touched(0)),
    ];
    write(&at.join("t.trace"), &calls);
    let (code, text) = run(at, &["replay", "t.trace", "--rounds", "6"]);
    assert_eq!(code, Some(0), "{text}");
    for name in ["glibc", "plain"] {
        assert!(text.contains(&format!("9 allocations refused under {name}")), "{text}");
    }
    let (code, text) = run(at, &["replay", "t.trace", "--rounds", "6", "--repeat", "3"]);
    assert_eq!(code, Some(0), "{text}");
}
