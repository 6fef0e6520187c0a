//! Ctrl-C and SIGTERM during `heapsmith try`.

mod common;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{heapsmith, json_lines};

fn start(folder: &Path, options: &[&str], program: &[&str]) -> Child {
    let mut command: Command = heapsmith(folder);
    command.args(["try", "--json", "out.json", "--alloc", "as-built,glibc"]).args(options);
    command.arg("--").args(program).stdout(Stdio::null()).stderr(Stdio::null());
    // A shell that runs tests in the background ignores SIGINT, which the command would inherit.
    // SAFETY: signal() may be called between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            Ok(())
        });
    }
    command.spawn().expect("it runs")
}

fn send(child: &Child, signal: i32) {
    // SAFETY: the child has not been waited for, so the id is still its own.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, signal) }, 0);
}

fn await_lines(path: &Path, lines: usize) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::read_to_string(path).unwrap_or_default().lines().count() < lines {
        assert!(Instant::now() < deadline, "the program was not run {lines} times");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupt_keeps_the_rounds_there_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = start(folder.path(), &["--rounds", "10000"], &["sh", "-c", "echo x >> runs"]);
    await_lines(&folder.path().join("runs"), 40);
    // Twice in a row, as `timeout` sends it: one interrupt all the same.
    send(&child, libc::SIGINT);
    send(&child, libc::SIGINT);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let records = json_lines(&folder.path().join("out.json"));
    let sample = records.iter().find(|record| record["kind"] == "sample").expect("samples");
    let n = sample["n"].as_u64().expect("a count");
    assert!((15..10_000).contains(&n), "{n} rounds");
    assert!(records.iter().any(|record| record["kind"] == "ratio"));
    assert!(folder.path().join("heapsmith-report.html").is_file());
}

#[test]
fn a_program_that_does_not_end_by_itself_is_ended() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        let folder = tempfile::tempdir().expect("a folder");
        let script = "trap '' INT; echo $$ > pid; exec sleep 600";
        let mut child = start(folder.path(), &["--rounds", "6"], &["sh", "-c", script]);
        await_lines(&folder.path().join("pid"), 1);
        let began = Instant::now();
        send(&child, signal);
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        assert!(began.elapsed() < Duration::from_secs(60));
        let pid = fs::read_to_string(folder.path().join("pid")).expect("a pid");
        // SAFETY: signal 0 only asks whether the process is there.
        let there = unsafe { libc::kill(pid.trim().parse().expect("a pid"), 0) } == 0;
        assert!(!there, "the program was left behind");
    }
}

#[test]
fn after_an_interrupt_of_prepare_only_cleanup_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let prepare = "echo x > preparing; exec sleep 600";
    let options = ["--prepare", prepare, "--cleanup", "echo x > cleaned"];
    let mut child = start(folder.path(), &options, &["sh", "-c", "echo x > started"]);
    await_lines(&folder.path().join("preparing"), 1);
    send(&child, libc::SIGINT);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(folder.path().join("cleaned").is_file());
    assert!(!folder.path().join("started").exists(), "the program was started");
}
