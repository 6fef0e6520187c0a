//! `heapsmith replay`: traces of known programs, under allocators with known faults.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use common::cc;
use common::{Try, control, heapsmith, json_lines, lab};
use heapsmith_trace::plan::{Order, Survey, compile};
use serde_json::Value;

/// A program with some thousand blocks of all sizes, in as many threads as it is told.
const CHURN: &str = r#"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
enum { rounds = 60000, kept = 400 };
static void* churn(void* seed) {
  unsigned x = (unsigned)(long)seed * 77 + 1;
  static _Thread_local char* volatile held[kept];
  for (int i = 0; i < rounds; ++i) {
    x = x * 1664525 + 1013904223;
    unsigned at = (x >> 8) % kept, n = 16 + (x >> 20) % 2000;
    if (i % 7 == 0) {
      held[at] = realloc(held[at], n);
    } else {
      free(held[at]);
      held[at] = i % 5 == 0 ? calloc(1, n) : malloc(n);
    }
    memset(held[at], 1, n);
  }
  for (int i = 0; i < kept; i += 2) free(held[i]);
  return NULL;
}
int main(int argc, char** argv) {
  pthread_t all[16];
  long threads = argc > 1 ? atol(argv[1]) : 1;
  for (long i = 1; i < threads; ++i) pthread_create(&all[i], NULL, churn, (void*)i);
  churn(NULL);
  for (long i = 1; i < threads; ++i) pthread_join(all[i], NULL);
}
"#;

/// A program with a thousand threads at a time. Each frees the blocks of the next one.
const CROWD: &str = r#"
#include <pthread.h>
#include <stdlib.h>
enum { threads = 1000, rounds = 10 };
static pthread_barrier_t met;
static void* volatile left[threads];
static void* meet(void* who) {
  long me = (long)who;
  for (int i = 0; i < rounds; ++i) {
    left[me] = malloc(100 + me);
    pthread_barrier_wait(&met);
    free(left[(me + 1) % threads]);
    pthread_barrier_wait(&met);
  }
  return NULL;
}
int main() {
  static pthread_t all[threads];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 1 << 16);
  pthread_barrier_init(&met, NULL, threads);
  for (long i = 1; i < threads; ++i)
    if (pthread_create(&all[i], &small, meet, (void*)i) != 0) return 1;
  meet(NULL);
  for (long i = 1; i < threads; ++i) pthread_join(all[i], NULL);
}
"#;

fn build(text: &str) -> PathBuf {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
    let (source, built) = (folder.join("program.c"), folder.join("program"));
    fs::write(&source, text).expect("written");
    cc(&["-fno-builtin", "-pthread"], &[source.to_str().expect("a path")], &built);
    built
}

/// A folder with the trace of a program.
fn record(program: &Path, words: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = heapsmith(folder.path());
    command.args(["record", "-o", "t.trace", "--"]).arg(program).args(words);
    let output = command.output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

fn churn() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build(CHURN))
}

/// The trace of the churning program with so many threads.
fn trace(threads: &str) -> tempfile::TempDir {
    record(churn(), &[threads])
}

fn replay(folder: &Path, options: &[&str]) -> Output {
    let mut command = heapsmith(folder);
    command.args(["replay", "t.trace", "--rounds", "6"]).args(options);
    command.output().expect("it runs")
}

/// The median of a metric under a contender.
fn median(lines: &[Value], contender: &str, metric: &str) -> f64 {
    let is_it = |line: &&Value| {
        line["kind"] == "sample" && line["contender"] == contender && line["metric"] == metric
    };
    let found = lines.iter().find(is_it);
    found.unwrap_or_else(|| panic!("{metric} of {contender}"))["median"].as_f64().expect("a number")
}

