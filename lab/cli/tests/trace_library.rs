//! Programs that record parts of themselves with libheapsmith_trace.so.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::heapsmith;
use common::lab::{cc, source};
use common::traces::{assert_whole, calls, info, number, of_power};
use serde_json::Value;

/// How a program gets the library.
#[derive(Clone, Copy, PartialEq)]
enum How {
    Linked,
    /// The program links libheapsmith.so, which joins the heap of the preloaded library.
    Preloaded,
}

/// The release build, or None, which is told.
fn build() -> Option<PathBuf> {
    let build = source("build/release");
    if build.join("libheapsmith_trace.so").exists() {
        return Some(build);
    }
    eprintln!("skipped: ./dev build has not made the library");
    None
}

fn compiled(sources: &[PathBuf], how: How, build: &Path, at: &Path) -> PathBuf {
    let program = at.join("traced");
    let mut compile = Command::new("c++");
    compile.args(["-std=c++20", "-g", "-fno-builtin", "-fno-omit-frame-pointer", "-pthread"]);
    compile.args(sources).arg("-I").arg(source("include")).arg("-o").arg(&program);
    compile.arg("-L").arg(build).arg(format!("-Wl,-rpath,{}", build.display()));
    compile.arg(if how == How::Linked { "-lheapsmith_trace" } else { "-lheapsmith" });
    assert!(compile.status().expect("c++ runs").success());
    program
}

/// The traces that `heapsmith pack` makes of a folder of raw files, in the order of these.
fn packed(raw: &Path) -> Vec<Value> {
    let folder = raw.parent().expect("a folder");
    let output = heapsmith(folder).args(["pack", "-o", "t.trace"]).arg(raw).output();
    let output = output.expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut all = vec![info(&folder.join("t.trace"))];
    if let Ok(others) = fs::read_dir(folder.join("t.trace.others")) {
        all.extend(others.map(|entry| info(&entry.expect("an entry").path())));
    }
    all.sort_by_key(|info| number(info, "/meta/first_tick"));
    all
}

/// The traces of traced.cpp in one mode. None: the library was not built.
fn traces(mode: &str, how: How) -> Option<Vec<Value>> {
    let build = build()?;
    let folder = tempfile::tempdir().expect("a folder");
    let traced = compiled(&[source("lab/cli/tests/traced.cpp")], how, &build, folder.path());
    let raw = folder.path().join("raw");
    fs::create_dir(&raw).expect("a folder");
    let mut command = Command::new(traced);
    if how == How::Preloaded {
        command.env("LD_PRELOAD", build.join("libheapsmith_trace.so"));
    }
    let output = command.arg(mode).arg(&raw).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(3) && stderr.is_empty(), "{stderr}");
    Some(packed(&raw))
}

#[test]
fn each_start_makes_a_trace_of_the_calls_up_to_the_stop() {
    for how in [How::Linked, How::Preloaded] {
        let Some(traces) = traces("parts", how) else { return };
        assert_eq!(traces.len(), 2);
        for (info, power) in traces.iter().zip([13, 15]) {
            assert_whole(info);
            assert_eq!(of_power(info, power), 4000, "{info}");
            assert_eq!(number(info, "/info/allocated_blocks"), 4000, "nothing else: {info}");
            assert_eq!((calls(info, "malloc"), calls(info, "free")), (4000, 4000));
            assert_eq!(number(info, "/info/threads"), 4);
            assert_eq!(number(info, "/info/left_blocks"), 0);
        }
    }
}

