//! Files that were changed, stripped or built for musl, and what `record` and `info` say of them.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::heapsmith;

const FIRST: &str = "#include <stdlib.h>\n\
    __attribute__((noinline)) void* make(void) { void* volatile p = malloc(500000); return p; }\n\
    int main(void) { free(make()); return 0; }\n";
const SECOND: &str = "#include <stdlib.h>\n\
    __attribute__((noinline)) int other(int n) { return n * 3; }\n\
    __attribute__((noinline)) void* unrelated(void) { void* volatile p = malloc(7); return p; }\n\
    int main(int n, char** v) { free(unrelated()); return other(n) < 0; }\n";

fn run(folder: &Path, program: &str, words: &[&str]) {
    let mut command = Command::new(program);
    let done = command.args(words).current_dir(folder).status().expect(program);
    assert!(done.success(), "{program} {words:?}");
}

fn build(folder: &Path, source: &str, id: &str) {
    fs::write(folder.join("app.c"), source).expect("written");
    run(folder, "cc", &["-g", "-O1", &format!("-Wl,--build-id={id}"), "app.c", "-o", "app"]);
}

fn told(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    String::from_utf8_lossy(&output.stdout).into_owned() + &text
}

fn record(folder: &Path, words: &[&str]) -> String {
    let mut command = heapsmith(folder);
    told(&command.args(["record", "-f", "-o", "t", "--"]).args(words).output().expect("it runs"))
}

fn info(folder: &Path) -> String {
    let mut command = heapsmith(folder);
    command.args(["info", "t"]).env("DEBUGINFOD_CACHE_PATH", folder.join("fetched"));
    told(&command.output().expect("it runs"))
}

#[test]
fn names_of_another_program_are_not_given() {
    for id in ["none", "sha1"] {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path();
        let line = format!("names are missing for {}/app: the file has changed", at.display());
        build(at, FIRST, id);
        assert!(!record(at, &["./app"]).contains("names are missing"));
        let shown = info(at);
        assert!(shown.contains("make at app.c:2") && !shown.contains(&line), "{shown}");
        build(at, SECOND, id);
        let shown = info(at);
        assert!(!shown.contains("unrelated") && shown.contains(" app+0x"), "{shown}");
        assert_eq!(shown.matches(&line).count(), 1, "{shown}");

        // Between its end and the packing.
        build(at, FIRST, id);
        fs::rename(at.join("app"), at.join("first")).expect("renamed");
        build(at, SECOND, id);
        fs::rename(at.join("app"), at.join("second")).expect("renamed");
        fs::rename(at.join("first"), at.join("app")).expect("renamed");
        let said = record(at, &["sh", "-c", "./app; mv second app"]);
        assert_eq!(said.matches(&line).count(), 1, "{said}");
        let shown = info(at);
        assert!(!shown.contains("unrelated") && shown.contains(&line), "{shown}");
    }
}

#[test]
fn debug_information_that_was_fetched_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    build(at, FIRST, "0xabcdef1234");
    fs::create_dir_all(at.join("fetched/abcdef1234")).expect("a folder");
    run(at, "objcopy", &["--only-keep-debug", "app", "debuginfo"]);
    run(at, "strip", &["app"]);
    record(at, &["./app"]);
    let shown = info(at);
    assert!(shown.contains("`debuginfod-find debuginfo abcdef1234`"), "{shown}");
    fs::rename(at.join("debuginfo"), at.join("fetched/abcdef1234/debuginfo")).expect("renamed");
    let shown = info(at);
    assert!(shown.contains("make at app.c:2"), "{shown}");
    assert!(!shown.contains("names are missing"), "{shown}");
}

#[test]
fn a_program_of_musl_is_refused_and_runs_as_a_child() {
    if Command::new("musl-gcc").arg("--version").output().is_err() {
        return; // Debian's musl-tools have it
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("app.c"), FIRST).expect("written");
    run(at, "musl-gcc", &["app.c", "-o", "app"]);
    let output =
        heapsmith(at).args(["record", "-o", "t", "--", "./app"]).output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("is a program of musl"), "{said}");
    assert!(!said.contains("static") && !at.join("t").exists(), "{said}");
    for words in [["sh", "-c", "./app; test $? = 0"], ["sh", "-c", "exec env -i ./app"]] {
        let said = record(at, &words);
        assert!(said.contains("was not recorded: it is a program of musl"), "{said}");
    }
}
