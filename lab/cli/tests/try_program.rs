//! How `heapsmith try` treats the program: its input, output, failures, and what it refuses.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Try, cc, control, heapsmith, json_lines};

const TWO: &str = "as-built,glibc";

#[test]
fn a_program_that_fails_everywhere_stops_with_one_line() {
    let run = Try::run(TWO, &[], &["sh", "-c", "echo broken >&2; exit 3"]);
    assert_eq!(run.code(), 3);
    let text = run.stderr();
    assert_eq!(text.lines().count(), 2, "the announcement and the failure: {text}");
    for expected in ["fails under every allocator", "exit code 3", "broken"] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_program_that_fails_under_one_allocator_is_reported_as_such() {
    let script = r#"case "$LD_PRELOAD" in *jemalloc*) echo no >&2; kill -SEGV $$;; esac"#;
    let run = Try::run("as-built,glibc,jemalloc-debian", &[], &["sh", "-c", script]);
    assert_eq!(run.code(), 1, "{}", run.stderr());
    assert!(run.stdout().contains("failed under jemalloc-debian: killed by SIGSEGV: no"));
    let failures = run.page()["failures"].clone();
    assert_eq!(failures.as_array().expect("failures").len(), 1);
    assert_eq!(failures[0]["contender"], "jemalloc-debian");
    assert_eq!(failures[0]["signal"], "SIGSEGV");
    assert_eq!(failures[0]["exit"], serde_json::Value::Null);
    assert_eq!(failures[0]["stderr_tail"], "no");
    assert_eq!(run.kind("failure").len(), 1);
    assert!(run.kind("sample").iter().all(|sample| sample["contender"] != "jemalloc-debian"));
}

#[test]
fn a_failing_program_is_measured_when_asked_to() {
    let run = Try::run(TWO, &["--ignore-failure"], &["sh", "-c", "exit 3"]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let differs = r#"case "$LD_PRELOAD" in *jemalloc*) exit 4;; *) exit 3;; esac"#;
    let allocators = "as-built,glibc,jemalloc-debian";
    let run = Try::run(allocators, &["--ignore-failure"], &["sh", "-c", differs]);
    assert_eq!(run.code(), 1, "{}", run.stderr());
    assert_eq!(run.kind("failure")[0]["exit"], 4);
}

#[test]
fn one_failure_is_counted_and_is_no_verdict() {
    let script = r#"echo x >> runs; test "$(wc -l < runs)" != 9"#;
    let run = Try::run(TWO, &[], &["sh", "-c", script]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let samples = run.kind("sample");
    let cut: Vec<_> = samples.iter().filter(|sample| sample["n"] != 6).collect();
    assert_eq!(cut.len(), 4, "one contender, four metrics");
    assert_eq!(cut[0]["n"], 5, "the other rounds count");
    let told = "1 of 14 runs failed (exit code 1), 1 of 7 under ";
    assert!(run.stdout().contains(told), "{}", run.stdout());
    assert!(!run.stdout().contains("misuses memory"), "{}", run.stdout());
    assert!(run.kind("failure").is_empty());
    let attempts = run.kind("attempts");
    let counts: Vec<_> = attempts.iter().map(|it| it["failed_runs"].as_u64()).collect();
    assert!(counts == [Some(0), Some(1)] || counts == [Some(1), Some(0)], "{attempts:?}");
    // The page and a later report say the same.
    let headline = run.page()["verdict"]["headline"].clone();
    assert!(headline.as_str().expect("text").contains(told), "{headline}");
    let mut command = heapsmith(run.folder.path());
    let output = command.args(["report", "out.json"]).output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains(told));
}

#[test]
fn a_program_that_fails_under_all_now_and_then_is_no_allocators_fault() {
    let script = r#"echo x >> runs; test "$(($(wc -l < runs) % 5))" != 0 || exit 7"#;
    let run = Try::run(TWO, &["--rounds", "20"], &["sh", "-c", script]);
    assert_eq!(run.code(), 0, "{}", run.stderr());
    let told = "8 of 42 runs failed (exit code 7), under as-built and under glibc alike";
    assert!(run.stdout().contains(told), "{}", run.stdout());
}

#[test]
fn failures_beyond_chance_are_the_allocators() {
    let script = r#"case "$LD_PRELOAD" in *libc.so*) ;; *) exit;; esac; echo x >> runs
                    test "$(($(wc -l < runs) % 2))" != 0 || exit 7"#;
    let run = Try::run(TWO, &["--rounds", "20"], &["sh", "-c", script]);
    assert_eq!(run.code(), 1, "{}", run.stderr());
    let failures = run.kind("failure");
    assert_eq!(failures.len(), 1, "{}", run.stdout());
    assert_eq!(failures[0]["contender"], "glibc");
    assert_eq!(failures[0]["why"], "exit code 7 in 10 of 21 runs");
}

/// Blocks of the preloaded allocator and of the library's go to each other's free.
#[test]
fn a_library_that_is_opened_past_the_preload_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("plugin.c"), "#include <stdlib.h>\nvoid* make(void) { return malloc(100); }\n")
        .expect("written");
    // Most allocators notice that they do not know a block.
    let host = r#"
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <string.h>
        int main(void) {
          void* library = dlopen("./plugin.so", RTLD_NOW | RTLD_DEEPBIND);
          void* (*make)(void);
          *(void**)&make = dlsym(library, "make");
          void* p = make();
          const char* preload = getenv("LD_PRELOAD");
          if (preload != NULL && strstr(preload, "control") != NULL) abort();
          free(p);
          return 0;
        }"#;
    fs::write(at("host.c"), host).expect("written");
    let source = |name: &str| at(name).to_str().expect("text").to_string();
    cc(&["-shared", "-fPIC"], &[&source("plugin.c")], &at("plugin.so"));
    cc(&["-fno-builtin"], &[&source("host.c")], &at("host"));
    let run = Try::run_in(folder, &format!("as-built,{}", control("plain")), &[], &["./host"]);
    assert_eq!(run.code(), 1, "{}", run.stderr());
    assert!(
        run.stdout().contains("The program opens ./plugin.so with RTLD_DEEPBIND"),
        "{}",
        run.stdout()
    );
}