#[test]
fn each_function_is_recorded_once_as_itself() {
    let Some(traces) = traces("functions", How::Linked) else { return };
    assert_eq!(traces.len(), 1);
    let info = &traces[0];
    assert_whole(info);
    for (api, n) in [
        ("malloc", 2),
        ("calloc", 2),
        ("realloc", 2),
        ("memalign", 1),
        ("aligned_alloc", 2),
        ("posix_memalign", 1),
        ("valloc", 1),
        ("pvalloc", 1),
        ("usable_size", 1),
        ("free", 9),
        ("new", 2),
        ("new_array", 2),
        ("new_aligned", 2),
        ("new_array_aligned", 1),
        ("new_nothrow", 1),
        ("new_array_nothrow", 1),
        ("delete", 3),
        ("delete_array", 3),
        ("delete_sized", 3),
    ] {
        assert_eq!(calls(info, api), n, "{api}: {info}");
    }
    assert_eq!(number(info, "/info/failed"), 2);
    assert_eq!(number(info, "/info/left_blocks"), 0);
    // The caller is the program's function, not one of the library.
    let sites = info["info"]["sites"].as_array().expect("sites");
    let module = |site: usize| {
        let module = info["callers"][site]["module"].as_u64().expect("a number");
        info["modules"][module as usize]["file"].as_str().expect("a file").to_owned()
    };
    let wrong = (0..sites.len()).filter(|&at| sites[at]["calls"] != 0);
    let wrong: Vec<_> = wrong.map(module).filter(|path| !path.ends_with("/traced")).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_block_that_ends_with_its_heap_is_freed_where_its_address_is_given_out_again() {
    let Some(traces) = traces("heaps", How::Linked) else { return };
    let info = &traces[0];
    assert_eq!(of_power(info, 13), 200);
    let unfreed = number(info, "/meta/misfits/unfreed");
    assert!(unfreed >= 50, "the heap uses its memory again: {info}");
    assert_eq!(number(info, "/info/left_blocks"), 200 - 2 - unfreed, "{info}");
    assert_eq!(calls(info, "free"), 2 + unfreed);
    assert_eq!(number(info, "/meta/misfits/unknown"), 0);
}

#[test]
fn a_forked_child_starts_and_stops_by_itself() {
    let Some(traces) = traces("forks", How::Linked) else { return };
    assert_eq!(traces.len(), 3);
    let (parent, child, again) = (&traces[0], &traces[1], &traces[2]);
    assert_whole(parent);
    assert_eq!((of_power(parent, 13), of_power(parent, 14)), (40, 0), "{parent}");
    assert_eq!((of_power(child, 13), of_power(child, 14)), (0, 20), "{child}");
    assert_whole(child);
    assert!(number(child, "/meta/inherited/blocks") >= 1, "the parent's block: {child}");
    assert_eq!(child["meta"]["parent_pid"], parent["meta"]["pid"]);
    assert!(number(child, "/meta/fork_tick") > number(parent, "/meta/first_tick"));
    assert_eq!(of_power(again, 14), 40, "{again}");
    assert_eq!(number(again, "/meta/fork_tick"), 0, "it did not begin with the fork");
}

#[test]
fn errors_are_returned() {
    for how in [How::Linked, How::Preloaded] {
        let Some(traces) = traces("errors", how) else { return };
        assert_eq!(traces.len(), 1);
    }
}

#[test]
fn a_process_is_recorded_from_its_start_where_the_environment_says_so() {
    let Some(build) = build() else { return };
    // Blocks of one size, which only the program's own have, and how many at least.
    for (mode, power, least) in [
        ("kinds", 22, 1),
        ("threads", 9, 20_000),
        ("many-threads", 10, 2000),
        ("late", 10, 3),
        ("locked", 9, 100_000),
        ("signals", 10, 1000),
        ("close", 13, 100_000),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let (program, raw) = (folder.path().join("recorded"), folder.path().join("raw"));
        let options = ["-fno-builtin", "-fno-omit-frame-pointer", "-g", "-pthread"];
        cc(&options, &["lab/cli/tests/recorded.c"], &program);
        fs::create_dir(&raw).expect("a folder");
        let mut command = Command::new(&program);
        command.arg(mode).env("HEAPSMITH_RECORD_DIR", &raw);
        let output = command.env("LD_PRELOAD", build.join("libheapsmith_trace.so")).output();
        let output = output.expect("it runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(3) && stderr.is_empty(), "{mode}: {stderr}");
        let traces = packed(&raw);
        assert_whole(&traces[0]);
        assert_eq!(traces[0]["meta"]["command"][1], mode);
        assert!(of_power(&traces[0], power) >= least, "{mode}: {}", traces[0]);
    }
}

/// The program of the page, linked with libheapsmith.so.
fn example(build: &Path, folder: &Path) -> PathBuf {
    let page = fs::read_to_string(source("docs/recording.md")).expect("the page");
    let mut examples = page.split("```c\n").skip(1).filter_map(|from| from.split("```").next());
    let example = examples.find(|code| code.contains("hs_trace_start"));
    let code = folder.join("example.c");
    fs::write(&code, example.expect("an example")).expect("written");
    let program = folder.join("example");
    let mut compile = Command::new("cc");
    compile.arg(&code).arg("-I").arg(source("include")).arg("-L").arg(build);
    compile.arg(format!("-Wl,-rpath,{}", build.display()));
    let status = compile.args(["-lheapsmith", "-Wall", "-Werror", "-o"]).arg(&program).status();
    assert!(status.expect("cc runs").success());
    program
}

#[test]
fn the_example_of_the_documentation_records() {
    let Some(build) = build() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = example(&build, folder.path());
    let raw = folder.path().join("raw");
    fs::create_dir(&raw).expect("a folder");
    let run = |preload: &str| {
        let mut command = Command::new(&program);
        let output = command.arg(&raw).env("LD_PRELOAD", preload).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    run("");
    assert_eq!(fs::read_dir(&raw).expect("a folder").count(), 0, "libheapsmith.so records nothing");
    run(&build.join("libheapsmith_trace.so").display().to_string());
    let traces = packed(&raw);
    assert_eq!(traces.len(), 1);
    assert_whole(&traces[0]);
    assert!(calls(&traces[0], "malloc") >= 1);
}

/// Without an argument, it records into a folder that it makes: the temporary files of others do not
/// lie there.
#[test]
fn the_command_that_the_example_prints_packs_its_own_folder() {
    let Some(build) = build() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let program = example(&build, folder.path());
    let mut command = Command::new(&program);
    let output = command.env("LD_PRELOAD", build.join("libheapsmith_trace.so")).output();
    let line = String::from_utf8(output.expect("it runs").stdout).expect("text");
    let words: Vec<&str> = line.split_whitespace().collect();
    let ["heapsmith", "pack", raw, "-o", "app.trace"] = words[..] else { panic!("{line}") };
    assert_eq!(Path::new(raw).read_dir().expect("a folder").count(), 2, "a raw file and its maps");
    let output = heapsmith(folder.path()).args(&words[1..]).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!Path::new(raw).exists());
    assert_whole(&info(&folder.path().join("app.trace")));
}
