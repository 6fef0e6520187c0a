//! `heapsmith record` of programs that fork: each process knows the blocks that its parent had.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use common::lab::cc;
use common::{heapsmith, lab};
use serde_json::Value;

fn program() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        let built = folder.join("recorded");
        let options = ["-fno-builtin", "-fno-omit-frame-pointer", "-g", "-pthread"];
        cc(&options, &["lab/cli/tests/recorded.c"], &built);
        built
    })
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    heapsmith(folder).args(arguments).output().expect("it runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn info(folder: &Path, trace: &Path) -> Value {
    let trace = trace.to_str().expect("text");
    let output = run(folder, &["info", "--json", "-", trace]);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn number(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path} in {value}"))
}

fn recorded(folder: &Path, options: &[&str], mode: &str) -> Output {
    let mut arguments = vec!["record", "-o", "t.trace"];
    arguments.extend(options);
    arguments.extend(["--", program().to_str().expect("text"), mode]);
    run(folder, &arguments)
}

/// The sums of all traces of the recording, those of children behind those of their parents.
fn all(folder: &Path) -> Vec<Value> {
    let mut all = vec![info(folder, &folder.join("t.trace"))];
    let others = fs::read_dir(folder.join("t.trace.others"));
    for entry in others.into_iter().flatten() {
        all.push(info(folder, &entry.expect("an entry").path()));
    }
    all.sort_by_key(|info| number(info, "/meta/first_tick"));
    all
}

/// Blocks and bytes inherited, blocks and bytes of them freed.
fn inherited(info: &Value) -> [u64; 4] {
    ["blocks", "bytes", "freed_blocks", "freed_bytes"]
        .map(|field| number(info, &format!("/info/inherited/{field}")))
}

/// How many blocks of so many bytes the process inherited.
fn inherited_of(info: &Value, bytes: u64) -> u64 {
    let sites = info["info"]["sites"].as_array().expect("sites");
    let is_of = |site: &&Value| {
        number(site, "/inherited_blocks") * bytes == number(site, "/inherited_bytes")
    };
    sites.iter().filter(is_of).map(|site| number(site, "/inherited_blocks")).sum()
}

fn assert_whole(info: &Value) {
    assert_eq!(number(info, "/meta/misfits/unfreed"), 0, "{info}");
    assert_eq!(number(info, "/meta/misfits/unknown"), 0, "{info}");
    assert_eq!(info["damage"], Value::Null);
}

#[test]
fn children_and_grandchildren_know_their_parents_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = recorded(folder.path(), &[], "family");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let all = all(folder.path());
    let [parent, child, grandchild] = &all[..] else { panic!("{} traces", all.len()) };
    all.iter().for_each(assert_whole);
    assert_eq!(parent["meta"].get("inherited"), None);
    assert_eq!(inherited(parent), [0; 4]);
    // Blocks of libc are inherited, too: those in use when the program began to allocate its own.
    let [blocks, bytes, freed, freed_bytes] = inherited(child);
    assert_eq!((freed, freed_bytes), (400, 400 * 5001));
    assert_eq!(inherited_of(child, 5001), 1000);
    assert!(bytes >= 5_001_000 && blocks < 1020, "{blocks} {bytes}");
    assert_eq!(
        (number(child, "/info/left_blocks"), number(child, "/info/left_bytes")),
        (10, 60020)
    );
    assert_eq!(number(child, "/info/events"), 410);
    assert_eq!(number(child, "/meta/inherited/pid"), number(parent, "/meta/pid"));
    assert_eq!(number(child, "/meta/inherited/blocks"), blocks);
    let [of_child, _, freed, freed_bytes] = inherited(grandchild);
    assert_eq!(of_child, blocks - 400 + 10);
    assert_eq!((freed, freed_bytes), (110, 100 * 5001 + 10 * 6002));
    assert_eq!((inherited_of(grandchild, 5001), inherited_of(grandchild, 6002)), (600, 10));
    assert_eq!(number(grandchild, "/info/left_blocks"), 0);
    let pid = number(child, "/meta/pid");
    let trace = folder.path().join(format!("t.trace.others/{pid}.0.trace"));
    let text = run(folder.path(), &["info", trace.to_str().expect("text")]).stdout;
    let text = String::from_utf8_lossy(&text).into_owned();
    let parents = number(parent, "/meta/pid");
    let line = format!("inherited {blocks} blocks (");
    let end = format!(" from process {parents}, and freed 400 of them (1.91 MiB)\n");
    assert!(text.contains(&line) && text.contains(&end), "{text}");
}

