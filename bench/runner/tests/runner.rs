//! The runner as `./dev bench` calls it: its lists, its refusals, and one small run of each kind.

#[path = "../../../lab/measure/tests/lab/mod.rs"]
mod lab;
#[path = "../../../lab/cli/tests/common/pipe.rs"]
mod pipe;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The exit code, stdout and stderr of the runner in `folder`.
fn run_in(folder: &Path, lab: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith-bench"));
    command.current_dir(folder).env("HEAPSMITH_LAB_DIR", lab).args(arguments);
    command.env_remove("HEAPSMITH_PRELOAD").env_remove("LD_PRELOAD").env("NO_COLOR", "1");
    let output = command.output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("it exits by itself");
    (code, text(&output.stdout), text(&output.stderr))
}

fn run(arguments: &[&str]) -> (i32, String, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, out, err) = run_in(folder.path(), lab::lab(), arguments);
    (code, out, err, folder)
}

fn json_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("results");
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}

/// A build whose program `bench/arena` is a script: `time` is what it prints for a run.
fn build_with_arena(time: &str, contenders: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let build = folder.path().join("build/release");
    fs::create_dir_all(build.join("bench")).expect("made");
    let real = lab::lab();
    fs::create_dir(build.join("lab")).expect("made");
    for name in ["launcher", "libprobe.so"] {
        fs::copy(real.join(name), build.join("lab").join(name)).expect("copied");
    }
    let list: String =
        contenders.iter().map(|name| format!("echo vector-uint8 {name} 1; ")).collect();
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --list ]; then {list} exit; fi\n\
         echo contender $1; echo version 1; echo \"value wall_s threads=1 {time}\"; echo check 1\n"
    );
    let program = build.join("bench/arena");
    fs::write(&program, script).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("runnable");
    let lab = build.join("lab");
    (folder, lab)
}

#[test]
fn without_a_suite_they_are_listed() {
    let (code, out, _, _folder) = run(&[]);
    assert_eq!(code, 0);
    for line in ["heap           Whole programs", "region         Allocators over memory", "next: "]
    {
        assert!(out.contains(line), "{line}: {out}");
    }
    let (code, out, _, _folder) = run(&["region", "--list"]);
    assert_eq!(code, 0);
    assert!(out.contains("boost-rbtree           peer   Boost.Interprocess"), "{out}");
}

#[test]
fn the_targets_of_the_build_are_those_of_the_manifest() {
    let (code, out, _, _folder) = run(&["--print-targets", "arena", "--quick"]);
    assert_eq!((code, out.as_str()), (0, "bench-arena\n"));
    let (code, out, _, _folder) = run(&["--print-targets"]);
    assert_eq!((code, out.as_str()), (0, ""));
}

#[test]
fn wrong_command_lines_are_usage_errors() {
    for (arguments, hint) in [
        (&["nothing"][..], "no suite is called 'nothing'"),
        (&["regoin"], "did you mean 'region'?"),
        (&["heap", "--workload", "tiny-object"], "did you mean 'tiny-objects'?"),
        (&["heap", "--alloc", "talk"], "no contender is called 'talk'"),
        (&["heap", "--workload", "tiny-objects", "--threads", "3"], "that number of threads"),
        (&["region", "--workload", "list-pull"], "no workload is called 'list-pull'"),
        (&["heap", "--rounds", "5"], "at least 6"),
        (&["heap", "--renamed", "a=b"], "--against"),
    ] {
        let (code, _, err, _folder) = run(arguments);
        assert_eq!(code, 2, "{arguments:?}: {err}");
        assert!(err.contains(hint), "{arguments:?}: {err}");
    }
}

#[test]
fn the_heap_suite_writes_samples_and_ratios() {
    let (code, out, err, folder) = run(&[
        "heap",
        "--workload",
        "small-process",
        "--alloc",
        "glibc,jemalloc-debian",
        "--rounds",
        "6",
        "--json",
        "out.json",
        "--report",
        "out.html",
    ]);
    assert_eq!(code, 0, "{err}");
    let records = json_lines(&folder.path().join("out.json"));
    let of = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    let rows = 4;
    assert_eq!((of("sample"), of("failure")), (2 * rows * 6, 0));
    // To glibc, and to jemalloc in the metrics in which it happens to be the best peer.
    assert!((rows * 4..=2 * rows * 4).contains(&of("ratio")), "{}", of("ratio"));
    let (verdicts, others): (Vec<_>, Vec<_>) =
        records.iter().partition(|record| record["kind"] == "verdict");
    assert!(others.iter().all(|record| record["suite"] == "heap"));
    assert_eq!((verdicts.len(), &verdicts[0]["kind"]), (1, &"verdict".into()));
    assert!(records[0]["command"].as_str().is_some_and(|it| it.starts_with("./dev bench heap")));
    assert!(folder.path().join("out.html").is_file());
    assert!(out.contains("next: ./dev bench instructions"), "{out}");
}

