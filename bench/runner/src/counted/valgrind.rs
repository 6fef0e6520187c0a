//! A run of a program under valgrind's callgrind.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use heapsmith_measure::error::environment;

/// A run under callgrind that is still to get its options, program and environment.
pub struct Valgrind {
    pub command: Command,
    profile: tempfile::NamedTempFile,
}

impl Valgrind {
    pub fn new() -> Result<Self> {
        let profile = tempfile::NamedTempFile::new().context("a file for callgrind")?;
        let mut out = OsString::from("--callgrind-out-file=");
        out.push(profile.path());
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--quiet"]).arg(out).stdin(Stdio::null());
        Ok(Self { command, profile })
    }

    /// Runs it; the profile. `what` names the run in an error.
    pub fn run(mut self, what: &str) -> Result<String> {
        let output = self.command.output().context("running valgrind")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().next_back().unwrap_or_default();
            return Err(environment(format!("{what} under valgrind: {last}")));
        }
        std::fs::read_to_string(self.profile.path()).context("callgrind's profile")
    }
}
