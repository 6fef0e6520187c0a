//! `heapsmith export`: the numbers of a known program, in each format.

mod common;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use common::lab::cc;
use common::traces::{info, number};
use common::{closed_pipe, heapsmith};
use serde_json::Value;

const LEAF_CALLS: u64 = 4000;
const LEAF_BYTES: u64 = LEAF_CALLS * 4000;
const KEPT_BYTES: u64 = 1000 * 4000;

/// A folder with the trace of exported.c.
fn folder() -> &'static Path {
    static RECORDED: OnceLock<PathBuf> = OnceLock::new();
    RECORDED.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        let options =
            ["-fno-builtin", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-g"];
        cc(&options, &["lab/cli/tests/exported.c"], &folder.join("exported"));
        let mut command = heapsmith(&folder);
        let output = command.args(["record", "-o", "t.trace", "--", "./exported"]).output();
        assert!(output.expect("it runs").status.success());
        folder
    })
}

fn export(options: &[&str]) -> Output {
    let mut command = heapsmith(folder());
    command.args(["export", "t.trace"]).args(options).output().expect("it runs")
}

/// The bytes of a format, from stdout.
fn exported(format: &str) -> Vec<u8> {
    let output = export(&["--to", format, "-o", "-"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn json(format: &str) -> Value {
    serde_json::from_slice(&exported(format)).expect("JSON")
}

fn array<'a>(value: &'a Value, path: &str) -> &'a Vec<Value> {
    value.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{path} in {value}"))
}

fn sum(values: &[Value]) -> u64 {
    values.iter().map(|it| it.as_u64().expect("a number")).sum()
}

/// Most of the calls came through `often`: a dozen samples say so roughly.
fn assert_often(bytes: u64) {
    let share = bytes as f64 / LEAF_BYTES as f64;
    assert!((0.4..0.97).contains(&share), "{share}");
}

#[test]
fn folded_stacks_add_up() {
    let text = String::from_utf8(exported("folded")).expect("text");
    let bytes_of = |part: &str| -> u64 {
        let lines = text.lines().filter(|line| line.contains(part));
        lines
            .map(|line| line.rsplit(' ').next().expect("a number").parse::<u64>().expect("one"))
            .sum()
    };
    assert_eq!(bytes_of("leaf"), LEAF_BYTES);
    assert_often(bytes_of("main;often;leaf"));
    assert_eq!(bytes_of("main;often;leaf") + bytes_of("main;seldom;leaf"), LEAF_BYTES);
    assert!(!text.contains("heapsmith"), "no function of the recorder: {text}");
    assert_eq!(bytes_of(""), number(&info(&folder().join("t.trace")), "/info/allocated_bytes"));
}

#[test]
fn speedscope_has_a_profile_for_each_number() {
    let whole = json("speedscope");
    let leaf = array(&whole, "/shared/frames").iter().position(|it| it["name"] == "leaf");
    let leaf = Value::from(leaf.expect("the function"));
    let frame = &whole["shared"]["frames"][leaf.as_u64().expect("one") as usize];
    assert_eq!((&frame["file"], &frame["line"]), (&"exported.c".into(), &8.into()));
    let of_leaf = |profile: &Value| -> u64 {
        let weights = array(profile, "/weights");
        assert_eq!(number(profile, "/endValue"), sum(weights));
        let samples = array(profile, "/samples").iter().zip(weights);
        let of_leaf = samples.filter(|(stack, _)| array(stack, "").last() == Some(&leaf));
        of_leaf.map(|(_, weight)| weight.as_u64().expect("a number")).sum()
    };
    let numbers: Vec<u64> = array(&whole, "/profiles").iter().map(of_leaf).collect();
    assert_eq!(numbers, [LEAF_BYTES, LEAF_CALLS, KEPT_BYTES, KEPT_BYTES]);
}

#[test]
fn dhat_counts_blocks_and_their_lives() {
    let whole = json("dhat");
    assert_eq!((&whole["dhatFileVersion"], &whole["ftbl"][0]), (&2.into(), &"[root]".into()));
    let frames = array(&whole, "/ftbl");
    let of_leaf = |point: &&Value| {
        let nearest = array(point, "/fs")[0].as_u64().expect("a number") as usize;
        frames[nearest].as_str().expect("text").ends_with(": leaf (exported.c:8)")
    };
    let points: Vec<&Value> = array(&whole, "/pps").iter().filter(of_leaf).collect();
    let sum = |key: &str| points.iter().map(|it| it[key].as_u64().expect(key)).sum::<u64>();
    assert_eq!((sum("tb"), sum("tbk")), (LEAF_BYTES, LEAF_CALLS));
    assert_eq!((sum("gb"), sum("gbk")), (KEPT_BYTES, 1000));
    assert_eq!((sum("eb"), sum("ebk")), (KEPT_BYTES, 1000));
    assert_eq!((sum("mb"), sum("mbk")), (KEPT_BYTES, 1000));
    assert!(sum("tl") <= 4000 * whole["te"].as_u64().expect("the end") && sum("tl") > 0);
}

#[test]
fn chrome_counts_over_time() {
    let whole = json("chrome");
    let most = |name: &str, key: &str| {
        let events = array(&whole, "/traceEvents").iter().filter(|it| it["name"] == name);
        events.map(|it| it["args"][key].as_u64().expect("a number")).max().expect("events")
    };
    let info = info(&folder().join("t.trace"));
    assert_eq!(most("bytes in use", "bytes"), number(&info, "/info/peak_bytes"));
    assert!(most("memory of the process", "bytes") > 0);
    let times = array(&whole, "/traceEvents").iter().filter_map(|it| it["ts"].as_f64());
    let last = times.fold(0.0, f64::max) * 1e3;
    assert!(last <= 1.1 * number(&info, "/info/duration_ns") as f64, "{last}");
}

#[test]
fn a_line_of_csv_is_a_site() {
    let text = String::from_utf8(exported("csv")).expect("text");
    let mut lines = text.lines();
    let heads: Vec<&str> = lines.next().expect("heads").split(',').collect();
    let leaf: Vec<&str> =
        lines.find(|it| it.contains(",leaf,")).expect("the site").split(',').collect();
    let of = |head: &str| leaf[heads.iter().position(|it| *it == head).expect(head)];
    assert_eq!((of("file"), of("line")), ("exported.c", "8"));
    assert!(of("module").ends_with("/exported"));
    assert_eq!(of("calls"), LEAF_CALLS.to_string());
    assert_eq!(of("bytes"), LEAF_BYTES.to_string());
    assert_eq!(of("bytes_never_freed"), KEPT_BYTES.to_string());
}

#[test]
fn go_reads_the_profile() {
    let file = folder().join("go.pb.gz");
    let output = export(&["--to", "pprof", "-o", "go.pb.gz"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success() && text.contains("next: go tool pprof -top go.pb.gz"),
        "{text}"
    );
    let go = |options: &[&str]| {
        let output = Command::new("go").args(["tool", "pprof"]).args(options).arg(&file).output();
        let output = output.expect("go is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let line = |text: &str, name: &str| -> Vec<String> {
        let found = text.lines().find(|line| line.ends_with(name));
        let found = found.unwrap_or_else(|| panic!("{name} in {text}"));
        found.split_whitespace().map(str::to_string).collect()
    };
    let bytes = go(&["-top", "-unit=B"]);
    assert!(bytes.contains("Type: alloc_space"), "{bytes}");
    assert_eq!(line(&bytes, " leaf")[0], format!("{LEAF_BYTES}B"));
    assert!(line(&bytes, " main")[3] >= format!("{LEAF_BYTES}B"), "cumulated: {bytes}");
    let left = go(&["-top", "-sample_index=left_objects"]);
    assert_eq!(line(&left, " leaf")[0], "1000");
    let lines = go(&["-top", "-lines"]);
    assert!(lines.contains("exported.c:8"), "{lines}");
}

#[test]
fn firefox_gets_allocations_and_their_ends() {
    let whole = json("firefox");
    let thread = &whole["threads"][0];
    let allocations = &thread["nativeAllocations"];
    let column = |name: &str| array(allocations, &format!("/{name}"));
    let weights: Vec<i64> =
        column("weight").iter().map(|it| it.as_i64().expect("a number")).collect();
    assert!(weights.len() > 1000);
    for name in ["time", "stack", "memoryAddress", "threadId"] {
        assert_eq!(column(name).len(), weights.len(), "{name}");
    }
    let all = number(&info(&folder().join("t.trace")), "/info/allocated_bytes") as f64;
    let allocated: i64 = weights.iter().filter(|it| **it > 0).sum();
    assert!((allocated as f64 / all - 1.0).abs() < 0.01, "{allocated} of {all}");
    let left = weights.iter().sum::<i64>() as f64 / KEPT_BYTES as f64;
    assert!((0.9..1.1).contains(&left), "{left}");
    let times: Vec<f64> = column("time").iter().map(|it| it.as_f64().expect("a number")).collect();
    assert!(times.is_sorted());
    let counted: f64 = array(&whole, "/counters/0/samples/count")
        .iter()
        .map(|it| it.as_f64().expect("a number"))
        .sum();
    assert!((0.9..1.1).contains(&(counted / KEPT_BYTES as f64)), "{counted} at the end");
}

#[test]
fn files_are_replaced_only_when_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(self::folder().join("t.trace"), folder.path().join("t.trace")).expect("a copy");
    let run = |options: &[&str]| {
        let mut command = heapsmith(folder.path());
        command.args(["export", "t.trace", "--to", "csv"]).args(options).output().expect("it runs")
    };
    assert!(run(&[]).status.success());
    let again = run(&[]);
    assert_eq!(again.status.code(), Some(2));
    let text = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(text.contains("t.csv exists: name another with -o, or replace it with -f"), "{text}");
    assert!(run(&["-f"]).status.success());
    assert!(run(&["-o", "/dev/null"]).status.success());
    let nowhere = run(&["-o", "missing/t.csv"]);
    assert!(!nowhere.status.success());
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("missing/t.csv"), "{nowhere:?}");
    let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(names.len(), 2, "nothing is left behind");
}

#[test]
fn a_damaged_trace_is_exported_up_to_the_damage() {
    let mut bytes = Vec::new();
    let trace = folder().join("t.trace");
    File::open(&trace).expect("a trace").read_to_end(&mut bytes).expect("bytes");
    let folder = tempfile::tempdir().expect("a folder");
    let cut = folder.path().join("cut.trace");
    File::create(&cut).expect("a file").write_all(&bytes[..bytes.len() / 2]).expect("bytes");
    for format in ["folded", "speedscope", "pprof", "dhat", "firefox", "chrome", "csv"] {
        let mut command = heapsmith(folder.path());
        let output = command.args(["export", "cut.trace", "--to", format]).output();
        let output = output.expect("it runs");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && text.contains("is damaged at byte"), "{format}: {text}");
    }
    let mut command = heapsmith(folder.path());
    let output = command
        .args(["export", "cut.csv", "--to", "csv", "-o", "x.csv"])
        .output()
        .expect("it runs");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("is not a heapsmith trace"));
}

#[test]
fn an_anonymous_trace_has_stacks_without_names() {
    let mut command = heapsmith(folder());
    let record = ["record", "--anonymize", "-f", "-o", "secret.trace", "--", "./exported"];
    assert!(command.args(record).output().expect("it runs").status.success());
    let mut command = heapsmith(folder());
    let output = command.args(["export", "secret.trace", "--to", "folded", "-o", "-"]).output();
    let text = String::from_utf8(output.expect("it runs").stdout).expect("text");
    assert!(!text.contains("leaf") && !text.contains("exported"), "{text}");
    let deepest = text.lines().map(|line| line.matches(';').count()).max();
    assert!(deepest >= Some(2), "leaf, often, main: {text}");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let mut command = heapsmith(folder());
    command.args(["export", "t.trace", "--to", "firefox", "-o", "-"]).stdout(closed_pipe());
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
