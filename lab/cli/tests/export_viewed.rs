//! `heapsmith export`: what the viewers of other tools say of a program whose allocations they would
//! easily confuse, beside what `heapsmith info` says.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread::sleep;
use std::time::Duration;

use common::heapsmith;
use common::lab::source;
use common::traces::{info, number};
use regex::Regex;
use serde_json::Value;

const CALLS: u64 = 20_000;

/// A folder with the trace of exported_alike.cpp, of which one part is built twice. Its code has other
/// addresses than offsets, as lld links, so that readers of the profile must mind its segments.
fn folder() -> &'static Path {
    static RECORDED: OnceLock<PathBuf> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        let at = |name: &str| folder.join(name);
        let build = |options: &[&str], files: &[PathBuf], to: PathBuf| {
            let mut command = Command::new("c++");
            command.args(["-g", "-O1", "-fno-builtin", "-fno-omit-frame-pointer"]);
            command.arg("-fno-optimize-sibling-calls").args(options).args(files).arg("-o").arg(to);
            assert!(command.status().expect("c++ runs").success());
        };
        let whole = source("lab/cli/tests/exported_alike.cpp");
        for part in ["a", "b"] {
            fs::create_dir(at(part)).expect("a folder");
            let file = at(part).join("util.cpp");
            fs::copy(&whole, &file).expect("a copy");
            build(&["-c", &format!("-DPART={part}")], &[file], at(&format!("{part}.o")));
        }
        let parts = [whole, at("a.o"), at("b.o")];
        build(&["-Wl,--section-start=.init=0x40001120"], &parts, at("alike"));
        let record = ["record", "-o", "t.trace", "--", "./alike"];
        assert!(heapsmith(&folder).args(record).output().expect("it runs").status.success());
        for format in ["pprof", "dhat", "firefox"] {
            let export = ["export", "t.trace", "--to", format];
            assert!(heapsmith(&folder).args(export).output().expect("it runs").status.success());
        }
        folder
    })
}

