//! The search as `./dev bench cliffs` calls it: a planted cliff is found, and nothing among equals.

#[path = "../../../lab/measure/tests/lab/mod.rs"]
mod lab;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A build with the programs of a search: a folder `lab`.
fn programs() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder").keep();
        std::fs::create_dir(folder.join("lab")).expect("a folder");
        for name in ["launcher", "libprobe.so"] {
            std::fs::copy(lab::lab().join(name), folder.join("lab").join(name)).expect("copied");
        }
        let status = Command::new("c++")
            .args(["-std=c++20", "-O2", "-pthread", "-o"])
            .arg(folder.join("lab/pattern"))
            .arg(lab::source("lab/workloads/pattern/pattern.cpp"))
            .status();
        assert!(status.expect("c++ runs").success(), "c++ builds pattern");
        let planted = ["bench/cliffs/tests/planted/planted.c"];
        lab::cc(&["-shared", "-fPIC", "-fno-builtin"], &planted, &folder.join("libplanted.so"));
        folder
    })
}

/// Exit code, stdout and stderr of a search.
fn search(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_heapsmith-cliffs"))
        .current_dir(folder)
        .env("HEAPSMITH_LAB_DIR", programs().join("lab"))
        .args(["--minutes", "4", "--idle-ms", "20", "--state", "state.json"])
        .args(arguments)
        .output()
        .expect("the search runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().expect("an exit code");
    (code, text(&output.stdout), text(&output.stderr))
}

/// A search that judges one pattern, of an allocator with a cliff against libc's.
fn judge(setting: &str, pattern: &str) -> (i32, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let own = planted(setting);
    let among = ["--own", &own, "--against", "glibc", "--uncounted"];
    let (code, out, err) = search(folder.path(), &[&among[..], &["--pattern", pattern]].concat());
    (code, format!("{out}\n{err}"))
}

fn planted(setting: &str) -> String {
    format!("planted={};PLANTED={setting}", programs().join("libplanted.so").display())
}

#[test]
fn a_planted_cliff_in_time_is_found_and_shrunk() {
    let pattern = "smallest=3500 largest=5500 calls=20000 slots=70 order=young burst=3 phases=2 \
                   keep=10 touch=pages sweep=random";
    let (code, out) = judge("slow", pattern);
    assert_eq!(code, 1, "{out}");
    let found = out.lines().find(|line| line.contains("finding:")).expect("a finding");
    assert!(found.contains("time per call"), "{found}");
    // The sizes matter; phases and orders do not.
    let row = out.lines().find(|line| line.starts_with("arguments = ")).expect("a workload");
    assert!(row.contains("--smallest") || row.contains("--largest"), "{row}");
    for name in ["order", "phases", "keep", "touch", "sweep", "spread"] {
        assert!(!row.contains(name), "{row}");
    }
}

#[test]
fn a_planted_leak_is_found() {
    let (code, out) = judge("leak", "smallest=100000 calls=20000 slots=20 burst=2");
    assert_eq!(code, 1, "{out}");
    assert!(out.lines().any(|it| it.contains("finding:") && it.contains("RSS")), "{out}");
}

#[test]
fn the_same_pattern_without_a_cliff_is_no_finding() {
    let (code, out) = judge("nothing", "smallest=6500 calls=20000 slots=70 burst=3 order=young");
    assert_eq!(code, 0, "{out}");
}

#[test]
fn identical_contenders_find_nothing_and_a_search_resumes() {
    let folder = tempfile::tempdir().expect("a folder");
    let among = ["--own", "one=glibc", "--against", "other=glibc", "--uncounted"];
    let fresh = [&among[..], &["--seed", "5", "--draws", "3"]].concat();
    let (code, out, err) = search(folder.path(), &fresh);
    assert_eq!(code, 0, "{out}\n{err}");
    assert!(out.starts_with("seed 5: 3 draws in "), "{out}");
    assert!(out.contains("noise floor, other 2.36 against itself:"), "{out}");
    let (code, out, err) =
        search(folder.path(), &[&among[..], &["--resume", "--draws", "2"]].concat());
    assert_eq!(code, 0, "{out}\n{err}");
    assert!(out.starts_with("seed 5: 5 draws in ") && out.contains("\nno finding\n"), "{out}");
    let (code, _, err) =
        search(folder.path(), &["--resume", "--own", "one=glibc", "--against", "third=glibc"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("is a search among one 2.36, other 2.36, not"), "{err}");
}

#[test]
fn instructions_are_counted_beside_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let among = ["--own", "one=glibc", "--against", "other=glibc"];
    let pattern = ["--pattern", "calls=20000"];
    let (code, out, err) = search(folder.path(), &[&among[..], &pattern].concat());
    assert_eq!(code, 0, "{out}\n{err}");
    // The columns of a contender: name, version, time, instructions, memory.
    let counted = |name: &str| -> f64 {
        let words = out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        let mut rows = words.filter(|words| words.len() == 7 && words[0] == name);
        rows.next().expect("a row")[3].parse().expect("a count")
    };
    // No call takes fewer than ten instructions, and these hardly ever go to the kernel.
    assert!((10.0..400.0).contains(&counted("one")), "{out}");
    assert!((counted("one") / counted("other") - 1.0).abs() < 0.02, "{out}");
}

#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, _, err) = search(folder.path(), &["--own", "one=glibc", "--resume"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("state.json") && err.contains("no search to resume"), "{err}");
    let (code, _, err) = search(folder.path(), &["--own", "glibc", "--against", "talk"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("no allocator is called 'talk'"), "{err}");
}