#[test]
fn a_workload_also_runs_with_a_rest_and_prints_its_memory_then() {
    let (_build, lab) = build_with_arena("0.5", &["arena"]);
    let program = lab.join("plateau");
    let script = "#!/bin/sh\necho check 0123456789abcdef\n\
                  case \"$*\" in *--rest*) echo value rss_idle_bytes 4096;; esac\n";
    fs::write(&program, script).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("runnable");
    let folder = tempfile::tempdir().expect("a folder");
    let chosen = ["--workload", "plateau", "--threads", "1", "--alloc", "glibc,gperftools"];
    let arguments = [&["heap", "--rounds", "6", "--json", "out.json"], &chosen[..]].concat();
    let (code, out, err) = run_in(folder.path(), &lab, &arguments);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("RSS after idle") && out.contains("4.00 KiB"), "{out}");
    let records = json_lines(&folder.path().join("out.json"));
    let idle = |record: &&Value| record["kind"] == "sample" && record["metric"] == "rss_idle_bytes";
    let idle: Vec<_> = records.iter().filter(idle).collect();
    assert_eq!(idle.len(), 2);
    assert!(idle.iter().all(|record| record["n"] == 6 && record["median"] == 4096.0), "{idle:?}");
}

/// Other tests may run meanwhile and disturb a row, so the rows of the file are said to be quiet.
fn say_quiet(path: &Path) {
    let mut text = String::new();
    for mut record in json_lines(path) {
        if ["others_cpus", "stolen_cpus"].iter().any(|metric| record["metric"] == *metric) {
            record["median"] = 0.0.into();
            record["samples"] = vec![0.0].into();
        }
        text += &format!("{record}\n");
    }
    fs::write(path, text).expect("written");
}

#[test]
fn a_suite_goes_on_with_the_rows_it_has() {
    let (_build, lab) = build_with_arena("0.5", &["arena"]);
    let program = lab.join("inherited-blocks");
    let script = "#!/bin/sh\necho check 0123456789abcdef\necho \"$*\" >>$0.runs\n";
    fs::write(&program, script).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("runnable");
    // A file that changes within the second in which measuring begins counts as a newer one.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let folder = tempfile::tempdir().expect("a folder");
    let run = |threads: &str, rounds: &str| {
        let chosen = ["heap", "--workload", "inherited-blocks", "--alloc", "glibc,gperftools"];
        let rest = ["--threads", threads, "--rounds", rounds, "--resume", "rows.json"];
        let (code, _, err) = run_in(folder.path(), &lab, &[&chosen[..], &rest].concat());
        assert_eq!(code, 0, "{err}");
        let runs = fs::read_to_string(lab.join("inherited-blocks.runs")).expect("runs");
        fs::remove_file(lab.join("inherited-blocks.runs")).ok();
        fs::write(lab.join("inherited-blocks.runs"), "").expect("written");
        say_quiet(&folder.path().join("rows.json"));
        let of = |count: &str| runs.lines().filter(|line| line.ends_with(count)).count();
        ([of(" 1"), of(" 2")], err)
    };
    // Each contender has an unmeasured run and its rounds.
    assert_eq!(run("1", "6").0, [2 * 7, 0]);
    let (runs, err) = run("1,2", "6");
    assert_eq!(runs, [0, 2 * 7], "the first row is kept");
    assert!(err.contains("kept: 1 row, measured before"), "{err}");
    assert_eq!(run("2", "6").0, [0, 0], "the second row is kept");
    assert_eq!(run("1,2", "6").0, [0, 0], "both are kept");
    let records = json_lines(&folder.path().join("rows.json"));
    let walls = records.iter().filter(|record| record["metric"] == "wall_s");
    assert_eq!(walls.count(), 4);
    assert_eq!(run("1", "7").0, [2 * 8, 0], "it has too few rounds");
    let (code, _, err) = run_in(folder.path(), &lab, &["arena", "--resume", "rows.json"]);
    assert!(code == 2 && err.contains("--resume: arena has no rows"), "{err}");
}

#[test]
fn instructions_are_counted_in_the_allocator_alone() {
    let (code, _, err, folder) = run(&[
        "instructions",
        "--quick",
        "--workload",
        "batch-64-lifo",
        "--alloc",
        "glibc,gperftools",
        "--json",
        "out.json",
    ]);
    assert_eq!(code, 0, "{err}");
    let records = json_lines(&folder.path().join("out.json"));
    let samples: Vec<_> = records.iter().filter(|record| record["kind"] == "sample").collect();
    assert_eq!(samples.len(), 2);
    for sample in samples {
        assert_eq!((&sample["metric"], &sample["n"]), (&"instructions".into(), &1.into()));
        let count = sample["median"].as_f64().expect("a count");
        // No malloc+free pair takes fewer than ten instructions, none of these two a thousand.
        assert!((10.0..1000.0).contains(&count), "{sample}");
    }
}