#[test]
fn faults_of_allocators_are_seen() {
    let folder = trace("1");
    let all = ["plain", "slow", "leaky", "fresh"].map(control).join(",");
    let output = replay(folder.path(), &["--alloc", &all, "--json", "out.json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("ratios against glibc") && text.contains("next: heapsmith"), "{text}");
    assert!(text.contains("% of the") && text.contains("less memory"), "{text}");
    let lines = json_lines(&folder.path().join("out.json"));
    let time = |name| median(&lines, name, "replay_s");
    let peak = |name| median(&lines, name, "peak_rss_bytes");
    assert!(time("slow") > 1.2 * time("plain"), "{} {}", time("slow"), time("plain"));
    assert!(peak("leaky") > 1.2 * peak("plain"), "{} {}", peak("leaky"), peak("plain"));
    assert!(peak("fresh") > 2.0 * peak("leaky"), "{} {}", peak("fresh"), peak("leaky"));
    let apart = peak("plain") / peak("glibc");
    assert!((0.9..1.1).contains(&apart), "the same allocator has the same peak: {apart}");
    for name in ["p50_ns", "p999_ns", "worst_ns"] {
        assert!(median(&lines, "slow", name) >= 20.0);
    }
    assert!(lines.iter().any(|line| line["kind"] == "curve" && line["contender"] == "leaky"));
}

#[test]
fn every_order_and_touch_plays_all_calls_of_all_threads() {
    let folder = trace("4");
    for order in ["serial", "bounded", "free"] {
        for touch in ["none", "first", "measured"] {
            let options = ["--order", order, "--touch", touch, "--alloc", &control("plain")];
            let output = replay(folder.path(), &options);
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{order} {touch}: {text}");
            let threads = if order == "serial" { "1 thread," } else { "4 threads," };
            assert!(text.contains(threads), "{order}: {text}");
        }
    }
}

#[test]
fn an_aged_heap_is_no_smaller() {
    let folder = trace("2");
    let of = |repeat: &str| {
        let options = ["--repeat", repeat, "--alloc", &control("leaky"), "--json", "out.json"];
        let output = replay(folder.path(), &options);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        median(&json_lines(&folder.path().join("out.json")), "leaky", "peak_rss_bytes")
    };
    let (once, often) = (of("1"), of("4"));
    assert!(often > 1.5 * once, "a leak grows with each pass: {once} {often}");
}

#[test]
fn damaged_and_foreign_traces_are_told() {
    let folder = trace("1");
    let path = folder.path().join("t.trace");
    let whole = fs::read(&path).expect("a trace");
    fs::write(&path, &whole[..whole.len() - 100]).expect("written");
    let output = replay(folder.path(), &["--alloc", &control("plain")]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("it ends within a section"), "{text}");
    for (bytes, what) in
        [(&b"no trace"[..], "not a heapsmith trace"), (&whole[..16], "nothing to replay")]
    {
        fs::write(&path, bytes).expect("written");
        let output = replay(folder.path(), &["--alloc", &control("plain")]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(what), "{what}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

/// A call of its own would be measured: one for a buffer made glibc tidy up all freed blocks.
#[test]
fn the_replayer_makes_the_calls_of_the_plan_only() {
    let folder = trace("1");
    let [recorded, plan, again] =
        ["t.trace", "t.plan", "again.trace"].map(|name| folder.path().join(name));
    let survey = Survey::of(&recorded).expect("a survey");
    compile(&recorded, &survey, Order::Bounded, &plan).expect("a plan");
    let mut command = heapsmith(folder.path());
    command.args(["record", "-o", "again.trace", "--"]).arg(lab().join("replayer")).arg(&plan);
    assert!(command.output().expect("it runs").status.success());
    let replayed = Survey::of(&again).expect("a survey");
    // Before the plan, libc looks for operator new in vain, and takes a block for the message.
    let own = replayed.events - survey.events;
    assert!(own <= 2, "{own} calls of its own");
}

/// Threads that poll for each other cost as much as the square of their number.
#[test]
fn a_thousand_threads_cost_little_and_a_refused_one_is_told() {
    let folder = record(&build(CROWD), &[]);
    let [recorded, plan] = ["t.trace", "t.plan"].map(|name| folder.path().join(name));
    let survey = Survey::of(&recorded).expect("a survey");
    compile(&recorded, &survey, Order::Bounded, &plan).expect("a plan");
    let replayer = lab().join("replayer");
    let output = Command::new(&replayer).arg(&plan).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let cpu = text.lines().find_map(|line| line.strip_prefix("value replay_cpu_s "));
    let cpu: f64 = cpu.expect("a line").parse().expect("a number");
    assert!(cpu < 2.5, "{cpu} s of processor time");

    let limited = "ulimit -v 4000000; exec \"$0\" replay t.trace --rounds 6";
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_heapsmith")]).current_dir(folder.path());
    let output = command.env("HEAPSMITH_LAB_DIR", lab()).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{text}");
    assert!(text.contains("exit code 3: replayer: cannot start one more thread beside "), "{text}");
}

#[test]
fn one_allocator_is_nothing_to_compare() {
    let folder = trace("1");
    let output = replay(folder.path(), &["--alloc", "glibc"]);
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && text.contains("name more with --alloc"), "{text}");
}

#[test]
fn try_shows_a_replay_beside_the_real_runs() {
    let program = churn().to_str().expect("a path");
    let allocators = format!("{},{}", control("leaky"), control("fresh"));
    let tried = Try::run(&allocators, &["--record", "--baseline", "glibc"], &[program, "2"]);
    assert_eq!(tried.code(), 0, "{}", tried.stderr());
    let text = tried.stdout();
    assert!(text.contains("a replay beside the real runs"), "{text}");
    let of_peak = |line: &str| line.starts_with("peak RSS: ") && line.contains("in the real runs");
    assert!(text.lines().any(of_peak), "{text}");
    let lines = tried.records();
    let of = |suite: &str, name: &str| {
        let lines: Vec<Value> =
            lines.iter().filter(|line| line["suite"] == suite).cloned().collect();
        median(&lines, name, "peak_rss_bytes")
    };
    let row = |suite: &str, metric: &str| {
        let mut rows = lines.iter().filter(|it| {
            it["suite"] == suite && it["contender"] == "fresh" && it["metric"] == metric
        });
        rows.find_map(|it| it["median"].as_f64()).expect("a row")
    };
    let foretold = row("try", "foretold_peak_bytes") / of("try", "fresh");
    assert!((0.9..1.1).contains(&foretold) && row("try", "foretold_s") > 0.0, "{foretold}");
    let parts = row("replay", "at_peak_asked_bytes") + row("replay", "at_peak_unsplit_bytes");
    let parts = parts / of("replay", "fresh");
    assert!((0.8..1.1).contains(&parts), "{parts} of the peak");
    let real = of("try", "fresh") - of("try", "glibc");
    let replayed = of("replay", "fresh") - of("replay", "glibc");
    assert!((0.9..1.1).contains(&(replayed / real)), "{replayed} of {real} bytes");
}
