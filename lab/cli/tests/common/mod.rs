//! Shared by the tests of the command: the command, the lab beside it, and its output.

#![allow(dead_code, unused_imports)] // Each test program uses its own part.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

#[path = "../../../measure/tests/lab/mod.rs"]
pub mod lab;
mod pipe;
pub mod running;
pub mod traces;

pub use lab::{cc, lab};
pub use pipe::closed_pipe;

/// An allocator with a known fault, for --alloc.
pub fn control(fault: &str) -> String {
    format!("{fault}={}", lab().join(format!("libcontrol_{fault}.so")).display())
}

/// The command in a folder of its own, with the lab and without the caller's settings.
pub fn heapsmith(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    // As a shell calls an installed command.
    command.arg0("heapsmith").current_dir(folder).env("HEAPSMITH_LAB_DIR", lab());
    command.env_remove("HEAPSMITH_PRELOAD").env_remove("LD_PRELOAD");
    command
}

/// One `heapsmith try` in a folder of its own, with six rounds and results in out.json.
pub struct Try {
    pub folder: tempfile::TempDir,
    pub output: Output,
}

impl Try {
    pub fn run(allocators: &str, options: &[&str], program: &[&str]) -> Self {
        Self::run_in(tempfile::tempdir().expect("a folder"), allocators, options, program)
    }

    pub fn run_in(
        folder: tempfile::TempDir,
        allocators: &str,
        options: &[&str],
        program: &[&str],
    ) -> Self {
        let mut command = heapsmith(folder.path());
        command.args(["try", "--json", "out.json", "--alloc", allocators]);
        if !options.contains(&"--rounds") {
            command.args(["--rounds", "6"]);
        }
        let output = command.args(options).arg("--").args(program).output().expect("it runs");
        Self { folder, output }
    }

    pub fn code(&self) -> i32 {
        self.output.status.code().expect("it exits by itself")
    }

    pub fn stdout(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }

    pub fn records(&self) -> Vec<Value> {
        json_lines(&self.folder.path().join("out.json"))
    }

    pub fn kind(&self, kind: &str) -> Vec<Value> {
        self.records().into_iter().filter(|record| record["kind"] == kind).collect()
    }

    /// The data the page carries.
    pub fn page(&self) -> Value {
        let page = self.folder.path().join("heapsmith-report.html");
        let html = fs::read_to_string(page).expect("a page");
        let opening = r#"<script type="application/json" id="heapsmith-data">"#;
        let (_, rest) = html.split_once(opening).expect("the page has data");
        let (json, _) = rest.split_once("</script>").expect("the data ends");
        serde_json::from_str(json).expect("the data is JSON")
    }
}

pub fn json_lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("results");
    text.lines().map(|line| serde_json::from_str(line).expect("one JSON object a line")).collect()
}
