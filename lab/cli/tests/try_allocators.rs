//! `heapsmith try --alloc`: libraries by path, settings, and what is refused.

mod common;

use common::{Try, cc};

const JEMALLOC: &str = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2";

#[test]
fn libraries_by_path_run_under_their_names_with_their_settings() {
    let spec =
        format!("{JEMALLOC},mine={JEMALLOC},tuned={JEMALLOC};MALLOC_CONF=narenas:1,tcache:false");
    let script = "test \"$MALLOC_CONF\" = '' || test \"$MALLOC_CONF\" = narenas:1,tcache:false";
    let run = Try::run(&spec, &[], &["sh", "-c", script]);
    assert_eq!(run.code(), 0, "{}{}", run.stdout(), run.stderr());
    let samples = run.kind("sample");
    for name in ["as-built", "libjemalloc.so.2", "mine", "tuned"] {
        let of_name = samples.iter().find(|record| record["contender"] == name);
        let version = &of_name.unwrap_or_else(|| panic!("{name} ran"))["version"];
        assert!(name == "as-built" || version == "5.3.0", "{name}: {version}");
    }
}

#[test]
fn settings_reach_their_contender_only() {
    let spec = "plain=glibc,tuned=glibc;HEAPSMITH_TEST_SETTING=1";
    let run = Try::run(spec, &[], &["sh", "-c", "test -z $HEAPSMITH_TEST_SETTING"]);
    assert_eq!(run.code(), 1, "{}{}", run.stdout(), run.stderr());
    let failures = run.kind("failure");
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0]["contender"], "tuned");
}

#[test]
fn a_library_of_an_unknown_allocator_has_an_unknown_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = folder.path().join("libown.so");
    let options = ["-shared", "-fPIC", "-fno-builtin"];
    cc(&options, &["lab/cli/tests/own_malloc.c"], &library);
    let run = Try::run_in(folder, "./libown.so", &[], &["true"]);
    assert_eq!(run.code(), 0, "{}{}", run.stdout(), run.stderr());
    let samples = run.kind("sample");
    let own = samples.iter().find(|record| record["contender"] == "libown.so").expect("it ran");
    assert_eq!(own["version"], "unknown");
}

#[test]
fn a_library_that_cannot_be_loaded_is_named_in_one_line() {
    for (spec, expected) in [
        ("/no/lib.so", "/no/lib.so: there is no such library"),
        ("/etc/passwd", "/etc/passwd is not a shared library"),
        ("x=/usr/bin/env", "/usr/bin/env is a program, not a shared library"),
        ("jemaloc", "did you mean 'jemalloc'?"),
        ("glibc,glibc", "--alloc names 'glibc' twice"),
    ] {
        let run = Try::run(spec, &[], &["true"]);
        assert!([2, 3].contains(&run.code()), "{spec}: {}", run.code());
        assert_eq!(run.stderr().lines().count(), 1, "{}", run.stderr());
        assert!(run.stderr().contains(expected), "{}", run.stderr());
    }
}

#[test]
fn advice_after_a_failure_names_no_library_by_its_file() {
    let path = "/lib/x86_64-linux-gnu/libc.so.6";
    let fails = r#"case "$LD_PRELOAD" in *libc.so*) exit 4;; esac"#;
    let run = Try::run(path, &[], &["sh", "-c", fails]);
    assert_eq!(run.code(), 1, "{}", run.stderr());
    let said = run.stdout();
    assert!(said.contains(&format!("heapsmith try --show-output --alloc {path} --")), "{said}");
    assert!(!said.contains("--alloc libc.so.6"), "{said}");
}
