//! Signals that end `heapsmith record`: its program gets them, and its recording is kept.

mod common;

use std::fs;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::heapsmith;
use common::traces::{assert_whole, info, number};

const SIGNALS: [i32; 3] = [libc::SIGTERM, libc::SIGHUP, libc::SIGINT];

/// Starts the command with the default action of each signal, as a shell does, or with none.
fn start(folder: &Path, arguments: &[&str], script: &str, action: libc::sighandler_t) -> Child {
    let mut command: Command = heapsmith(folder);
    command.arg("record").args(arguments).args(["--", "sh", "-c", script]);
    command.stdout(Stdio::null()).stderr(fs::File::create(folder.join("said")).expect("a file"));
    // SAFETY: signal() may be called between fork and exec.
    unsafe {
        command.pre_exec(move || {
            for signal in SIGNALS {
                libc::signal(signal, action);
            }
            Ok(())
        });
    }
    command.spawn().expect("it runs")
}

fn await_file(path: &Path) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::read(path).unwrap_or_default().is_empty() {
        assert!(Instant::now() < deadline, "no {}", path.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn send(child: &Child, signal: i32) {
    // SAFETY: the child has not been waited for, so the id is still its own.
    assert_eq!(unsafe { libc::kill(child.id() as libc::pid_t, signal) }, 0);
}

#[test]
fn a_signal_ends_the_program_and_keeps_its_recording() {
    for signal in SIGNALS {
        let folder = tempfile::tempdir().expect("a folder");
        let script = "ls >/dev/null; echo $$ >ready; exec sleep 600";
        let mut child = start(folder.path(), &["-o", "t.trace"], script, libc::SIG_DFL);
        await_file(&folder.path().join("ready"));
        send(&child, signal);
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(128 + signal), "{:?}", status.signal());
        let trace = info(&folder.path().join("t.trace"));
        assert_whole(&trace);
        assert!(number(&trace, "/meta/events") > 0);
        let said = fs::read_to_string(folder.path().join("said")).expect("text");
        assert!(said.contains("events in t.trace"), "{said}");
        assert!(!folder.path().join("t.trace.raw").exists(), "{said}");
    }
}

#[test]
fn a_program_may_end_by_itself_after_a_signal() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "trap 'kill $!; exit 7' TERM; sleep 600 & echo $$ >ready; wait";
    let mut child = start(folder.path(), &["-o", "t.trace"], script, libc::SIG_DFL);
    await_file(&folder.path().join("ready"));
    send(&child, libc::SIGTERM);
    assert_eq!(child.wait().expect("it ends").code(), Some(7));
    assert_whole(&info(&folder.path().join("t.trace")));
}

#[test]
fn signals_that_are_ignored_stay_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "echo $$ >ready; while ! test -e go; do sleep 0.01; done; exit 5";
    let mut child = start(folder.path(), &["-o", "t.trace", "--twice"], script, libc::SIG_IGN);
    await_file(&folder.path().join("ready"));
    send(&child, libc::SIGHUP);
    send(&child, libc::SIGTERM);
    fs::write(folder.path().join("go"), "").expect("written");
    assert_eq!(child.wait().expect("it ends").code(), Some(5));
    assert!(folder.path().join("t.trace").is_file());
}

#[test]
fn a_signal_during_the_plain_run_begins_no_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "echo x >>ready; exec sleep 600";
    let mut child = start(folder.path(), &["-o", "t.trace", "--twice"], script, libc::SIG_DFL);
    await_file(&folder.path().join("ready"));
    send(&child, libc::SIGTERM);
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(fs::read_to_string(folder.path().join("ready")).expect("text"), "x\n");
    assert!(!folder.path().join("t.trace").exists());
}
