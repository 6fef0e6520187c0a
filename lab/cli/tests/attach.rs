//! `heapsmith record -p` on programs that run already.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::io::BufRead;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use common::heapsmith;
use common::running::{Begun, Running, assert_done, built, record, record_while_fed};
use heapsmith_trace::info::of_trace;
use serde_json::Value;

fn info(folder: &Path) -> Value {
    let output = heapsmith(folder).args(["info", "--json", "-", "t.trace"]).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn number(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path} in {value}"))
}

/// Blocks of 512 to 1023 bytes.
fn blocks(info: &Value) -> u64 {
    info["info"]["sizes"][10].as_u64().unwrap_or(0)
}

/// Every free of a block of the recording was seen.
fn assert_whole(info: &Value) {
    assert_eq!(number(info, "/meta/dropped"), 0, "{info}");
    assert_eq!(number(info, "/meta/misfits/unfreed"), 0, "{info}");
    assert_eq!(info["meta"]["damage"], Value::Array(vec![]));
}

#[test]
fn threads_that_allocate_are_recorded_while_the_first_one_sleeps() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = Running::mode("threads");
    let output = record(folder.path(), &["-p", &running.id(), "--for", "300ms"]).output();
    let text = assert_done(&output.expect("it runs"));
    assert!(text.contains(&format!("recording process {} (attached)", running.id())), "{text}");
    assert!(text.contains("next: heapsmith info t.trace"), "{text}");
    let info = info(folder.path());
    assert_whole(&info);
    assert!(blocks(&info) > 1000 && number(&info, "/info/threads") >= 4, "{info}");
    // Before: 500 to 1000 blocks of 700 bytes.
    assert!(number(&info, "/meta/attached/live_bytes") > 500 * 700, "{info}");
    assert_eq!(info["meta"]["attached"]["is_told_by_allocator"], true);
    let older = number(&info, "/meta/misfits/unknown");
    // Those, and the blocks allocated between the changes for free and those for malloc.
    assert!((100..blocks(&info) / 2).contains(&older), "{older}: {info}");
    let output = heapsmith(folder.path()).args(["info", "t.trace"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = format!("attached to process {} (attached), which had", running.id());
    let end = format!("freed blocks that are older than the recording: {older}");
    assert!(text.contains(&line) && text.contains(&end), "{text}");
    assert!(text.contains("work at attached.c:"), "{text}");
    assert!(!folder.path().join("t.trace.raw").exists());
    running.assert_unharmed();
}

#[test]
fn a_thread_without_system_calls_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = Running::mode("busy");
    let output = record(folder.path(), &["-p", &running.id(), "--for", "200ms"]).output();
    assert_done(&output.expect("it runs"));
    let info = info(folder.path());
    assert_whole(&info);
    assert!(blocks(&info) > 1000, "{info}");
    running.signal(libc::SIGUSR1);
    running.assert_unharmed();
}

#[test]
fn a_thread_that_waits_goes_on_waiting() {
    for mode in ["read", "epoll"] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut running = Running::mode(mode);
        record_while_fed(folder.path(), &mut running, 20);
        let info = info(folder.path());
        assert_whole(&info);
        assert_eq!(blocks(&info), 20, "{mode}: {info}");
        running.assert_unharmed(); // 7: the system call failed
    }
}

#[test]
fn no_signal_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = Running::mode("signals");
    for _ in 0..5 {
        let output = record(folder.path(), &["-p", &running.id(), "--for", "100ms"]).output();
        assert_done(&output.expect("it runs"));
        assert!(blocks(&info(folder.path())) > 0);
    }
    running.assert_unharmed();
}

#[test]
fn a_program_that_binds_lazily_at_a_fixed_address_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = Running::start(Command::new(built("attached-fixed")).arg("threads"));
    let output = record(folder.path(), &["-p", &running.id(), "--for", "200ms"]).output();
    assert_done(&output.expect("it runs"));
    let info = info(folder.path());
    assert_whole(&info);
    assert!(blocks(&info) > 1000, "{info}");
    running.assert_unharmed();
}

