//! The programs that a build needs, and how to get the missing ones.

use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use heapsmith_measure::contender::{Build, Language, Source};
use heapsmith_measure::error::environment;

/// A program, the variable that names another one for its place, and the packages that have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    name: &'static str,
    variable: &'static str,
    purpose: &'static str,
    debian: &'static str,
    fedora: &'static str,
}

pub const CARGO: Tool = Tool {
    name: "cargo",
    variable: "CARGO",
    purpose: "fetches the sources",
    // Debian 12's package cargo is too old to read the packages.
    debian: "cargo-web",
    fedora: "cargo",
};
pub const CC: Tool =
    Tool { name: "cc", variable: "CC", purpose: "compiles C", debian: "gcc", fedora: "gcc" };
pub const CXX: Tool = Tool {
    name: "c++",
    variable: "CXX",
    purpose: "compiles C++",
    debian: "g++",
    fedora: "gcc-c++",
};
pub const MAKE: Tool = Tool {
    name: "make",
    variable: "MAKE",
    purpose: "builds jemalloc",
    debian: "make",
    fedora: "make",
};

impl Tool {
    /// The command: the variable may hold several words, such as `ccache gcc`.
    pub fn command(self) -> Command {
        let words = self.words();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        command
    }

    /// As messages name it.
    pub fn shown(self) -> String {
        self.words().join(" ")
    }

    fn words(self) -> Vec<String> {
        let named = env::var(self.variable).unwrap_or_default();
        let words: Vec<_> = named.split_whitespace().map(str::to_string).collect();
        if words.is_empty() { vec![self.name.to_string()] } else { words }
    }

    fn is_here(self) -> bool {
        let name = &self.words()[0];
        let folders = env::var_os("PATH").unwrap_or_default();
        if name.contains('/') {
            return is_program(Path::new(name));
        }
        env::split_paths(&folders).any(|folder| is_program(&folder.join(OsStr::new(name))))
    }
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The tools that building `source` takes.
fn needed(source: &Source) -> Vec<Tool> {
    match source.build {
        Build::Compile { language: Language::C, .. } => vec![CARGO, CC],
        Build::Compile { language: Language::Cpp, .. } => vec![CARGO, CXX],
        Build::Configure { .. } => vec![CARGO, CC, CXX, MAKE],
    }
}

/// An error that names every missing tool, its purpose and its packages.
pub fn require<'a>(sources: impl Iterator<Item = &'a Source>) -> Result<()> {
    let mut missing: Vec<Tool> = Vec::new();
    for tool in sources.flat_map(needed) {
        if !missing.contains(&tool) && !tool.is_here() {
            missing.push(tool);
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let each = missing.iter().map(|tool| format!("{} ({})", tool.shown(), tool.purpose));
    let each: Vec<_> = each.collect();
    let verb = if missing.len() == 1 { "is" } else { "are" };
    let packages =
        |of: fn(&Tool) -> &'static str| missing.iter().map(of).collect::<Vec<_>>().join(" ");
    Err(environment(format!(
        "{} {verb} missing: apt install {} (Debian, Ubuntu), dnf install {} (Fedora)",
        each.join(", "),
        packages(|tool| tool.debian),
        packages(|tool| tool.fedora),
    )))
}
