//! `heapsmith advise`: programs in which a change pays, and one in which none does.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use common::lab::source;
use common::{control, heapsmith};
use serde_json::Value;

fn cxx(options: &[&str], to: &Path) {
    let mut command = Command::new("g++");
    command.args(["-std=c++20", "-O2"]).args(options).arg(source("lab/cli/tests/advised.cpp"));
    // Split debug information lies in the folder of the compilation.
    command.current_dir(to.parent().expect("a folder"));
    assert!(command.arg("-o").arg(to).status().expect("g++ runs").success());
}

fn program() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        let built = folder.join("advised");
        cxx(&["-g"], &built);
        built
    })
}

fn record(program: &Path, what: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = heapsmith(folder.path());
    command.args(["record", "--twice", "-o", "t.trace", "--"]).arg(program).arg(what);
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// Under a malloc that waits in each call, the gain of a change is far above the noise.
fn advise(folder: &Path, options: &[&str]) -> Output {
    let mut command = heapsmith(folder);
    let slow = format!("{};HEAPSMITH_CONTROL_NS=300", control("slow"));
    command.args(["advise", "t.trace", "--rounds", "6", "--malloc", "slow", "--alloc", &slow]);
    command.args(options).output().expect("it runs")
}

/// The advice as JSON, and as text.
fn advice(what: &str) -> (Value, String) {
    let folder = record(program(), what);
    let output = advise(folder.path(), &["--json", "advice.json"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let json = fs::read(folder.path().join("advice.json")).expect("a file");
    (serde_json::from_slice(&json).expect("JSON"), text)
}

/// The line of advised.cpp that ends so.
fn line_that(ends: &str) -> u64 {
    let text = fs::read_to_string(source("lab/cli/tests/advised.cpp")).expect("the program");
    let at = text.lines().position(|line| line.ends_with(ends)).expect("the line");
    at as u64 + 1
}

#[test]
fn the_line_the_change_and_the_code_are_said() {
    for (what, comment, change, code) in [
        ("temporary", "// ends at once", "stack-buffer", "inline_arena<64>"),
        ("together", "// end together", "arena", "memory.reset();"),
        ("nested", "// end newest first", "scope", "outer.child("),
        ("replaced", "// replaced, then end together", "heap", "memory.reset();"),
    ] {
        let (json, text) = advice(what);
        let pieces = json["pieces"].as_array().expect("pieces");
        assert_eq!(pieces.len(), 1, "{text}");
        let (piece, place) = (&pieces[0], &pieces[0]["places"][0]);
        assert_eq!(piece["change"], change, "{text}");
        assert_eq!(
            (&place["file"], &place["line"]),
            (&"advised.cpp".into(), &line_that(comment).into())
        );
        assert!(place["source"].as_str().expect("the line").ends_with(comment), "{place}");
        assert!(piece["blocks"].as_u64() > Some(100_000), "{piece}");
        let gain = &piece["gain"]["time"];
        let number = |name: &str| gain[name].as_f64().expect("a number");
        // Nearly all of the time are calls, of which nearly all are saved.
        assert!((0.7..1.1).contains(&number("median")) && number("low") > 0.5, "{gain}");
        for said in [code, "   seen: ", "safe if", "not verified", "next: change the code"] {
            assert!(text.contains(said), "{said}: {text}");
        }
    }
}

#[test]
fn no_change_pays_where_the_program_computes() {
    let (json, text) = advice("computed");
    assert_eq!(json["pieces"], Value::Array(Vec::new()), "{text}");
    assert!(text.contains("no change pays: none saves 1 % of the time or of the peak"), "{text}");
    assert!(text.contains("next: heapsmith try -- "), "{text}");
}

#[test]
fn json_on_stdout_is_alone_and_mistakes_are_told() {
    let folder = record(program(), "computed");
    let output = advise(folder.path(), &["--json", "-"]);
    assert!(output.status.success());
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON alone");
    assert!(json["malloc"].as_str().is_some_and(|it| it.starts_with("slow=")), "{json}");
    assert!(
        json["whole"]["is_processor_time"] == true && json["whole"]["time_s"].as_f64() > Some(0.0)
    );
    assert!(String::from_utf8_lossy(&output.stderr).contains("no change pays"));

    for (options, what) in [
        (&["--malloc", "nothing"][..], "nothing"),
        (&["--rounds", "2"], "--rounds"),
        (&["--most", "x"], "--most"),
        (&["--json", "missing/x.json"], "missing"),
    ] {
        let mut command = heapsmith(folder.path());
        let output = command.args(["advise", "t.trace"]).args(options).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && text.contains(what), "{output:?}");
    }
    fs::write(folder.path().join("t.trace"), "text").expect("written");
    let output = advise(folder.path(), &[]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && text.contains("is not a heapsmith trace"), "{text}");
}

#[test]
fn lines_are_found_in_split_and_separate_debug_information() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |words: &[&str]| {
        let status = Command::new(words[0]).args(&words[1..]).current_dir(folder.path()).status();
        assert!(status.expect("it runs").success(), "{words:?}");
    };
    let split = folder.path().join("split");
    cxx(&["-g", "-gsplit-dwarf"], &split);
    let linked = folder.path().join("linked");
    cxx(&["-g"], &linked);
    run(&["objcopy", "--only-keep-debug", "linked", "linked.debug"]);
    run(&["strip", "--strip-debug", "linked"]);
    run(&["objcopy", "--add-gnu-debuglink=linked.debug", "linked"]);
    for program in [&split, &linked] {
        let traced = record(program, "temporary");
        let output = heapsmith(traced.path()).args(["info", "t.trace"]).output().expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let line = format!("advised.cpp:{}", line_that("// ends at once"));
        assert!(text.contains(&line), "{}: {text}", program.display());
    }
}
