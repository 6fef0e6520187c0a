//! The examples of docs/recording.md, docs/replay.md and docs/faster.md: their commands print what
//! the pages show, but for numbers that differ from run to run.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use common::lab;
use common::lab::source;
use regex::Regex;

/// The blocks of a page that are marked with this word.
fn blocks(page: &str, mark: &str) -> Vec<String> {
    let text = fs::read_to_string(source(page)).expect("the page");
    let opening = format!("```{mark}\n");
    let behind = text.split(&opening).skip(1);
    behind.map(|rest| rest.split("```").next().expect("its end").to_string()).collect()
}

/// A command, and the lines that the page shows below it.
struct Example {
    command: String,
    shown: Vec<String>,
}

fn examples(page: &str) -> Vec<Example> {
    let mut all: Vec<Example> = Vec::new();
    for line in blocks(page, "console").iter().flat_map(|block| block.lines()) {
        match line.strip_prefix("$ ") {
            Some(command) => all.push(Example { command: command.to_string(), shown: Vec::new() }),
            None => all.last_mut().expect("a command comes first").shown.push(line.to_string()),
        }
    }
    all
}

/// How lines are made alike: what matches is replaced.
struct Alike(Vec<(Regex, &'static str)>);

impl Alike {
    fn of(rules: &[(&str, &'static str)]) -> Self {
        let both = [("[─═]+", "─"), (r"\s+", " "), ("^ | $", "")];
        let rules = rules.iter().chain(&both);
        Self(rules.map(|&(what, by)| (Regex::new(what).expect("a pattern"), by)).collect())
    }

    fn line(&self, line: &str) -> String {
        let replace =
            |line: String, rule: &(Regex, &str)| rule.0.replace_all(&line, rule.1).into_owned();
        self.0.iter().fold(line.to_string(), replace)
    }
}

/// Whether the lines are those shown, where "..." stands for any lines or none, and at the end of a
/// line for the rest of it.
fn fits(shown: &[String], lines: &[String]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((any, rest)) if any == "..." => (0..=lines.len()).any(|n| fits(rest, &lines[n..])),
        Some((first, rest)) => {
            let is_it = |line: &String| match first.strip_suffix(" ...") {
                Some(begin) => line.starts_with(begin),
                None => line == first,
            };
            lines.first().is_some_and(is_it) && fits(rest, &lines[1..])
        }
    }
}

/// Runs the commands of a page, and compares. `takes_all`: also what they write to stderr.
fn check(page: &str, folder: &Path, takes_all: bool, alike: &Alike) {
    let built = Path::new(env!("CARGO_BIN_EXE_heapsmith")).parent().expect("a folder");
    let path = std::env::var("PATH").expect("a path");
    let all = examples(page);
    assert!(!all.is_empty(), "{page} has examples");
    for Example { command, shown } in all {
        let expected: Vec<String> = shown.iter().map(|line| alike.line(line)).collect();
        let run = || {
            let mut shell = Command::new("sh");
            shell.args(["-c", &command]).current_dir(folder).env("HEAPSMITH_LAB_DIR", lab());
            // As where heapsmith is installed.
            shell.env("CPLUS_INCLUDE_PATH", source("include"));
            shell.env("PATH", format!("{}:{path}", built.display())).env_remove("LD_PRELOAD");
            let output = shell.output().expect("a shell");
            let mut text = String::from_utf8(output.stdout).expect("text");
            if takes_all {
                text += &String::from_utf8(output.stderr).expect("text");
            }
            // Some shells say that a command was killed.
            let lines = text.lines().filter(|line| *line != "Killed");
            lines.map(|line| alike.line(line)).collect::<Vec<String>>()
        };
        // A busy machine may hide a gain.
        let tries = if command.starts_with("heapsmith advise") { 4 } else { 1 };
        let mut lines = run();
        for _ in 1..tries {
            if !fits(&expected, &lines) {
                lines = run();
            }
        }
        assert!(
            fits(&expected, &lines),
            "{page}: $ {command}\nprinted\n{}\nand the page has\n{}",
            lines.join("\n"),
            expected.join("\n")
        );
    }
}

/// Some examples measure times, so the pages are tested one after another.
static ALONE: Mutex<()> = Mutex::new(());

fn recorded() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let program = blocks("docs/recording.md", "c").swap_remove(0);
    fs::write(folder.path().join("words.c"), program).expect("written");
    // Times, and sizes of files. Counts and sizes of blocks are always the same.
    let alike = Alike::of(&[
        (r"\d+(\.\d+)? (ns|us|µs|ms|s)\b", "TIME"),
        (r"[\d.]+ KiB, [\d.]+ bytes an event \([\d.]+ as recorded\)", "SIZE"),
        (r"and \d+ in 1 more", "and N in 1 more"),
        (r"^ *TIME +\d+ +[\d.]+ %  #+$", "LIFETIMES"),
    ]);
    check("docs/recording.md", folder.path(), true, &alike);
    folder
}

#[test]
fn examples_of_recordings_and_replays_print_what_the_pages_show() {
    let _alone = ALONE.lock();
    let folder = recorded();
    // Numbers with their units, intervals and marks of what is certain.
    let alike = Alike::of(&[
        (r"\d+(\.\d+)?( (B|KiB|MiB|ns|us|µs|ms|s|%))?", "N"),
        (r" *\[N, N\]", ""),
        (r"[×+−]N", "N"),
        (r" [?≈](\s|$)", "$1"),
        (r"replay cannot decide; real runs do", ""),
        (r"^(no allocator needs )?(less (time|memory)) than glibc.*", "$2"),
        (r"^under glibc, this time is .*", "SHARE"),
    ]);
    check("docs/replay.md", folder.path(), false, &alike);
}

#[test]
#[ignore = "takes a minute: ./dev test --whole runs it"]
fn the_tutorial_of_advice_ends_with_a_faster_program() {
    let _alone = ALONE.lock();
    let folder = tempfile::tempdir().expect("a folder");
    for (mark, name) in [("cpp orders.cpp", "orders.cpp"), ("diff orders.diff", "orders.diff")] {
        let text = blocks("docs/faster.md", mark).swap_remove(0);
        fs::write(folder.path().join(name), text).expect("written");
    }
    check("docs/faster.md", folder.path(), true, &Alike::of(&[]));
}

#[test]
fn a_line_that_differs_is_seen() {
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    assert!(fits(&lines("a\n...\nd"), &lines("a\nb\nc\nd")));
    assert!(fits(&lines("a\n..."), &lines("a")));
    assert!(!fits(&lines("a\n...\nd"), &lines("a\nb\nc")));
    assert!(fits(&lines("a b ...\nd"), &lines("a b c\nd")));
    assert!(!fits(&lines("a b ..."), &lines("a c d")));
    assert!(!fits(&lines("a\nb"), &lines("a\nc")));
    assert!(!fits(&lines("a"), &lines("a\nb")));
}
