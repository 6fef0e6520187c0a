//! `heapsmith record`, `pack` and `info` on programs whose allocations are known.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

use common::lab::cc;
use common::traces::{assert_whole, calls, info, number, of_power};
use common::{heapsmith, lab};
use serde_json::Value;

fn program() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        let built = folder.join("recorded");
        // At -O2 the compiler would leave out pairs of malloc and free.
        let options = ["-fno-builtin", "-fno-omit-frame-pointer", "-g", "-pthread"];
        cc(&options, &["lab/cli/tests/recorded.c"], &built);
        built
    })
}

/// The program recorded in one mode.
struct Recorded {
    folder: tempfile::TempDir,
    output: Output,
}

impl Recorded {
    fn run(mode: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = heapsmith(folder.path());
        command.args(["record", "-o", "t.trace", "--"]).arg(program()).arg(mode);
        let output = command.output().expect("it runs");
        Self { folder, output }
    }

    fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    fn others(&self) -> Vec<PathBuf> {
        let Ok(all) = fs::read_dir(self.folder.path().join("t.trace.others")) else {
            return Vec::new();
        };
        all.map(|entry| entry.expect("an entry").path()).collect()
    }

    /// The tables of `heapsmith info`.
    fn text(&self) -> String {
        let output = heapsmith(self.folder.path()).args(["info", "t.trace"]).output();
        String::from_utf8(output.expect("it runs").stdout).expect("text")
    }

    fn info(&self) -> Value {
        info(&self.folder.path().join("t.trace"))
    }
}

#[test]
fn every_function_is_recorded_with_its_arguments() {
    let recorded = Recorded::run("kinds");
    assert_eq!(recorded.code(), Some(3), "that of the program: {}", recorded.stderr());
    assert_eq!(String::from_utf8_lossy(&recorded.output.stdout), "done\n");
    let info = recorded.info();
    assert_whole(&info);
    for api in ["calloc", "aligned_alloc", "posix_memalign", "memalign", "malloc_usable_size"] {
        assert_eq!(calls(&info, &api.replace("malloc_", "")), 1, "{api}: {info}");
    }
    assert_eq!(calls(&info, "realloc"), 4);
    assert_eq!(number(&info, "/info/failed"), 2);
    let moves = number(&info, "/info/resized_moved") + number(&info, "/info/resized_in_place");
    assert_eq!(moves, 2);
    assert!(of_power(&info, 22) == 1, "one block of 3,000,007 bytes");
    assert_eq!(info["meta"]["command"][1], "kinds");
    assert!(recorded.stderr().contains("next: heapsmith info t.trace"), "{}", recorded.stderr());
    assert!(!recorded.folder.path().join("t.trace.raw").exists());
}

#[test]
fn threads_that_free_each_others_blocks_are_put_in_order() {
    let recorded = Recorded::run("threads");
    let info = recorded.info();
    assert_whole(&info);
    assert_eq!(number(&info, "/info/threads"), 5);
    assert!(calls(&info, "malloc") >= 80_000);
    assert_eq!(number(&info, "/info/freed_by_another_thread"), 80_000, "{info}");
    // All of the program's own are freed; libc keeps a few.
    assert!(number(&info, "/info/left_blocks") < 20, "{info}");
}

#[test]
fn threads_that_come_and_go_share_blocks_of_the_file() {
    let info = Recorded::run("many-threads").info();
    assert_whole(&info);
    assert_eq!(number(&info, "/info/threads"), 2001);
    assert_eq!(of_power(&info, 10) / 2000, 1, "blocks of 555 bytes");
    assert!(number(&info, "/meta/raw_bytes") < 40 * 65536, "{info}");
}

#[test]
fn libc_may_hold_its_locks_and_threads_may_be_cancelled() {
    let recorded = Recorded::run("locked");
    assert_eq!(recorded.code(), Some(3), "7: a thread was cancelled in malloc");
    let info = recorded.info();
    assert_whole(&info);
    assert!(of_power(&info, 9) >= 100_000);
}

#[test]
fn calls_of_destructors_of_a_thread_are_recorded() {
    let info = Recorded::run("late").info();
    assert_whole(&info);
    assert_eq!(of_power(&info, 10), 3, "three blocks of 777 bytes: {info}");
}

#[test]
fn a_forked_process_has_a_trace_of_its_own() {
    let recorded = Recorded::run("fork");
    let parent = recorded.info();
    assert_whole(&parent);
    assert_eq!(of_power(&parent, 13), 201 + 1, "5001 and 5003 bytes, and 4096: {parent}");
    let others = recorded.others();
    assert_eq!(others.len(), 1);
    let child = info(&others[0]);
    assert_eq!(of_power(&child, 13), 100);
    assert_whole(&child);
    assert_eq!(number(&child, "/info/inherited/freed_blocks"), 1, "the parent's block");
    assert_eq!(child["meta"]["parent_pid"], parent["meta"]["pid"]);
    assert!(number(&child, "/meta/fork_tick") > number(&parent, "/meta/first_tick"));
}

