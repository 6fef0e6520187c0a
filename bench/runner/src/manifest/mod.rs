//! A suite as data: the contents of a suite.toml. bench/runner/README.md describes the keys.

mod check;
mod contender;
mod counted;
mod one_or_many;
mod read;
mod rows;
mod target;
mod workload;

use std::collections::BTreeMap;

use heapsmith_measure::metric::Metric;
use serde::Deserialize;

pub use contender::{Contender, Role};
pub use counted::Counted;
pub use target::{Dominated, Growth, Largest, PEERS, Target};
pub use workload::{Case, Workload};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub name: String,
    pub about: String,
    pub kind: Kind,
    /// The CMake targets that build the measured programs.
    #[serde(default)]
    pub build: Vec<String>,
    /// In the folder of a build; `{contender}` stands for the contender's name.
    pub program: Option<String>,
    #[serde(default = "usual_rounds")]
    pub rounds: usize,
    #[serde(default = "usual_quick_rounds")]
    pub quick_rounds: usize,
    /// No run comes near it: an allocator that hangs must not hang the suite.
    #[serde(default = "usual_timeout_s")]
    pub timeout_s: u64,
    /// How many seconds further rounds may take where intervals are too wide to judge a target:
    /// whole, and with --quick.
    #[serde(default = "usual_budget_s")]
    pub budget_s: [u64; 2],
    /// How long the suite should take at most, whole and with --quick.
    pub should_take_s: Option<[u64; 2]>,
    /// Set for programs that callgrind runs.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// The metrics that get a table, and that --against compares.
    pub shown: Vec<Metric>,
    /// Whether results also hold ratios to the best peer of each row.
    #[serde(default)]
    pub ratios_to_best_peer: bool,
    /// The suite worth running next.
    pub next: String,
    /// The names of contenders in older builds: old name = new name.
    #[serde(default)]
    pub renamed: BTreeMap<String, String>,
    #[serde(rename = "contender")]
    pub contenders: Vec<Contender>,
    /// Words that `{name}` stands for in the names of workloads.
    #[serde(default)]
    lists: BTreeMap<String, Vec<String>>,
    #[serde(default, rename = "workload")]
    workloads: Vec<Workload>,
    #[serde(default)]
    pub counted: Vec<Counted>,
    #[serde(default, rename = "target")]
    pub targets: Vec<Target>,
    #[serde(default)]
    pub largest: Vec<Largest>,
    #[serde(default)]
    pub dominated: Vec<Dominated>,
    #[serde(default)]
    pub growth: Vec<Growth>,
}

/// How the measured programs are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Whole processes, each run under every contender of lab/contenders.toml.
    Processes,
    /// One program with all contenders: PROGRAM CONTENDER WORKLOAD. It lists what it can run.
    Program,
    /// A program for each contender: PROGRAM WORKLOAD.
    Programs,
    /// Nothing is timed: instructions are counted.
    Callgrind,
}

fn usual_rounds() -> usize {
    11
}

fn usual_quick_rounds() -> usize {
    6
}

fn usual_budget_s() -> [u64; 2] {
    [600, 60]
}

fn usual_timeout_s() -> u64 {
    300
}

impl Manifest {
    pub fn names_with(&self, role: Role) -> Vec<&str> {
        let has_role = |one: &&Contender| one.role == Some(role);
        self.contenders.iter().filter(has_role).map(|one| one.name.as_str()).collect()
    }

    pub fn names(&self) -> Vec<&str> {
        self.contenders.iter().map(|one| one.name.as_str()).collect()
    }

    /// The contender that does the work without an allocator.
    pub fn limit(&self) -> Option<&str> {
        self.names_with(Role::Limit).first().copied()
    }

    /// The contender that is the allocator of `own` once more.
    pub fn twin_of(&self, own: &str) -> Option<&str> {
        let own = self.contenders.iter().find(|one| one.name == own)?;
        let is_twin =
            |one: &&Contender| one.role == Some(Role::Twin) && one.allocator() == own.allocator();
        self.contenders.iter().find(is_twin).map(|one| one.name.as_str())
    }

    /// Every case that the workloads of the manifest have.
    pub fn cases(&self, quick: bool) -> Vec<Case> {
        let of = |workload: &Workload| workload.cases(&self.lists, &self.names(), quick);
        self.workloads.iter().flat_map(of).collect()
    }
}

#[cfg(test)]
mod tests;
