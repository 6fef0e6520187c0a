//! The options of `heapsmith try`: its time, several commands, what surrounds a run, stdin.

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use common::{Try, heapsmith, json_lines, lab};

const TWO: &str = "as-built,glibc";

/// `heapsmith try` with these words, in a folder of its own.
fn try_words(words: &[&str]) -> (Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let output = heapsmith(folder.path()).arg("try").args(words).output().expect("it runs");
    (output, folder)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_decided_comparison_ends_before_the_budget() {
    let began = Instant::now();
    let slow = r#"case "$LD_PRELOAD" in *jemalloc*) sleep 0.05;; esac"#;
    let words = ["--alloc", "as-built,jemalloc-debian", "--budget", "5m", "--json", "out.json"];
    let (output, folder) = try_words(&[&words[..], &["--", "sh", "-c", slow]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(began.elapsed() < Duration::from_secs(100));
    let lines = json_lines(&folder.path().join("out.json"));
    let found = lines.iter().find(|line| line["kind"] == "verdict").expect("a verdict");
    let verdict = &found["verdict"];
    let headline = verdict["headline"].as_str().expect("a sentence");
    assert!(text(&output.stdout).contains(headline), "{headline}");
    let slower = verdict["comparisons"].as_array().expect("comparisons").iter();
    let mut slower = slower.filter(|one| one["metric"] == "wall_s");
    assert_eq!(slower.next().expect("a comparison")["outcome"], "worse");
}

#[test]
fn the_call_says_at_once_what_it_will_run_and_keeps_to_the_budget() {
    let began = Instant::now();
    let (output, _folder) = try_words(&["--budget", "2s", "--alloc", TWO, "--", "sleep", "0.2"]);
    assert!(began.elapsed() < Duration::from_secs(20));
    let said = text(&output.stderr);
    let first = said.lines().next().expect("a line");
    assert_eq!(first, "sleep 0.2: under 2 allocators (as-built, glibc), for about 2s");
    let second = said.lines().nth(1).expect("a second line");
    assert!(second.contains("and a comparison needs") && second.contains("--budget"), "{second}");
}

#[test]
fn one_allocator_is_singular() {
    let (output, _folder) = try_words(&["--rounds", "6", "--alloc", "as-built", "true"]);
    assert!(text(&output.stderr).contains("1 allocator (as-built), 6 rounds"));
}

#[test]
fn several_commands_are_measured_in_one_call() {
    let words = ["--rounds", "6", "--alloc", TWO, "--json", "out.json"];
    let commands = ["--shell", "-n", "first", "exit 0", "true | cat"];
    let (output, folder) = try_words(&[&words[..], &commands[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines = json_lines(&folder.path().join("out.json"));
    let samples = lines.iter().filter(|line| line["kind"] == "sample");
    let mut workloads: Vec<_> = samples.map(|line| line["workload"].clone()).collect();
    workloads.dedup();
    assert_eq!(workloads, ["first", "true | cat"]);
    assert!(text(&output.stderr).contains("  first: exit 0"), "{}", text(&output.stderr));
}

#[test]
fn prepare_and_cleanup_surround_every_run_and_are_not_preloaded() {
    let hook = |name: &str| format!(r#"test -z "$LD_PRELOAD" && echo {name} >>log"#);
    let (prepare, cleanup) = (hook("before"), hook("after"));
    let options = ["--prepare", &prepare, "--cleanup", &cleanup, "--warmup", "2"];
    let run = Try::run("glibc", &options, &["sh", "-c", "echo run >>log"]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let log = fs::read_to_string(run.folder.path().join("log")).expect("a log");
    // The baseline and glibc, each with a proof, a further warm-up and six rounds.
    assert_eq!(log, "before\nrun\nafter\n".repeat(2 * 8));

    let run = Try::run("glibc", &["--prepare", "echo no such thing >&2; exit 4"], &["true"]);
    assert_eq!(run.code(), 3);
    for expected in ["--prepare", "exit code 4", "no such thing"] {
        assert!(run.stderr().contains(expected), "{}", run.stderr());
    }
}

fn with_stdin(folder: &Path, stdin: Stdio, script: &str) -> std::process::Child {
    let mut command = heapsmith(folder);
    command.args(["try", "--rounds", "6", "--alloc", TWO, "--", "sh", "-c", script]);
    command.stdin(stdin).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("it runs")
}

#[test]
fn every_run_reads_all_of_a_redirected_stdin() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut piped = with_stdin(folder.path(), Stdio::piped(), r#"test "$(cat)" = piped"#);
    piped.stdin.take().expect("a pipe").write_all(b"piped\n").expect("written");
    assert!(piped.wait().expect("it ends").success());

    let path = folder.path().join("in");
    fs::write(&path, "a file\n").expect("written");
    let file = fs::File::open(&path).expect("a file");
    let mut named = with_stdin(folder.path(), file.into(), r#"test "$(cat)" = "a file""#);
    assert!(named.wait().expect("it ends").success());
}

#[test]
fn a_pipe_that_stays_silent_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut child = with_stdin(folder.path(), Stdio::piped(), "cat");
    let open = child.stdin.take();
    let output = child.wait_with_output().expect("it ends");
    drop(open);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--input /dev/null"), "{}", text(&output.stderr));
}

#[test]
fn the_next_call_repeats_the_options() {
    let run = Try::run(TWO, &["--warmup", "2", "--name", "it"], &["sh", "-c", "exit 0"]);
    let out = run.stdout();
    let next = out.lines().find(|line| line.starts_with("next: ")).expect("a next line");
    let (start, rest) = next.split_at("next: heapsmith try --rounds ".len());
    assert_eq!(start, "next: heapsmith try --rounds ");
    let (rounds, rest) = rest.split_once(' ').expect("options follow");
    assert!(rounds.parse::<usize>().expect("a number") > 6);
    let expected = "--alloc as-built,glibc --warmup 2 --name it --json out.json -- sh -c 'exit 0'   \
                    (enough rounds to compare)";
    assert_eq!(rest, expected);
    let fails = r#"case "$LD_PRELOAD" in *jemalloc*) exit 1;; esac"#;
    let run = Try::run("as-built,jemalloc-debian", &["--warmup", "2"], &["sh", "-c", fails]);
    let out = run.stdout();
    let next = out.lines().find(|line| line.starts_with("next: ")).expect("a next line");
    let expected = "heapsmith try --show-output --alloc jemalloc-debian --rounds 6 --warmup 2 \
                    --json out.json -- sh -c";
    assert!(next.contains(expected), "{next}");
}

#[test]
fn no_message_names_a_temporary_file() {
    let (output, _folder) = try_words(&["--report", "/no/such/folder/page.html", "true"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(said.contains("/no/such/folder/page.html") && !said.contains(".heapsmith-"), "{said}");
}

#[test]
fn memory_over_time_is_sampled_in_further_runs() {
    let run = Try::run(TWO, &["--memory"], &["sleep", "0.1"]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let curves = run.kind("curve");
    assert_eq!(curves.len(), 2, "one curve for each allocator");
    assert!(curves[0]["values"].as_array().expect("values").len() > 1);
    let metrics: Vec<_> = run.kind("sample").iter().map(|one| one["metric"].clone()).collect();
    for expected in ["wall_s", "pss_peak_bytes", "pss_mean_bytes", "pss_end_bytes"] {
        assert!(metrics.contains(&expected.into()), "{expected}: {metrics:?}");
    }
}

#[test]
fn the_source_trees_verb_knows_options_from_programs() {
    let names_program = |words: &[&str]| {
        let script = r#"source tools/dev/try.sh; names_program "$@""#;
        let root = lab::source("");
        let mut command = std::process::Command::new("bash");
        let command = command.args(["-c", script, "bash", env!("CARGO_BIN_EXE_heapsmith")]);
        command.args(words).current_dir(root).status().expect("bash runs").success()
    };
    for options in [
        &["--quick"][..],
        &["--rounds", "20"],
        &["--rounds=20", "--memory"],
        &["-n", "it", "--alloc", "glibc,heapsmith"],
        &["--input", "-", "-i"],
    ] {
        assert!(!names_program(options), "{options:?}");
    }
    for given in [&["--", "ls"][..], &["ls -l"], &["--quick", "ls"], &["--rounds", "20", "ls"]] {
        assert!(names_program(given), "{given:?}");
    }
}