#[test]
fn a_library_that_is_loaded_later_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(built("attached"));
    let mut running = Running::start(command.arg("loads").arg(built("later.so")));
    record_while_fed(folder.path(), &mut running, 1);
    let info = info(folder.path());
    assert_whole(&info);
    assert_eq!(info["info"]["sizes"][12], 1000, "blocks of 3000 bytes: {info}");
    running.assert_unharmed();
}

#[test]
fn forked_processes_are_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut running = Running::mode("forks");
    record_while_fed(folder.path(), &mut running, 3);
    let info = info(folder.path());
    assert_whole(&info);
    assert_eq!(number(&info, "/meta/pid").to_string(), running.id());
    assert_eq!(blocks(&info), 3);
    let others = std::fs::read_dir(folder.path().join("t.trace.others")).expect("a folder");
    assert_eq!(others.count(), 3);
    running.assert_unharmed();
}

#[test]
fn threads_that_start_later_have_a_thread_that_started_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut running = Running::mode("starts");
    record_while_fed(folder.path(), &mut running, 5);
    assert_whole(&info(folder.path()));
    let (_, tables, _) = of_trace(&folder.path().join("t.trace")).expect("a trace");
    let threads = &tables.threads;
    let first = threads.iter().find(|it| it.started_by.is_none()).expect("it was there before");
    let others: Vec<_> = threads.iter().filter(|it| it.number != first.number).collect();
    assert_eq!(others.len(), 5, "{threads:?}");
    for each in others {
        assert_eq!(each.started_by, Some(first.number));
        assert!(each.start_tick <= each.end_tick, "{each:?}");
    }
    running.assert_unharmed();
}

#[test]
fn a_program_that_becomes_another_ends_the_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut running = Running::mode("exec");
    let begun = Begun::of(folder.path(), &running);
    running.feed(1);
    let text = begun.end();
    assert!(text.contains("is another program now"), "{text}");
    assert_eq!(running.end(), (Some(3), "ready\ndone\n".to_string()));
}

#[test]
fn a_process_can_be_recorded_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = Running::mode("threads");
    for _ in 0..4 {
        let output = record(folder.path(), &["-p", &running.id(), "--for", "100ms"]).output();
        assert_done(&output.expect("it runs"));
        let info = info(folder.path());
        assert_whole(&info);
        assert!(blocks(&info) > 100 && number(&info, "/info/threads") >= 4, "{info}");
        assert_eq!(info["meta"]["inherited"], Value::Null);
    }
    running.assert_unharmed();
}

#[test]
fn an_interruption_ends_the_recording_and_not_the_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = Running::mode("threads");
    let first = Begun::of(folder.path(), &running);
    // Meanwhile, another one is refused.
    let other =
        heapsmith(folder.path()).args(["record", "-o", "other", "-p", &running.id()]).output();
    let other = other.expect("it runs");
    let text = String::from_utf8_lossy(&other.stderr).into_owned();
    assert_eq!(other.status.code(), Some(3), "{text}");
    assert!(text.contains("is being recorded already"), "{text}");
    assert!(!folder.path().join("other.raw").exists());
    sleep(Duration::from_millis(100));
    first.interrupt();
    first.end();
    assert!(blocks(&info(folder.path())) > 100);
    running.assert_unharmed();
}

#[test]
fn a_process_that_is_killed_leaves_what_was_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = Running::mode("threads");
    let begun = Begun::of(folder.path(), &running);
    sleep(Duration::from_millis(200));
    running.signal(libc::SIGKILL);
    let text = begun.end();
    assert!(text.contains("has ended"), "{text}");
    let info = info(folder.path());
    assert!(blocks(&info) > 100, "{info}");
    assert_eq!(info["meta"]["damage"], Value::Array(vec![]));
}

#[test]
fn the_end_of_the_program_ends_the_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut running = Running::mode("read");
    let begun = Begun::of(folder.path(), &running);
    running.feed(5);
    running.assert_unharmed();
    begun.end();
    let info = info(folder.path());
    assert_whole(&info);
    assert_eq!(blocks(&info), 5, "{info}");
}