fn go(options: &[&str]) -> String {
    let mut command = Command::new("go");
    command.args(["tool", "pprof", "-unit=B"]).args(options).arg("t.pb.gz");
    let output = command.current_dir(folder()).output().expect("go is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The first number of the line that ends so.
fn flat(text: &str, end: &str) -> u64 {
    let line = text.lines().find(|line| line.ends_with(end));
    let line = line.unwrap_or_else(|| panic!("{end} in {text}"));
    let first = line.split_whitespace().next().expect("a number");
    first.trim_end_matches('B').parse().expect("a number")
}

#[test]
fn pprof_keeps_apart_what_is_not_the_same() {
    let text = go(&["-top"]);
    assert!(text.starts_with("File: alike\n"), "{text}");
    assert_eq!(flat(&text, " make<100>"), 2 * CALLS * 100);
    assert_eq!(flat(&text, " make<300>"), 2 * CALLS * 300);
    let text = go(&["-top", "-filefunctions"]);
    for file in ["a/util.cpp", "b/util.cpp"] {
        assert_eq!(
            flat(&text, &format!(" make<100> {}", folder().join(file).display())),
            CALLS * 100
        );
    }
    let text = go(&["-list=^make<100>$"]);
    assert!(text.contains("kept = malloc(bytes);"), "{text}");
}

#[test]
fn pprof_finds_the_code_of_calls() {
    let text = go(&["-disasm=make"]);
    let counted: Vec<&str> = text.lines().filter(|it| it.contains(";make<")).collect();
    assert_eq!(counted.len(), 4, "two parts have two functions: {text}");
    for line in counted {
        let bytes = if line.contains(";make<100> util.cpp:10") { 100 } else { 300 };
        assert!(line.contains(" CALL ") && flat(line, "") == CALLS * bytes, "{text}");
    }
}

#[test]
fn pprof_compares_with_profiles_of_go() {
    // The compiler is a program in Go that writes such a profile.
    fs::write(folder().join("empty.go"), "package main\n").expect("written");
    let mut compiler = Command::new("go");
    compiler.args(["tool", "compile", "-p", "main", "-memprofile=go.pb.gz", "empty.go"]);
    assert!(compiler.current_dir(folder()).status().expect("go is installed").success());
    let text = go(&["-top", "-diff_base=go.pb.gz", "-sample_index=alloc_space"]);
    assert_eq!(flat(&text, " make<100>"), 2 * CALLS * 100);
}

#[test]
fn sums_of_all_viewers_are_equal() {
    let info = info(&folder().join("t.trace"));
    let of = |name: &str| number(&info, &format!("/info/{name}"));
    let all = Regex::new(r"% of (\d+)B? total").expect("a pattern");
    for (kind, expected) in [
        ("alloc_space", "allocated_bytes"),
        ("alloc_objects", "allocated_blocks"),
        ("left_space", "left_bytes"),
        ("left_objects", "left_blocks"),
    ] {
        let text = go(&["-top", &format!("-sample_index={kind}")]);
        let all = all.captures(&text).unwrap_or_else(|| panic!("no sum in {text}"));
        assert_eq!(all[1].parse(), Ok(of(expected)), "{text}");
    }
    let script = "const fs = require('fs'), vm = require('vm');\
        const [viewer, profile] = process.argv.slice(1).map(it => fs.readFileSync(it, 'utf8'));\
        const view = vm.createContext({ profile, document: {} });\
        vm.runInContext(viewer + '; gSelect = { childNodes: [{}], selectedIndex: 0 };' +\
            'gData = JSON.parse(profile); buildTree();', view);\
        console.log(vm.runInContext('JSON.stringify(gRoot)', view));";
    let mut node = Command::new("node");
    node.args(["-e", script, "/usr/libexec/valgrind/dh_view.js", "t.dhat.json"]);
    let output = node.current_dir(folder()).output().expect("node is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let root: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for (field, expected) in [
        ("/_totalBytes", "allocated_bytes"),
        ("/_totalBlocks", "allocated_blocks"),
        ("/_atTEndBytes", "left_bytes"),
        ("/_atTEndBlocks", "left_blocks"),
    ] {
        assert_eq!(number(&root, field), of(expected), "{field}");
    }
}

/// The loader of the Firefox Profiler, which its command line runs as a process that answers questions.
/// It ends with the test.
struct Loader {
    program: PathBuf,
    folder: tempfile::TempDir,
    process: Child,
}

impl Loader {
    fn of(file: &Path) -> Self {
        let program = source("lab/page/node_modules/.bin/profiler-cli");
        assert!(program.is_file(), "npm --prefix report ci installs {}", program.display());
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Self::command(&program, &folder);
        let process = command.args(["--session", "test", "--daemon"]).arg(file).spawn();
        let loader = Self { program, folder, process: process.expect("it runs") };
        for _ in 0..600 {
            if loader.ask(&["status"]).is_some() {
                return loader;
            }
            sleep(Duration::from_millis(100));
        }
        panic!("{} is not loaded after a minute", file.display());
    }

    fn command(program: &Path, folder: &tempfile::TempDir) -> Command {
        let mut command = Command::new(program);
        command.env("HOME", folder.path()).env("PROFILER_CLI_SESSION_DIR", folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The answer, or none if it failed.
    fn ask(&self, words: &[&str]) -> Option<String> {
        let mut command = Self::command(&self.program, &self.folder);
        let output = command.args(words).stdout(Stdio::piped()).output().expect("it runs");
        output.status.success().then(|| String::from_utf8(output.stdout).expect("text"))
    }
}

impl Drop for Loader {
    fn drop(&mut self) {
        self.process.kill().expect("it ran");
        self.process.wait().expect("it ends");
    }
}

#[test]
fn firefox_shows_the_bytes_of_each_site() {
    let node = Command::new("node").arg("--version").output().expect("node is installed");
    let version = String::from_utf8(node.stdout).expect("text");
    let major = version.trim_start_matches('v').split('.').next();
    let major: u32 = major.map_or(0, |it| it.parse().expect("a number"));
    if major < 20 {
        eprintln!("skipped: the loader needs Node 20, and there is {version}");
        return;
    }
    let loader = Loader::of(&folder().join("t.firefox.json"));
    let functions = |kind: &str| {
        loader.ask(&["strategy", kind]).unwrap_or_else(|| panic!("it has {kind}"));
        loader.ask(&["thread", "functions"]).expect("it has functions")
    };
    let text = functions("native-allocations");
    assert!(text.contains("make<100> (util.cpp:10) - self: 4.00MB (25.0%)"), "{text}");
    assert!(text.contains("make<300> (util.cpp:10) - self: 12.0MB (75.0%)"), "{text}");
    assert!(text.contains("a() (util.cpp:16) - self: 0B (0.0%), total: 6.00MB"), "{text}");
    let text = functions("native-retained-allocations");
    assert!(text.contains("(exported_alike.cpp:23) - self: 20B (100.0%)"), "{text}");
}
