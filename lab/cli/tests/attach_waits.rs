//! `heapsmith record -p` on programs that wait: they must not notice it, nor that it was killed.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::heapsmith;
use common::running::{Running, assert_done, built, record, record_while_fed};
use serde_json::Value;

fn waiting(mode: &str) -> Running {
    Running::start(Command::new(built("attached-waits")).arg(mode))
}

fn blocks(folder: &tempfile::TempDir) -> u64 {
    let mut command = heapsmith(folder.path());
    let output = command.args(["info", "--json", "-", "t.trace"]).output().expect("it runs");
    let info: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    info["info"]["sizes"][10].as_u64().unwrap_or(0)
}

#[test]
fn no_wait_with_a_limit_ends_early_or_late() {
    let modes = ["epoll", "recv", "accept", "sigtimedwait", "semtimedop"];
    let started: Vec<_> = modes.map(|mode| (mode, waiting(mode), tempfile::tempdir())).into();
    sleep(Duration::from_millis(900)); // each is within its wait of two seconds
    let recording: Vec<_> = started
        .into_iter()
        .map(|(mode, running, folder)| {
            let folder = folder.expect("a folder");
            let mut command = record(folder.path(), &["-p", &running.id(), "--for", "300ms"]);
            (mode, running, command.spawn().expect("it runs"), folder)
        })
        .collect();
    for (mode, running, command, folder) in recording {
        assert_done(&command.wait_with_output().expect("it ends"));
        assert!(blocks(&folder) > 0, "{mode}: it was not recorded between its waits");
        running.assert_unharmed();
    }
}

#[test]
fn threads_that_are_not_needed_are_left_alone() {
    for mode in ["ring", "write"] {
        let folder = tempfile::tempdir().expect("a folder");
        let running = waiting(mode);
        for _ in 0..3 {
            let output = record(folder.path(), &["-p", &running.id(), "--for", "100ms"]).output();
            assert_done(&output.expect("it runs"));
        }
        running.assert_unharmed();
    }
}

#[test]
fn a_thread_is_not_cancelled_within_malloc() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = waiting("cancelled");
    let output = record(folder.path(), &["-p", &running.id(), "--for", "100ms"]).output();
    assert_done(&output.expect("it runs"));
    assert!(blocks(&folder) > 0);
    running.assert_unharmed();
}

#[test]
fn a_process_whose_first_thread_has_ended_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = waiting("first_ended");
    sleep(Duration::from_millis(100));
    let output = record(folder.path(), &["-p", &running.id(), "--for", "200ms"]).output();
    let text = assert_done(&output.expect("it runs"));
    assert!(text.contains("(attached-waits)"), "{text}");
    assert!(blocks(&folder) > 0);
    running.assert_unharmed();
}

#[test]
fn waits_for_messages_go_on() {
    for mode in ["msgsnd", "mq"] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut running = waiting(mode);
        record_while_fed(folder.path(), &mut running, 0);
        running.assert_unharmed();
    }
}

#[test]
fn a_wait_for_vfork_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = waiting("vfork");
    let output = record(folder.path(), &["-p", &running.id()]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("a child that it made by vfork"), "{text}");
    running.assert_unharmed();
}

/// Kills the command at many moments: while it looks for a thread, while calls are in the process,
/// and while that records.
#[test]
fn a_killed_command_leaves_the_process_alive() {
    for mode in ["busy", "threads", "epoll"] {
        let folder = tempfile::tempdir().expect("a folder");
        let running = Running::mode(mode);
        for n in 0..25 {
            let mut command = record(folder.path(), &["-p", &running.id()]);
            let mut command = command.stderr(Stdio::null()).spawn().expect("it runs");
            sleep(Duration::from_micros(3000 * n));
            command.kill().expect("it can be killed");
            command.wait().expect("it has ended");
        }
        // The recording ends with the command, so another one can begin.
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let output = record(folder.path(), &["-p", &running.id(), "--for", "100ms"]).output();
            let output = output.expect("it runs");
            if output.status.success() {
                break;
            }
            assert!(Instant::now() < end, "{}", String::from_utf8_lossy(&output.stderr));
        }
        if mode == "busy" {
            running.signal(libc::SIGUSR1); // its end; it would interrupt the wait of the others
        }
        running.assert_unharmed();
    }
}