#[test]
fn other_allocators_tell_how_much_was_in_use() {
    let folder = Path::new("/usr/lib/x86_64-linux-gnu");
    let installed = ["libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0"];
    for (name, tells) in installed.iter().zip([true, true, false]) {
        let library = folder.join(name);
        if !library.is_file() {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("env");
        command.arg(format!("LD_PRELOAD={}", library.display()));
        let running = Running::start(command.arg(built("attached")).arg("threads"));
        let output = record(folder.path(), &["-p", &running.id(), "--for", "200ms"]).output();
        assert_done(&output.expect("it runs"));
        let info = info(folder.path());
        assert_whole(&info);
        assert!(blocks(&info) > 100, "{name}: {info}");
        assert!(number(&info, "/meta/attached/live_bytes") > 500 * 700, "{name}: {info}");
        assert_eq!(info["meta"]["attached"]["is_told_by_allocator"], tells, "{name}");
        running.assert_unharmed();
    }
}

#[test]
fn python_is_recorded_while_it_imports() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "import sys\n\
        print('ready', flush=True)\n\
        sys.stdin.read(1)\n\
        import sqlite3, json\n\
        base = sqlite3.connect(':memory:')\n\
        base.execute('create table t (n, s)')\n\
        base.executemany('insert into t values (?, ?)', [(n, 'x' * 900) for n in range(5000)])\n\
        print(base.execute('select sum(n) from t').fetchone()[0], flush=True)\n\
        sys.stdin.read()\n\
        print('done')\n\
        sys.exit(3)";
    let mut running = Running::start(Command::new("/usr/bin/python3").args(["-c", program]));
    let begun = Begun::of(folder.path(), &running);
    running.feed(1);
    let mut line = String::new();
    running.output.read_line(&mut line).expect("a line");
    assert_eq!(line, "12497500\n");
    begun.interrupt();
    begun.end();
    let info = info(folder.path());
    assert_whole(&info);
    let modules = info["modules"].to_string();
    assert!(number(&info, "/info/events") > 5000 && modules.contains("sqlite"), "{info}");
    running.assert_unharmed();
}

#[test]
fn a_root_without_files_is_named() {
    // SAFETY: geteuid has no requirements.
    if unsafe { libc::geteuid() } != 0 {
        return;
    }
    let (folder, root) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir());
    let root = root.expect("a folder");
    let program = "import os, sys\n\
        os.chroot(sys.argv[1])\n\
        os.chdir('/')\n\
        print('ready', flush=True)\n\
        sys.stdin.read()\n\
        print('done')\n\
        sys.exit(3)";
    let running =
        Running::start(Command::new("/usr/bin/python3").args(["-c", program]).arg(root.path()));
    let output = record(folder.path(), &["-p", &running.id()]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let why = format!("its root is {}; run heapsmith there", root.path().display());
    assert!(output.status.code() == Some(3) && text.contains(&why), "{text}");
    assert!(!text.contains("dlopen"), "{text}");
    running.assert_unharmed();
}

#[test]
fn a_process_that_cannot_be_recorded_is_told_and_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |id: &str, code: i32, part: &str| {
        let output = record(folder.path(), &["-p", id]).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(code) && text.contains(part), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!folder.path().join("t.trace.raw").exists());
    };
    refused("4194305", 2, "no process 4194305");
    let fixed = Running::start(Command::new(built("attached-static")).arg("read"));
    refused(&fixed.id(), 3, "linked statically");
    fixed.assert_unharmed();
    let stopped = Running::mode("read");
    stopped.signal(libc::SIGSTOP);
    sleep(Duration::from_millis(50));
    refused(&stopped.id(), 3, "is stopped");
    stopped.signal(libc::SIGCONT);
    stopped.assert_unharmed();
    let recorder = common::lab().join("libheapsmith_recorder.so");
    let raw = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("env");
    command.arg(format!("LD_PRELOAD={}", recorder.display()));
    command.arg(format!("HEAPSMITH_RECORD_DIR={}", raw.path().display()));
    let preloaded = Running::start(command.arg(built("attached")).arg("read"));
    refused(&preloaded.id(), 3, "from its start");
    preloaded.assert_unharmed();
    let output = record(folder.path(), &["-p", "1", "--", "true"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    let output = record(folder.path(), &["--for", "1s", "--", "true"]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
}
