//! `heapsmith diff` on traces of two versions of a program.

mod common;

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;

use common::lab::{cc, source};
use common::{heapsmith, lab};
use serde_json::Value;

/// A version: its name, the options that make it, and whether it has symbols.
const VERSIONS: [(&str, &[&str]); 4] = [
    ("old", &[]),
    ("same", &["-DLINES_MOVED"]),
    ("more", &["-DMORE"]),
    ("bare", &["-DMORE", "-s"]),
];

const PROGRAM: &str = r"
#ifdef LINES_MOVED



#endif
#include <stdlib.h>
enum { kept_blocks = 1000 };
static void* kept[kept_blocks];
__attribute__((noinline)) static void* node(void) { void* volatile p = malloc(1000); return p; }
__attribute__((noinline)) static void* buffer(int n) { void* volatile p = malloc(n); return p; }
int main(void) {
  for (int i = 0; i < kept_blocks; ++i) kept[i] = node();
#ifdef MORE
  for (int i = 0; i < 100; ++i) kept[i] = node();
#endif
  for (int i = 0; i < 500; ++i) free(buffer(200));
  for (int i = 0; i < kept_blocks / 2; ++i) free(kept[i]);
  return 0;
}
";

fn folder() -> &'static Path {
    static RECORDED: OnceLock<PathBuf> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        let source = folder.join("app.c");
        std::fs::write(&source, PROGRAM).expect("written");
        for (name, options) in VERSIONS {
            let options = [&["-fno-builtin", "-g"][..], options].concat();
            cc(&options, &[source.to_str().expect("a path")], &folder.join(name));
            let (trace, program) = (format!("{name}.trace"), format!("./{name}"));
            let mut command = heapsmith(&folder);
            let output = command.args(["record", "-o", &trace, "--", &program]).output();
            assert!(output.expect("it runs").status.success());
        }
        folder
    })
}