#[test]
fn a_program_that_another_one_becomes_has_a_trace_of_its_own() {
    let recorded = Recorded::run("exec");
    assert_eq!(recorded.code(), Some(3));
    assert_eq!(recorded.info()["meta"]["command"][1], "kinds");
    assert_eq!(info(&recorded.others()[0])["meta"]["command"][1], "exec");
}

#[test]
fn a_program_may_close_all_descriptors() {
    let recorded = Recorded::run("close");
    assert_eq!(recorded.code(), Some(3), "8 and 9: a descriptor was not as expected");
    let info = recorded.info();
    assert_whole(&info);
    assert_eq!(of_power(&info, 13), 100_000 + 1);
}

#[test]
fn events_without_room_on_the_disk_are_counted() {
    let recorded = Recorded::run("limit");
    assert_eq!(recorded.code(), Some(3), "the program goes on");
    let info = recorded.info();
    let dropped = number(&info, "/meta/dropped");
    assert!(dropped > 100_000, "{info}");
    assert_eq!(number(&info, "/info/events") + dropped, {
        // As many as in a recording without a limit.
        let whole = Recorded::run("close").info();
        number(&whole, "/info/events")
    });
    assert!(recorded.stderr().contains("events are missing: File too large"));
}

#[test]
fn a_killed_program_leaves_what_it_recorded() {
    for _ in 0..5 {
        let recorded = Recorded::run("killed");
        assert_eq!(recorded.code(), Some(128 + 9));
        let info = recorded.info();
        assert_eq!(info["meta"]["damage"], Value::Array(vec![]), "no block is cut");
        assert_eq!(number(&info, "/meta/dropped"), 0);
        assert!(number(&info, "/info/events") > 20, "{info}");
        // A free whose own event was cut off shows as one lost free of its block.
        assert!(number(&info, "/meta/misfits/unfreed") <= 4, "{info}");
    }
}

#[test]
fn calls_behind_an_exception_are_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let built = folder.path().join("thrown");
    let mut compile = std::process::Command::new("c++");
    compile.args(["-std=c++20", "-O1", "-fno-builtin", "-o"]).arg(&built);
    let status = compile.arg(common::lab::source("lab/cli/tests/thrown.cpp")).status();
    assert!(status.expect("c++ runs").success());
    let mut command = heapsmith(folder.path());
    let output = command.args(["record", "-o", "t.trace", "--"]).arg(&built).output();
    assert!(output.expect("it runs").status.success());
    let info = info(&folder.path().join("t.trace"));
    assert!(of_power(&info, 10) >= 1000, "{info}");
}

#[test]
fn a_program_that_aborts_keeps_its_exit_and_its_trace() {
    let recorded = Recorded::run("crash");
    assert_eq!(recorded.code(), Some(128 + 6));
    assert_eq!(of_power(&recorded.info(), 12), 1000);
}

#[test]
fn a_new_caller_is_recorded_with_its_stack() {
    let recorded = Recorded::run("stack");
    let info = recorded.info();
    let number_of = |value: &Value| value.as_u64().expect("a number") as usize;
    let offset = |caller: &Value| number_of(&info["callers"][number_of(caller)]["offset"]);
    let sites = info["info"]["sites"].as_array().expect("sites");
    let inner = sites.iter().position(|site| site["bytes"] == 2222).expect("the site");
    let stacks = info["stacks"].as_array().expect("stacks");
    let stack = stacks.iter().find(|stack| stack["caller"] == inner).expect("its stack");
    let frames = stack["frames"].as_array().expect("frames");
    // middle, outer and main called it. The functions lie in this order in the file, all but main.
    let offsets: Vec<_> = frames.iter().take(3).map(offset).collect();
    assert!(offsets.len() == 3 && offsets[0] < offsets[1], "{stack}");
    assert!(offset(&Value::from(inner)) < offsets[0], "{stack}");
    let text = recorded.text();
    assert!(text.contains("inner at recorded.c:"), "{text}");
}

#[test]
fn a_stack_is_whole_or_marked_as_cut() {
    let recorded = Recorded::run("stack");
    let mut command = heapsmith(recorded.folder.path());
    let output = command.args(["export", "t.trace", "--to", "folded", "-o", "-"]).output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
    let stack = |leaf: &str, bytes: u64| -> Vec<&str> {
        let end = format!(";{leaf} {bytes}");
        let line = text.lines().find_map(|line| line.strip_suffix(&end));
        line.unwrap_or_else(|| panic!("{end} in {text}")).split(';').collect()
    };
    let depth = |stack: &[&str]| stack.iter().filter(|&&it| it == "deep").count();
    let whole = stack("whole", 3333);
    assert!(depth(&whole) == 401 && whole.contains(&"main"), "{whole:?}");
    assert!(!whole.contains(&"(cut)"), "{whole:?}");
    let cut = stack("cut", 4444);
    assert!(depth(&cut) == 512 && cut[0] == "(cut)" && cut[1] == "deep", "{cut:?}");
    let info = recorded.info();
    let callers = info["callers"].as_array().expect("callers");
    assert_eq!(callers.iter().filter(|it| it["name"] == "(cut)").count(), 1);
}

