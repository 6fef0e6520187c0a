//! Traces that are not whole: `diff --fail-above` does not pass, and `info` and `report` begin with
//! what is missing.

mod common;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

use common::heapsmith;
use common::lab::cc;
use common::traces::{info, number};

const PROGRAM: &str = r"
#include <stdlib.h>
static void* kept[300];
int main(void) {
  for (int i = 0; i < 300; ++i) kept[i] = malloc(100 + i);
  for (int i = 0; i < 100; ++i) free(kept[i]);
  return 0;
}
";

/// A folder with whole.trace, and lost.trace, whose events found no room.
fn folder() -> &'static Path {
    static RECORDED: OnceLock<PathBuf> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        let source = folder.join("app.c");
        fs::write(&source, PROGRAM).expect("written");
        cc(&["-fno-builtin", "-g"], &[source.to_str().expect("a path")], &folder.join("app"));
        for (name, most) in [("whole.trace", None), ("lost.trace", Some(65_536))] {
            let mut command = heapsmith(&folder);
            command.args(["record", "-o", name, "--", "./app"]);
            if let Some(rlim_cur) = most {
                let limit = libc::rlimit { rlim_cur, rlim_max: libc::RLIM_INFINITY };
                // SAFETY: setrlimit may be called between fork and exec.
                unsafe {
                    command.pre_exec(move || {
                        libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit);
                        Ok(())
                    });
                }
            }
            assert!(command.output().expect("it runs").status.success());
        }
        folder
    })
}

fn run(words: &[&str]) -> Output {
    heapsmith(folder()).args(words).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The trace passes neither as the old one nor as the new one, and the Markdown says why.
fn assert_not_judged(name: &str, why: &str) {
    for pair in [["whole.trace", name], [name, "whole.trace"], [name, name]] {
        let markdown = format!("{name}.md");
        let options = ["--fail-above", "1000%", "--export-markdown", &markdown];
        let output = run(&[&["diff"][..], &pair, &options].concat());
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{pair:?}: {said}");
        assert!(said.contains(why), "{why} in {said}");
        let written = fs::read_to_string(folder().join(&markdown)).expect("Markdown");
        assert!(written.contains("- **") && written.contains(why), "{why} in {written}");
        fs::remove_file(folder().join(&markdown)).expect("it is there");
    }
}

#[test]
fn a_whole_trace_passes() {
    let output = run(&["diff", "whole.trace", "whole.trace", "--fail-above", "0%"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let output = run(&["info", "whole.trace"]);
    assert!(text(&output.stdout).starts_with("./app\n"), "{}", text(&output.stdout));
}

#[test]
fn a_trace_that_was_cut_off_passes_no_gate() {
    let whole = fs::read(folder().join("whole.trace")).expect("a trace");
    for length in [0, 5, 15, 16, 17, 40, whole.len() / 2, whole.len() - 1] {
        let name = format!("cut{length}.trace");
        fs::write(folder().join(&name), &whole[..length]).expect("written");
        let why = if length < 16 { "it ends before its first event" } else { "damaged at byte 1" };
        assert_not_judged(&name, if length < 500 { why } else { "is damaged at byte" });
    }
}

#[test]
fn a_trace_with_other_bytes_passes_no_gate() {
    let whole = fs::read(folder().join("whole.trace")).expect("a trace");
    let mut flipped = whole.clone();
    flipped[whole.len() / 3] ^= 4;
    fs::write(folder().join("flipped.trace"), &flipped).expect("written");
    assert_not_judged("flipped.trace", "is damaged at byte");
    // The section of the calls is left out, and all checksums are right.
    let bytes = u32::from_le_bytes(whole[20..24].try_into().expect("four bytes")) as usize;
    let without = [&whole[..16], &whole[32 + bytes..]].concat();
    fs::write(folder().join("without.trace"), without).expect("written");
    assert_not_judged("without.trace", "without.trace: 0 of");
    fs::write(folder().join("foreign.trace"), [7; 5000]).expect("written");
    for pair in [["whole.trace", "foreign.trace"], ["foreign.trace", "whole.trace"]] {
        let output = run(&[&["diff", "--fail-above", "5%"][..], &pair].concat());
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    }
    let output = run(&["diff", "--fail-above", "5%", "whole.trace", "absent.trace"]);
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("absent.trace: No such"), "{said}");
}

#[test]
fn a_trace_that_lost_events_passes_no_gate() {
    let lost = number(&info(&folder().join("lost.trace")), "/meta/dropped");
    assert!(lost >= 400, "{lost}");
    let why = format!("{lost} events are missing");
    assert_not_judged("lost.trace", &why);
    let output = run(&["diff", "whole.trace", "lost.trace"]);
    assert_eq!(output.status.code(), Some(0), "there is no limit");
    assert!(text(&output.stdout).starts_with("lost.trace is incomplete: "));
    let output = run(&["info", "lost.trace"]);
    assert!(text(&output.stdout).starts_with(&format!("incomplete: {why}\n./app\n")));
    let info = info(&folder().join("lost.trace"));
    assert_eq!(info["lacks"][0], why.as_str());
    let output = run(&["report", "lost.trace", "-o", "lost.html"]);
    let first = format!("lost.trace is incomplete: {why}. app ");
    assert!(text(&output.stdout).starts_with(&first), "{}", text(&output.stdout));
    let page = fs::read_to_string(folder().join("lost.html")).expect("a page");
    assert!(page.contains(&format!("<h1>{first}")), "also without scripts");
}

#[test]
fn a_program_without_a_call_decides_nothing() {
    fs::write(folder().join("none.mtrace"), "= Start\n").expect("written");
    let output = run(&["import", "none.mtrace", "-o", "none.trace"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_not_judged("none.trace", "none.trace is incomplete: it has no event");
    let output = run(&["info", "none.trace"]);
    assert!(!text(&output.stdout).contains("incomplete"), "{}", text(&output.stdout));
}
