//! Settings that are part of the program, and variables that replace them.
#![cfg(all(feature = "heap", not(miri)))]

use std::env;
use std::process::Command;

heapsmith::settings!("limit_bytes=64M,stats=json");

#[global_allocator]
static A: heapsmith::Heapsmith = heapsmith::Heapsmith;

/// Runs a test of this program again in a process with a variable; returns its stderr.
fn again(test: &str, variable: (&str, &str)) -> String {
    let this = env::current_exe().expect("the system knows what it runs");
    let output = Command::new(this)
        .args(["--exact", test, "--include-ignored"])
        .envs([variable])
        .output()
        .expect("the tests can be run");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).expect("stderr is text")
}

#[test]
fn the_program_limits_itself() {
    assert!(Vec::<u8>::new().try_reserve(128 << 20).is_err());
    assert!(Vec::<u8>::new().try_reserve(16 << 20).is_ok());
}

#[test]
#[ignore = "the limit of the program stands in the way"]
fn there_is_no_limit() {
    assert!(Vec::<u8>::new().try_reserve(128 << 20).is_ok());
}

#[test]
fn the_environment_wins() {
    let said = again("there_is_no_limit", ("HEAPSMITH_LIMIT_BYTES", "0"));
    assert!(said.contains("\"peak_bytes\":"), "{said}");
}

#[test]
fn both_are_listed() {
    let said = again("the_program_limits_itself", ("HEAPSMITH_VERBOSE", "1"));
    let lines: Vec<Vec<&str>> =
        said.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(lines.contains(&vec!["limit_bytes", "64M", "hs_settings"]), "{said}");
    assert!(lines.contains(&vec!["verbose", "1", "HEAPSMITH_VERBOSE"]), "{said}");
}