#[test]
fn a_program_with_a_malloc_of_its_own_is_told_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("own");
    let text = r#"
        #include <stdlib.h>
        #include <string.h>
        static char memory[1 << 20];
        static size_t used;
        void* malloc(size_t n) { used += (n + 15) / 16 * 16; return memory + used - (n + 15) / 16 * 16; }
        void* calloc(size_t n, size_t m) { return malloc(n * m); }
        void* realloc(void* p, size_t n) { void* q = malloc(n); if (p) memcpy(q, p, n); return q; }
        void free(void* p) { (void)p; }
        int main(void) {
          const char* preload = getenv("LD_PRELOAD");
          if (preload != NULL && strstr(preload, "control") != NULL) abort();
          free(malloc(9));
          return 0;
        }"#;
    let source = folder.path().join("own.c");
    fs::write(&source, text).expect("written");
    cc(&["-fno-builtin"], &[source.to_str().expect("text")], &program);
    let run = Try::run_in(folder, &format!("as-built,{}", control("plain")), &[], &["./own"]);
    assert_eq!(run.code(), 1, "{}", run.stderr());
    assert!(run.stdout().contains("own defines malloc itself"), "{}", run.stdout());
    assert!(!run.stdout().contains("often misuses"), "{}", run.stdout());
}

#[test]
fn the_rounds_end_when_the_baseline_fails() {
    // The proof has the probe in LD_PRELOAD; from the fourth measured run on, as-built fails.
    let script = r#"test -n "$LD_PRELOAD" || { echo x >> runs; test "$(wc -l < runs)" -lt 4; }"#;
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = heapsmith(folder.path());
    command.args(["try", "--budget", "10m", "--alloc", TWO, "--json", "out.json", "--", "sh"]);
    let began = Instant::now();
    let output = command.args(["-c", script]).output().expect("it runs");
    assert!(began.elapsed() < Duration::from_secs(120), "the rounds went on");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("sh fails under as-built (exit code 1 in 5 of 9 runs)"), "{said}");
    assert!(said.contains("nothing can be compared with as-built"), "{said}");
    assert!(!said.contains("LD_PRELOAD="), "nothing is recommended: {said}");
    let runs = fs::read_to_string(folder.path().join("runs")).expect("runs");
    assert_eq!(runs.lines().count(), 8, "it is repeated, until chance does not explain it");
    let lines = json_lines(&folder.path().join("out.json"));
    let samples = lines.iter().filter(|line| line["kind"] == "sample");
    let rounds: Vec<_> = samples.filter_map(|sample| sample["n"].as_u64()).collect();
    assert!(!rounds.is_empty() && rounds.iter().all(|n| [3, 7, 8].contains(n)), "{rounds:?}");
}