#[test]
fn a_child_that_made_no_call_passes_its_parents_blocks_on() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(recorded(folder.path(), &[], "silent-child").status.code(), Some(3));
    let all = all(folder.path());
    assert_eq!(all.len(), 2);
    assert_whole(&all[1]);
    assert_eq!(inherited_of(&all[1], 5001), 1000, "as at the first of the two forks");
    assert_eq!(inherited(&all[1])[2], 400);
}

#[test]
fn blocks_of_a_killed_parent_are_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = recorded(folder.path(), &[], "orphan");
    assert_eq!(output.status.code(), Some(128 + 9));
    let all = all(folder.path());
    let child = all.last().expect("traces");
    assert_eq!(inherited_of(child, 5001), 1000);
    assert_eq!(inherited(child)[2], 400);
    assert_whole(child);
}

#[test]
fn a_program_after_exec_has_inherited_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(recorded(folder.path(), &[], "fork-exec").status.code(), Some(3));
    let all = all(folder.path());
    let mode = |info: &Value| info["meta"]["command"][1].as_str().map(str::to_string);
    let modes: Vec<_> = all.iter().filter_map(mode).collect();
    assert_eq!(modes, ["fork-exec", "fork-exec", "kinds"]);
    assert_eq!(inherited_of(&all[1], 5001), 1000);
    assert_eq!(all[2]["meta"].get("inherited"), None);
    all.iter().for_each(assert_whole);
}

#[test]
fn anonymous_traces_name_no_parent() {
    let folder = tempfile::tempdir().expect("a folder");
    recorded(folder.path(), &["--anonymize"], "fork");
    let others = fs::read_dir(folder.path().join("t.trace.others")).expect("others");
    let trace = others.map(|it| it.expect("an entry").path()).next().expect("a child");
    let child = info(folder.path(), &trace);
    assert_eq!(number(&child, "/meta/inherited/pid"), 0);
    assert_eq!(inherited(&child)[2], 1);
    let text = run(folder.path(), &["info", trace.to_str().expect("text")]).stdout;
    assert!(String::from_utf8_lossy(&text).contains("from its parent, and freed 1 of them"));
}

#[test]
fn a_missing_parent_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let raw = folder.path().join("t.trace.raw");
    fs::create_dir(&raw).expect("a folder");
    let mut program = std::process::Command::new(program());
    let recorder = lab().join("libheapsmith_recorder.so");
    program.arg("fork").env("LD_PRELOAD", recorder).env("HEAPSMITH_RECORD_DIR", &raw);
    let mut running = program.stdout(std::process::Stdio::null()).spawn().expect("it runs");
    let parent = raw.join(format!("{}.0.raw", running.id()));
    running.wait().expect("it ends");
    fs::remove_file(parent).expect("the parent has a file");
    let output = run(folder.path(), &["pack", "t.trace.raw"]);
    let text = stderr(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("inherited blocks are missing in the trace: the raw file of"), "{text}");
    let output = run(folder.path(), &["info", "t.trace"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("are not known: the raw file of the parent is missing"), "{text}");
}

/// The replay of a child has the blocks of its parent in memory.
#[test]
fn a_replay_allocates_inherited_blocks_first() {
    let folder = tempfile::tempdir().expect("a folder");
    recorded(folder.path(), &[], "family");
    let child = &all(folder.path())[1];
    let trace = format!("t.trace.others/{}.0.trace", number(child, "/meta/pid"));
    let arguments = ["replay", &trace, "--alloc", "glibc,jemalloc-debian", "--rounds", "6"];
    let mut command = heapsmith(folder.path());
    let output = command.args(arguments).args(["--json", "out.json"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text} {}", stderr(&output));
    let blocks = inherited(child)[0];
    let line = format!("{blocks} blocks of the parent are allocated before the first call");
    assert!(text.contains(&line), "{text}");
    assert!(!text.contains("older than the trace"), "{text}");
    // 5 MB of the parent, of which nothing else of the replay has a part.
    let samples = common::json_lines(&folder.path().join("out.json"));
    let peaks = samples.iter().filter(|it| it["metric"] == "peak_rss_bytes");
    let medians: Vec<f64> = peaks.filter_map(|it| it["median"].as_f64()).collect();
    assert!(medians.iter().any(|&bytes| bytes > 5e6), "{medians:?}");
}

#[test]
fn a_shell_with_many_children_is_packed_in_one_pass_over_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = "for i in $(seq 200); do (true); done";
    let began = Instant::now();
    let output = run(folder.path(), &["record", "-o", "t.trace", "--", "bash", "-c", script]);
    assert!(output.status.success(), "{}", stderr(&output));
    let took = began.elapsed();
    assert!(took < Duration::from_secs(60), "{took:?}");
    let others = fs::read_dir(folder.path().join("t.trace.others")).expect("others");
    assert!(others.count() >= 200);
    println!("{took:?}: {}", stderr(&output));
}