#[test]
fn signal_handlers_may_allocate() {
    let info = Recorded::run("signals").info();
    assert_whole(&info);
    assert!(of_power(&info, 10) >= 1000 && of_power(&info, 5) >= 1000);
}

#[test]
fn what_cannot_be_recorded_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| {
        let output = heapsmith(folder.path()).args(arguments).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), text)
    };
    let launcher = lab().join("launcher");
    let (code, text) = run(&["record", "--", launcher.to_str().expect("text")]);
    assert!(code == Some(3) && text.contains("linked statically"), "{text}");
    let (code, text) = run(&["record", "--", "./absent"]);
    assert!(code == Some(2) && text.contains("./absent"), "{text}");
    fs::write(folder.path().join("true.trace"), "mine").expect("written");
    let (code, text) = run(&["record", "--", "true"]);
    assert!(code == Some(2) && text.contains("true.trace exists"), "{text}");
    assert_eq!(fs::read(folder.path().join("true.trace")).expect("read"), b"mine");
    let (code, text) = run(&["info", "true.trace"]);
    assert!(code == Some(3) && text.contains("is not a heapsmith trace"), "{text}");
    let (code, text) = run(&["record", "-f", "--", "true"]);
    assert!(code == Some(0), "{text}");
    assert!(!folder.path().join("true.trace.raw").exists());
}

#[test]
fn an_anonymous_trace_has_no_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = heapsmith(folder.path());
    command.args(["record", "--anonymize", "-o", "t.trace", "--"]).arg(program()).arg("stack");
    assert_eq!(command.output().expect("it runs").status.code(), Some(3));
    let info = info(&folder.path().join("t.trace"));
    let text = info["meta"].to_string() + &info["modules"].to_string();
    assert!(!text.contains("recorded") && !text.contains("stack\""), "{text}");
    assert_eq!(info["modules"], Value::Array(vec![]));
    let sites = info["info"]["sites"].as_array().expect("sites");
    assert!(sites.iter().any(|site| site["bytes"] == 2222));
    assert!(info["callers"].as_array().expect("callers").len() >= sites.len());
}

#[test]
fn an_interrupted_recording_is_packed_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = folder.path().join("t.trace.raw");
    fs::create_dir(&raw).expect("a folder");
    let recorder = lab().join("libheapsmith_recorder.so");
    let status = std::process::Command::new(program())
        .arg("kinds")
        .env("LD_PRELOAD", recorder)
        .env("HEAPSMITH_RECORD_DIR", &raw)
        .stdout(std::process::Stdio::null())
        .status();
    assert_eq!(status.expect("it runs").code(), Some(3));
    let mut again = heapsmith(folder.path());
    let output = again.args(["record", "-o", "t.trace", "--", "true"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && text.contains("heapsmith pack"), "{text}");
    let output = heapsmith(folder.path()).args(["pack", "t.trace.raw"]).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_whole(&info(&folder.path().join("t.trace")));
}

#[test]
fn a_site_that_is_inlined_is_shown_with_the_functions_around_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let built = folder.path().join("inlined");
    let mut compile = std::process::Command::new("c++");
    compile.args(["-std=c++20", "-O2", "-g", "-fno-builtin", "-o"]).arg(&built);
    let status = compile.arg(common::lab::source("lab/cli/tests/inlined.cpp")).status();
    assert!(status.expect("c++ runs").success());
    let mut command = heapsmith(folder.path());
    let output = command.args(["record", "-o", "t.trace", "--"]).arg(&built).output();
    assert!(output.expect("it runs").status.success());
    let output = heapsmith(folder.path()).args(["info", "t.trace"]).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let never_freed = text.split("never freed\n").last().expect("a table");
    let row = never_freed.lines().find(|line| line.contains("take_bytes")).expect("the site");
    // 50 blocks of 8000, 8008, … bytes, of which the last 20 are left.
    let words: Vec<&str> = row.split_whitespace().take(7).collect();
    assert_eq!(words, ["400", "KiB", "50", "400", "KiB", "162", "KiB"], "{row}");
    let site = "take_bytes (inlined into take<…>, fill) at inlined.cpp:7";
    assert!(row.ends_with(site), "{row}");
    let info = info(&folder.path().join("t.trace"));
    let top = info["top"].as_array().expect("the top sites");
    let of_site = top.iter().find(|it| it["name"] == site).expect("its name");
    let field = |n: usize, name: &str| of_site["frames"][n][name].clone();
    let lines: Vec<_> = (0..3).map(|n| field(n, "line")).collect();
    assert_eq!(lines, [7, 12, 20], "{of_site}");
    assert_eq!((field(0, "file"), field(2, "file")), ("inlined.cpp".into(), "inlined.cpp".into()));
    assert!(field(2, "function").as_str().expect("text").starts_with("fill"), "{of_site}");
    let caller = number(of_site, "/caller");
    assert_eq!(number(&info, &format!("/info/sites/{caller}/left_blocks")), 20);
}