#[test]
fn after_several_commands_the_one_that_failed_is_run_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = heapsmith(folder.path());
    let output = command.args(["try", "--rounds", "6", "--alloc", TWO, "false", "true"]).output();
    let output = output.expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    let expected = "next: heapsmith try --show-output --alloc as-built --rounds 6 false\n";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn stdin_is_empty_unless_given_and_then_the_same_for_every_run() {
    let reads = |expected: &str| format!(r#"test "$(cat)" = "{expected}""#);
    assert_eq!(Try::run(TWO, &[], &["sh", "-c", &reads("")]).code(), 0);

    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in"), "hello\n").expect("written");
    let run = Try::run_in(folder, TWO, &["--input", "in"], &["sh", "-c", &reads("hello")]);
    assert_eq!(run.code(), 0, "{}", run.stderr());

    let folder = tempfile::tempdir().expect("a folder");
    let mut command = heapsmith(folder.path());
    command.args(["try", "--rounds", "6", "--alloc", TWO, "--input", "-", "--", "sh", "-c"]);
    command.arg(reads("piped")).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().expect("it runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut pipe, b"piped\n").expect("written");
    drop(pipe);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn output_is_thrown_away_unless_asked_for() {
    let program = ["sh", "-c", "echo its own words | tr a-z A-Z"];
    assert!(!Try::run(TWO, &[], &program).stdout().contains("ITS OWN WORDS"));
    let shown = Try::run(TWO, &["--show-output"], &program).stdout();
    assert_eq!(shown.matches("ITS OWN WORDS").count(), 2 * 7, "a proof and six rounds each");
}

#[test]
fn much_output_on_stderr_neither_blocks_nor_is_kept() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo $i some words to fill the pipe with >&2; \
                  i=$((i+1)); done; exit 1";
    let run = Try::run("as-built", &[], &["sh", "-c", script]);
    assert!(run.stderr().contains("2999 some words"), "{}", run.stderr());
}

#[test]
fn a_timeout_ends_the_program_and_what_it_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "sleep 600 & echo $! >> pids; wait";
    let began = Instant::now();
    let run = Try::run_in(folder, TWO, &["--timeout", "0.3"], &["sh", "-c", script]);
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!(run.code(), 3);
    assert!(run.stderr().contains("timed out"), "{}", run.stderr());
    let pids = fs::read_to_string(run.folder.path().join("pids")).expect("pids");
    assert_eq!(pids.lines().count(), 4, "three under the first allocator, one under the next");
    for pid in pids.lines() {
        // SAFETY: signal 0 only asks whether the process is there.
        let there = unsafe { libc::kill(pid.parse().expect("a pid"), 0) } == 0;
        assert!(!there, "process {pid} was left behind");
    }
}

#[test]
fn programs_no_preload_can_reach_are_refused_with_the_reason() {
    let launcher = common::lab().join("launcher");
    let launcher = launcher.to_str().expect("a path");
    let run = Try::run(TWO, &[], &[launcher]);
    assert_eq!(run.code(), 3);
    assert!(run.stderr().contains("statically linked"), "{}", run.stderr());

    let run = Try::run(TWO, &[], &["no-such-program-here"]);
    assert_eq!(run.code(), 2, "{}", run.stderr());
}

#[test]
fn setuid_programs_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    // SAFETY: no preconditions.
    let program = if unsafe { libc::geteuid() } == 0 {
        // For root another user's program is the setuid one.
        let copy = folder.path().join("setuid");
        fs::copy("/bin/true", &copy).expect("copied");
        std::os::unix::fs::chown(&copy, Some(65534), None).expect("given away");
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o4755)).expect("setuid");
        copy
    } else {
        "/bin/su".into()
    };
    let run = Try::run(TWO, &[], &[program.to_str().expect("a path")]);
    assert_eq!(run.code(), 3);
    assert!(run.stderr().contains("is setuid"), "{}", run.stderr());
}

#[test]
fn a_preload_that_does_not_load_is_an_error_of_its_contender() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("libheapsmith_preload.so"), "no library").expect("written");
    let run = Try::run_in(folder, "as-built,heapsmith", &["--heapsmith", "."], &["true"]);
    assert_eq!(run.code(), 1, "{}", run.stderr());
    assert!(run.stdout().contains("heapsmith did not take over"), "{}", run.stdout());
}
