//! `heapsmith record` of programs that change their root or user, install a filter of system calls,
//! clear the environment, or go into the background: all events, or a line that says what is missing.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Output;
use std::sync::OnceLock;

use common::heapsmith;
use common::lab::{cc, source};
use common::traces::{assert_whole, info, number};
use serde_json::Value;

/// The exit code of the program if all went well.
const DONE: i32 = 5;

fn built(name: &str) -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder").keep();
        // Another user runs it, too.
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("it is ours");
        let options = ["-O1", "-fno-builtin", "-pthread"];
        let file = &["lab/cli/tests/confined.c"];
        cc(&options, file, &folder.join("confined"));
        cc(&[&options[..], &["-static"]].concat(), file, &folder.join("confined-static"));
        folder
    });
    folder.join(name)
}

struct Recorded {
    folder: tempfile::TempDir,
    output: Output,
}

impl Recorded {
    fn run(options: &[&str], program: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = heapsmith(folder.path());
        command.args(["record", "-o", "t.trace"]).args(options).arg("--").args(program);
        let output = command.output().expect("it runs");
        Self { folder, output }
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    fn assert_done(&self) {
        assert_eq!(self.output.status.code(), Some(DONE), "{}", self.stderr());
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join("t.trace")
    }

    /// All traces, the one in FILE first.
    fn all(&self) -> Vec<Value> {
        let others = fs::read_dir(self.folder.path().join("t.trace.others"));
        let others = others.into_iter().flatten().flatten().map(|entry| entry.path());
        std::iter::once(self.trace()).chain(others).map(|path| info(&path)).collect()
    }

    /// The events of the traces of `confined MODE`, in order of their number.
    fn events(&self, mode: &str) -> Vec<u64> {
        let all = self.all();
        let of_mode = all.iter().filter(|it| it["meta"]["command"][1] == mode);
        let mut events: Vec<u64> = of_mode.map(|it| number(it, "/info/events")).collect();
        events.sort_unstable();
        events
    }
}

fn is_root() -> bool {
    // SAFETY: geteuid has no preconditions.
    unsafe { libc::geteuid() == 0 }
}

fn assert_complete(recorded: &Recorded, mode: &str, expected: &[u64]) {
    recorded.assert_done();
    let text = recorded.stderr();
    assert!(!text.contains("missing") && !text.contains("not recorded"), "{text}");
    recorded.all().iter().for_each(assert_whole);
    let events = recorded.events(mode);
    // libc may make some calls of its own.
    let is_near = |(got, want): (&u64, &u64)| (*want..*want + 20).contains(got);
    let is_complete = events.len() == expected.len() && events.iter().zip(expected).all(is_near);
    assert!(is_complete, "{mode}: {events:?} in place of {expected:?}");
}

#[test]
fn a_program_that_loses_its_files_path_is_recorded_to_its_end() {
    if !is_root() {
        return;
    }
    let program = built("confined");
    let program = program.to_str().expect("text");
    let empty = tempfile::tempdir().expect("a folder");
    let empty = empty.path().to_str().expect("text");
    for mode in ["chroot", "setuid", "setfsuid"] {
        let recorded = Recorded::run(&[], &[program, mode, empty]);
        assert_complete(&recorded, mode, &[602_000]);
    }
}

#[test]
fn forked_processes_in_another_root_have_traces() {
    if !is_root() {
        return;
    }
    let program = built("confined");
    let empty = tempfile::tempdir().expect("a folder");
    let (program, empty) = (program.to_str().expect("text"), empty.path().to_str().expect("text"));
    let recorded = Recorded::run(&[], &[program, "fork", empty]);
    assert_complete(&recorded, "fork", &[400_000, 400_000, 602_000]);
    // They can read no list of their modules there, and have their parent's.
    for info in recorded.all() {
        let modules = info["modules"].to_string();
        assert!(modules.contains("/confined"), "{modules}");
    }
    assert!(!recorded.folder.path().join("t.trace.raw").exists());
}

#[test]
fn a_program_that_another_user_runs_has_a_trace() {
    if !is_root() {
        return;
    }
    let program = built("confined");
    let program = program.to_str().expect("text");
    let recorded = Recorded::run(&[], &[program, "exec", program]);
    assert_complete(&recorded, "work", &[300_000]);
    assert_eq!(recorded.all()[0]["meta"]["command"][1], "work", "FILE is its trace");
}

#[test]
fn behind_a_filter_the_recorder_makes_no_call() {
    let program = built("confined");
    let recorded = Recorded::run(&[], &[program.to_str().expect("text"), "filter"]);
    assert_complete(&recorded, "filter", &[404_000]);
}

#[test]
fn events_beyond_the_reserve_behind_a_filter_are_counted() {
    let program = built("confined");
    let recorded = Recorded::run(&[], &[program.to_str().expect("text"), "filter", "much"]);
    recorded.assert_done();
    let text = recorded.stderr();
    assert!(text.contains("missing: the program installed a filter of system calls"), "{text}");
    let info = info(&recorded.trace());
    let all = number(&info, "/info/events") + number(&info, "/meta/dropped");
    assert!((20_204_000..20_204_020).contains(&all), "{all}");
}

/// The list of docs/recording.md.
fn documented_calls() -> Vec<String> {
    let page = fs::read_to_string(source("docs/recording.md")).expect("a page");
    let (_, rest) = page.split_once("<!-- calls behind a filter -->").expect("the list");
    let list = rest.split("\n\n").nth(1).expect("a paragraph");
    list.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

#[test]
fn a_filter_of_the_documented_calls_lets_a_program_be_recorded() {
    let calls = documented_calls();
    assert!(calls.len() > 5, "{calls:?}");
    let program = built("confined");
    let program = program.to_str().expect("text");
    let run = |calls: &[String]| {
        let mut words = vec![program, "behind"];
        words.extend(calls.iter().map(String::as_str));
        words.extend(["--", program, "work"]);
        Recorded::run(&[], &words)
    };
    assert_complete(&run(&calls), "work", &[300_000]);
    // The list has no call too many, but for those that glibc needs, too.
    let without: Vec<String> = calls.iter().filter(|it| *it != "fallocate").cloned().collect();
    assert!(without.len() < calls.len());
    let text = run(&without).stderr();
    assert!(text.contains("a filter of system calls ended the program by SIGSYS"), "{text}");
}

#[test]
fn programs_without_the_recorder_are_named() {
    let (program, fixed) = (built("confined"), built("confined-static"));
    let (program, fixed) = (program.to_str().expect("text"), fixed.to_str().expect("text"));
    let script = format!("{fixed} work; {program} work; env -u LD_PRELOAD {program} work; :");
    let recorded = Recorded::run(&[], &["sh", "-c", &script]);
    assert!(recorded.output.status.success(), "{}", recorded.stderr());
    assert_eq!(recorded.events("work").len(), 1);
    let text = recorded.stderr();
    let named = |why: &str| {
        text.lines().any(|line| line.contains("was not recorded") && line.contains(why))
    };
    assert!(named(&format!("({fixed}) was not recorded: it is linked statically")), "{text}");
    assert!(named("LD_PRELOAD was taken out of its environment"), "{text}");
    let mut command = heapsmith(recorded.folder.path());
    let output = command.args(["info", "t.trace"]).output().expect("it runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("was not recorded: it is linked statically"), "{shown}");
}

#[test]
fn an_anonymous_trace_names_no_process_that_is_missing() {
    let fixed = built("confined-static");
    let script = format!("{} work; :", fixed.display());
    let recorded = Recorded::run(&["--anonymize"], &["sh", "-c", &script]);
    let meta = recorded.all()[0]["meta"].to_string();
    assert!(meta.contains("linked statically") && !meta.contains("confined"), "{meta}");
}

#[test]
fn a_static_program_that_becomes_another_is_named() {
    let (program, fixed) = (built("confined"), built("confined-static"));
    let (program, fixed) = (program.to_str().expect("text"), fixed.to_str().expect("text"));
    let recorded = Recorded::run(&[], &[fixed, "become", program, "work"]);
    recorded.assert_done();
    assert_eq!(recorded.events("work").len(), 1);
    let text = recorded.stderr();
    let line = format!("a process ({fixed}) was not recorded: it is linked statically");
    assert!(text.contains(&line), "{text}");
}

#[test]
fn a_cleared_environment_is_no_loss() {
    let program = built("confined");
    let program = program.to_str().expect("text");
    for words in [
        &["env", "-i", program, "work"][..],
        &["env", "-i", "sh", "-c", &format!("{program} work; exit 5")],
        &["env", "LD_PRELOAD=libm.so.6", program, "work"],
    ] {
        let recorded = Recorded::run(&[], words);
        assert_complete(&recorded, "work", &[300_000]);
    }
}

#[test]
fn exec_of_listed_arguments_is_no_loss() {
    let program = built("confined");
    let program = program.to_str().expect("text");
    for mode in ["execle", "execlp"] {
        let recorded = Recorded::run(&[], &[program, mode, program]);
        assert_complete(&recorded, "marked", &[300_000]);
    }
}

#[test]
fn a_process_in_the_background_is_named_or_waited_for() {
    let program = built("confined");
    let program = program.to_str().expect("text");
    let recorded = Recorded::run(&[], &[program, "background"]);
    let text = recorded.stderr();
    assert!(text.contains("(confined) still runs: its trace ends here"), "{text}");
    let recorded = Recorded::run(&["--wait"], &[program, "background"]);
    let text = recorded.stderr();
    assert!(!text.contains("still runs"), "{text}");
    let events: u64 = recorded.events("background").iter().sum();
    assert!((604_000..604_100).contains(&events), "{events}");
}