#[test]
fn a_program_with_all_contenders_is_measured_and_judged() {
    let (_build, lab) =
        build_with_arena("0.5", &["arena", "new-glibc", "inline_arena", "unheard-of"]);
    let folder = tempfile::tempdir().expect("a folder");
    let arguments = ["arena", "--rounds", "6", "--json", "out.json"];
    let (code, out, err) = run_in(folder.path(), &lab, &arguments);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("left out: unheard-of"), "{err}");
    let judged = "vector-uint8 ×1, wall time, inline_arena against new-glibc: \
                  ×1.000 [1.000, 1.000], target ≤ 0.35 missed";
    assert!(out.contains(judged), "{out}");
    let records = json_lines(&folder.path().join("out.json"));
    let of = |metric: &str, it: &&Value| it["metric"] == metric && it["kind"] == "sample";
    let samples = |metric: &str| records.iter().filter(|it| of(metric, it)).count();
    assert_eq!((samples("wall_s"), samples("others_cpus"), samples("stolen_cpus")), (3, 3, 3));
    assert_eq!(records.iter().filter(|record| record["kind"] == "ratio").count(), 2);
}

#[test]
fn rounds_that_scatter_are_followed_by_others_and_cannot_be_told() {
    // Each run takes 0.2, 0.6 or 1 second, in turn, whatever the contender.
    let turns = "$(n=$(cat $0.turn 2>/dev/null || echo 0); echo $(((n + 1) % 3)) >$0.turn; \
                 echo 0.$((2 + 4 * n)))";
    let (_build, lab) = build_with_arena(turns, &["inline_arena", "new-glibc"]);
    let folder = tempfile::tempdir().expect("a folder");
    let (code, out, err) = run_in(folder.path(), &lab, &["arena", "--budget", "1s"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("measuring further: intervals of 1 workload are too wide"), "{err}");
    assert!(out.contains("target ≤ 0.35 cannot tell: the interval is ±"), "{out}");
    assert!(out.contains("targets: 0 met, 0 missed, 1 cannot tell"), "{out}");
    let (_, _, err) = run_in(folder.path(), &lab, &["arena", "--rounds", "6"]);
    assert!(!err.contains("measuring further"), "{err}");
}

#[test]
fn two_builds_are_compared_row_by_row() {
    let (_this, lab) = build_with_arena("0.5", &["arena", "pool", "inline_arena"]);
    let against = |time: &str| {
        let (other, _) = build_with_arena(time, &["arena", "old-inline"]);
        let path = other.path().to_str().expect("a path").to_string();
        let folder = tempfile::tempdir().expect("a folder");
        let arguments =
            ["arena", "--rounds", "6", "--against", &path, "--renamed", "old-inline=inline_arena"];
        run_in(folder.path(), &lab, &arguments)
    };
    let (code, out, err) = against("0.5");
    assert_eq!(code, 0, "{out} {err}");
    assert!(out.contains("2 comparisons: 0 worse, 0 better, 2 without"), "{out}");
    assert!(out.contains("not compared: vector-uint8 ×1, pool: only in this build"), "{out}");

    let (code, out, _) = against("0.4");
    assert_eq!(code, 1, "{out}");
    let worse = "worse: vector-uint8 ×1, arena, wall time ×1.250 [1.250, 1.250], again ×1.250";
    assert!(out.contains(worse) && out.contains("2 comparisons: 2 worse"), "{out}");

    let (code, out, _) = against("1");
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("2 comparisons: 0 worse, 2 better"), "{out}");
}

#[test]
fn a_closed_pipe_hides_no_row_that_is_worse_and_no_failure() {
    let code = |lab: &Path, arguments: &[&str]| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith-bench"));
        command.current_dir(folder.path()).env("HEAPSMITH_LAB_DIR", lab).args(arguments);
        let output = command.stdout(pipe::closed_pipe()).output().expect("it runs");
        output.status.code()
    };
    let (_this, lab) = build_with_arena("0.5", &["arena"]);
    let (other, _) = build_with_arena("0.4", &["arena"]);
    let other = other.path().to_str().expect("a path");
    assert_eq!(code(&lab, &["arena", "--rounds", "6", "--against", other]), Some(1));
    let fails = "$(test $1 = arena || kill -SEGV $$; echo 1)";
    let (_failing, lab) = build_with_arena(fails, &["arena", "new-glibc"]);
    assert_eq!(code(&lab, &["arena", "--rounds", "6"]), Some(1));
    assert_eq!(code(&lab, &["arena", "--list"]), Some(0));
}

#[test]
fn a_folder_without_a_build_is_refused() {
    let (code, _, err, folder) = run(&["arena", "--against", "."]);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("no build/release with programs"), "{err}");
    drop(folder);
}
