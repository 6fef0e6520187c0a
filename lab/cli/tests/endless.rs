//! Devices and streams without an end, where a trace or results are expected: refused at once.

mod common;

use std::process::Command;

use common::lab;

/// Runs a command of a shell that must not take more than two GiB or 20 seconds.
fn refused(line: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let program = env!("CARGO_BIN_EXE_heapsmith");
    let limited =
        format!("heapsmith() {{ timeout 20 {program} \"$@\"; }}; ulimit -v 2000000; {line}");
    let mut shell = Command::new("bash");
    shell.args(["-c", &limited]).current_dir(folder.path()).env("HEAPSMITH_LAB_DIR", lab());
    let output = shell.output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(code == Some(2) || code == Some(3), "{line}: {code:?} {said}");
    said
}

#[test]
fn a_device_is_no_trace() {
    for verb in ["info", "export --to csv", "advise", "import"] {
        let said = refused(&format!("heapsmith {verb} /dev/zero"));
        assert!(said.contains("/dev/zero"), "{verb}: {said}");
    }
}

#[test]
fn a_device_has_no_results() {
    for line in [
        "heapsmith report /dev/zero",
        "heapsmith diff /dev/zero /dev/zero",
        "heapsmith report /dev/urandom",
    ] {
        let said = refused(line);
        assert!(said.contains("/dev/zero:1: ") || said.contains("/dev/urandom:1: "), "{said}");
    }
}

#[test]
fn a_stream_that_goes_on_and_on_has_no_results() {
    for endless in ["yes", "yes {}", "yes ''", "cat /dev/zero"] {
        let said = refused(&format!("heapsmith report <({endless})"));
        assert!(said.contains("/dev/fd/"), "{endless}: {said}");
        let said = refused(&format!("{endless} | heapsmith report -"));
        assert!(said.contains("stdin"), "{endless}: {said}");
    }
}