fn diff(options: &[&str]) -> Output {
    heapsmith(folder()).arg("diff").args(options).output().expect("it runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn growth_fails_above_the_limit_only() {
    let shown = diff(&["old.trace", "more.trace"]);
    assert_eq!(shown.status.code(), Some(0));
    assert!(text(&shown).contains("no limit: --fail-above 5%"), "{}", text(&shown));
    let failed = diff(&["old.trace", "more.trace", "--fail-above", "5%"]);
    assert_eq!(failed.status.code(), Some(1));
    let text = text(&failed);
    for line in [
        "regression: calls +6.7 % (1500 → 1600)",
        "regression: bytes +9.1 % (1.05 MiB → 1.14 MiB)",
        "regression: peak +10.0 % (",
        "regression: never freed +20.0 % (",
        "regression: calls +6.7 % of the program (1000 → 1100) at node at app.c",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(!text.contains("buffer"), "it is as it was: {text}");
    let passed = diff(&["old.trace", "more.trace", "--fail-above", "25%"]);
    assert_eq!(passed.status.code(), Some(0));
    let better = diff(&["more.trace", "old.trace", "--fail-above", "1%"]);
    assert_eq!(better.status.code(), Some(0));
    assert!(self::text(&better).contains("−"), "{}", self::text(&better));
}

#[test]
fn lines_that_moved_are_no_change() {
    let same = diff(&["old.trace", "same.trace", "--fail-above", "0%", "--all"]);
    assert_eq!(same.status.code(), Some(0), "{}", text(&same));
    assert!(!text(&same).contains("sites that changed"), "{}", text(&same));
}

#[test]
fn versions_without_symbols_are_compared_in_all() {
    let bare = diff(&["old.trace", "bare.trace"]);
    assert!(text(&bare).contains("bare, which has no symbols"), "{}", text(&bare));
    assert!(text(&bare).contains("+9.1 %"), "{}", text(&bare));
}

#[test]
fn json_and_markdown_say_the_same() {
    let options = ["old.trace", "more.trace", "--fail-above", "15%"];
    let files = ["--json", "d.json", "--export-markdown", "d.md"];
    let output = diff(&[&options[..], &files].concat());
    assert_eq!(output.status.code(), Some(1));
    let json = std::fs::read_to_string(folder().join("d.json")).expect("the file");
    let lines: Vec<Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let node = lines.iter().find(|it| it["name"] == "node at app.c").expect("the site");
    assert_eq!((&node["kind"], &node["bytes"]["old"]), (&"site".into(), &1_000_000.into()));
    assert_eq!(node["bytes"]["new"], 1_100_000);
    let last = lines.last().expect("a line");
    assert_eq!((&last["kind"], &last["calls"]["new"]), (&"trace_diff".into(), &1600.into()));
    assert_eq!(last["regressions"].as_array().map(Vec::len), Some(2), "{last}");
    let markdown = std::fs::read_to_string(folder().join("d.md")).expect("the file");
    for line in [
        "- **never freed +20.0 % (488 KiB → 586 KiB)**",
        "| calls | 1500 | 1600 | +6.7 % |",
        "| `node at app.c` | 1000 → 1100 |",
    ] {
        assert!(markdown.contains(line), "{line} in {markdown}");
    }
    let results = heapsmith(folder()).args(["report", "d.json"]).output().expect("it runs");
    assert!(!results.status.success(), "these are no results");
}

/// The lines for a branch, as docs/ci.md has them: the old trace is there, and a program that
/// allocates more is the new version.
#[test]
fn the_recipe_of_the_page_fails_a_build() {
    let page = std::fs::read_to_string(source("docs/ci.md")).expect("the page");
    let recipe = page.split("# on a branch").nth(1).expect("a recipe");
    let recipe =
        recipe.split_once('\n').and_then(|it| it.1.split("```").next()).expect("its lines");
    let run = |version: &str, limit: &str| {
        let place = tempfile::tempdir().expect("a folder");
        std::fs::copy(folder().join("old.trace"), place.path().join("old.trace")).expect("a copy");
        std::fs::copy(folder().join(version), place.path().join("app")).expect("a copy");
        let built = Path::new(env!("CARGO_BIN_EXE_heapsmith")).parent().expect("a folder");
        let path = format!("{}:{}", built.display(), std::env::var("PATH").expect("a path"));
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &recipe.replace("5%", limit)]).current_dir(place.path());
        shell.env("PATH", path).env("HEAPSMITH_LAB_DIR", lab()).env_remove("LD_PRELOAD");
        let output = shell.env("GITHUB_STEP_SUMMARY", "summary.md").output().expect("a shell");
        let summary = std::fs::read_to_string(place.path().join("summary.md")).expect("a summary");
        (output.status.code(), summary)
    };
    let (code, summary) = run("more", "5%");
    assert_eq!(code, Some(1), "{summary}");
    assert!(summary.contains("| calls | 1500 | 1600 | +6.7 % |"), "{summary}");
    assert_eq!(run("more", "25%").0, Some(0));
    assert_eq!(run("same", "5%").0, Some(0));
}

/// `heapsmith diff old.json <(command)`: a pipe is read once.
#[test]
fn results_may_come_from_a_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("new.json"), "").expect("written");
    let heapsmith = env!("CARGO_BIN_EXE_heapsmith");
    let script = format!(
        "mkfifo pipe && (echo '{{\"kind\": \"unknown kind\"}}' >pipe & timeout 20 {heapsmith} diff pipe new.json; kill $!)"
    );
    let mut shell = std::process::Command::new("sh");
    let output = shell.args(["-c", &script]).current_dir(folder.path()).output();
    let text = String::from_utf8_lossy(&output.expect("a shell").stderr).into_owned();
    assert!(text.contains("unknown kind"), "the whole line was read: {text}");
}

#[test]
fn a_trace_and_results_do_not_compare() {
    std::fs::write(folder().join("results.json"), "{}\n").expect("written");
    for pair in [["old.trace", "results.json"], ["results.json", "old.trace"]] {
        let output = diff(&pair);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("old.trace is a trace, but results.json is not"), "{text}");
    }
    let output = diff(&["old.trace", "same.trace", "--metric", "wall_s"]);
    assert_eq!(output.status.code(), Some(2));
}
