//! Where results go: JSON lines, CSV and Markdown, in files and on stdout; pages made again.

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{Try, closed_pipe, heapsmith};
use serde_json::Value;

const TWO: &str = "as-built,glibc";

fn run(folder: &Path, arguments: &[&str]) -> Output {
    heapsmith(folder).args(arguments).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn try_with(options: &[&str]) -> (Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let start = ["try", "--rounds", "6", "--alloc", TWO];
    let all = [&start[..], options, &["--", "true"]].concat();
    (run(folder.path(), &all), folder)
}

#[test]
fn json_on_stdout_leaves_the_table_to_stderr() {
    let (output, _folder) = try_with(&["--json", "-"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let lines: Vec<Value> = text(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("only JSON is on stdout"))
        .collect();
    assert!(lines.iter().all(|line| line["schema"] == 2));
    assert!(lines.iter().any(|line| line["kind"] == "verdict"));
    let said = text(&output.stderr);
    assert!(said.contains("wall time") && said.contains("page: "), "{said}");
    assert!(!said.contains('\x1b'), "no colours into a pipe");
}

#[test]
fn a_closed_pipe_keeps_the_page_and_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = heapsmith(folder.path());
    command.args(["try", "--rounds", "6", "--alloc", "as-built,glibc", "--json", "-", "--"]);
    command.args(["sh", "-c", r#"case "$LD_PRELOAD" in *libc.so*) exit 4;; esac"#]);
    let output = command.stdout(closed_pipe()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(folder.path().join("heapsmith-report.html").is_file());
    let next = "next: heapsmith try --show-output --alloc glibc --rounds 6 -- sh -c";
    assert!(text(&output.stderr).contains(next), "{}", text(&output.stderr));
}

#[test]
fn csv_and_markdown_are_written_beside_json() {
    let options = ["--json", "a.json", "--export-csv", "a.csv", "--export-markdown", "-"];
    let (output, folder) = try_with(&options);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("| Allocator | Wall time | Relative |"));
    let csv = fs::read_to_string(folder.path().join("a.csv")).expect("written");
    assert!(csv.starts_with("suite,workload,params,contender,"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 2 * 4, "two allocators, four metrics");
    assert!(folder.path().join("a.json").is_file());
}

#[test]
fn stdout_has_room_for_one() {
    let (output, _folder) = try_with(&["--json", "-", "--export-csv", "-"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("--json and --export-csv cannot both go to stdout"), "{said}");
    let (output, _folder) = try_with(&["--json", "-", "--show-output"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn the_table_fits_the_columns_that_are_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["try", "--rounds", "6", "--alloc", TWO, "--", "true"];
    for width in [60, 80, 120] {
        let mut command = heapsmith(folder.path());
        let output = command.args(arguments).env("COLUMNS", width.to_string()).output();
        let said = text(&output.expect("it runs").stdout);
        let lines = said.lines().filter(|line| line.contains("──") || line.contains("baseline"));
        let longest = lines.map(|line| line.trim_end().chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= width), "{longest:?} of {width}: {said}");
    }
}

#[test]
fn a_report_has_the_records_and_the_verdict_of_the_run() {
    let run_once = Try::run(TWO, &[], &["true"]);
    let folder = run_once.folder.path();
    let measured = run_once.page();
    fs::rename(folder.join("heapsmith-report.html"), folder.join("measured.html")).expect("moved");
    let output = run(folder, &["report", "out.json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("wall time"), "{}", text(&output.stdout));
    let again = run_once.page();
    for member in ["version", "command", "created", "machine", "contenders", "records", "verdict"] {
        assert_eq!(again[member], measured[member], "{member}");
    }
    let headline = again["verdict"]["headline"].as_str().expect("a headline");
    assert!(text(&output.stdout).contains(headline), "{headline}");

    let output = run(folder, &["report", "out.json", "-o", "b.html", "--json", "-"]);
    let first = text(&output.stdout);
    assert_eq!(first, fs::read_to_string(folder.join("out.json")).expect("results"));
}

#[test]
fn a_report_of_two_files_keeps_their_workloads_apart() {
    let run_once = Try::run(TWO, &[], &["true"]);
    let folder = run_once.folder.path();
    fs::copy(folder.join("out.json"), folder.join("friday.json")).expect("copied");
    let output = run(folder, &["report", "out.json", "friday.json", "--baseline", "glibc"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = run_once.page();
    let records = page["records"].as_array().expect("records");
    let named = |name: &str| records.iter().filter(|it| it["workload"] == name).count();
    assert_eq!((named("true [out]"), named("true [friday]")), (12, 12));
    let against = records.iter().filter(|it| it["baseline"] == "glibc").count();
    assert_eq!(against, 2 * 4);
    assert_eq!(page["verdict"]["kind"], "suite");
}

#[test]
fn a_report_names_the_fault_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.json"), "{\"kind\":\"trace\",\"schema\":2}\n")
        .expect("written");
    let output = run(folder.path(), &["report", "a.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("a.json:1: unknown kind 'trace'"));
    let output = run(folder.path(), &["report", "none.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("none.json: No such file"));
    assert!(!folder.path().join("heapsmith-report.html").exists());
}

/// The members in the first column of the table below each heading.
fn documented(kind: &str) -> Vec<String> {
    let page = fs::read_to_string(common::lab::source("docs/results.md")).expect("the page");
    let (_, section) = page.split_once(&format!("### {kind}\n")).expect("a section");
    let section = section.split("\n##").next().expect("its text");
    let cells = section.lines().filter(|line| line.starts_with("| `"));
    let names = cells.flat_map(|line| line.split('|').nth(1).unwrap_or_default().split(','));
    names.map(|name| name.trim().trim_matches('`').to_string()).collect()
}

#[test]
fn every_member_of_a_line_is_documented_and_the_other_way_round() {
    let common = ["kind", "schema", "suite", "workload", "params", "contender"];
    let broken =
        Try::run("as-built,glibc", &["--memory"], &["sh", "-c", "sleep 0.05; true | true"]);
    let failed = r#"case "$LD_PRELOAD" in *libc.so*) exit 4;; esac"#;
    let failed = Try::run("as-built,glibc", &[], &["sh", "-c", failed]);
    for kind in ["sample", "ratio", "failure", "curve", "process", "verdict"] {
        let line = [broken.kind(kind), failed.kind(kind)].concat().into_iter().next();
        let line = line.unwrap_or_else(|| panic!("no line of kind {kind}"));
        let line = if kind == "verdict" { line["verdict"].clone() } else { line };
        let members = line.as_object().expect("an object").keys().cloned();
        let is_own = |name: &String| kind == "verdict" || !common.contains(&name.as_str());
        let mut members: Vec<String> = members.filter(is_own).collect();
        let mut documented = documented(kind);
        members.sort();
        documented.sort();
        assert_eq!(members, documented, "{kind}");
    }
}

/// Prints the table of out.json on a terminal of `columns`, which script(1) provides.
fn on_a_terminal(folder: &Path, columns: usize, no_color: &str) -> String {
    let command = env!("CARGO_BIN_EXE_heapsmith");
    let line = format!("stty rows 24 cols {columns}; '{command}' report out.json");
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).current_dir(folder).env("NO_COLOR", no_color);
    script.env_remove("COLUMNS").env("TERM", "xterm").stdin(std::process::Stdio::null());
    text(&script.output().expect("script runs").stdout)
}

#[test]
fn a_terminal_has_colours_and_a_width() {
    let run_once = Try::run("as-built,glibc,jemalloc-debian", &[], &["true"]);
    let folder = run_once.folder.path();
    for width in [60, 80, 120] {
        let said = on_a_terminal(folder, width, "1");
        assert!(!said.contains('\x1b'), "NO_COLOR is set: {said}");
        let table = said.lines().filter(|line| line.starts_with(['─', ' ']));
        let longest = table.map(|line| line.trim_end().chars().count()).max();
        assert!(longest.is_some_and(|longest| longest <= width), "{longest:?} of {width}: {said}");
    }
    assert!(on_a_terminal(folder, 80, "").contains('\x1b'));
}

#[test]
fn results_are_kept_if_the_page_cannot_be_written() {
    let (output, folder) = try_with(&["--report", "/dev/full"]);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(shown.contains("wall time") && shown.contains("next: "), "the table: {shown}");
    assert!(said.contains("/dev/full: No space left on device"), "{said}");
    let told: Vec<&str> = said.split('`').nth(1).expect("a command").split(' ').collect();
    assert_eq!((told[0], told[1], told[3]), ("heapsmith", "report", "-o"), "{said}");
    let again = run(folder.path(), &["report", told[2], "-o", "again.html"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    assert!(folder.path().join("again.html").is_file());
    fs::remove_file(told[2]).expect("it is ours");

    // One file that cannot be written keeps none of the others from being written.
    let (output, folder) = try_with(&["--json", "a.json", "--export-csv", "/dev/full"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("`heapsmith report a.json -o FILE`"));
    assert!(folder.path().join("heapsmith-report.html").is_file());
}

#[test]
fn an_output_is_no_input() {
    let (_, folder) = try_with(&["--json", "r.json"]);
    let at = folder.path();
    fs::copy(at.join("r.json"), at.join("s.json")).expect("copied");
    std::os::unix::fs::symlink("r.json", at.join("link")).expect("a link");
    let before = fs::read(at.join("r.json")).expect("results");
    for arguments in [
        &["report", "r.json", "-o", "r.json"][..],
        &["report", "s.json", "r.json", "-o", "link"],
        &["diff", "r.json", "s.json", "--json", "./r.json"],
        &["info", "r.json", "--json", "r.json"],
        &["replay", "r.json", "--json", "r.json"],
        &["advise", "r.json", "--json", "r.json"],
        &["export", "r.json", "--to", "csv", "-f", "-o", "r.json"],
    ] {
        let output = run(at, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let said = text(&output.stderr);
        assert!(said.contains("is read: name another file"), "{arguments:?}: {said}");
        assert_eq!(fs::read(at.join("r.json")).expect("results"), before, "{arguments:?}");
    }
    let twice = ["try", "--rounds", "6", "--json", "x", "--report", "./x", "--", "true"];
    let output = run(at, &twice);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot both go to"), "{}", text(&output.stderr));
}
