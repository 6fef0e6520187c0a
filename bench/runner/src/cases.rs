//! What the suite runs, from lab/region.toml: contenders, workloads, and who takes part in which.

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::args::BenchArgs;
use crate::error::usage;
use crate::suggest::did_you_mean;

const MANIFEST: &str = include_str!("../../../../lab/region.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    #[serde(rename = "contender")]
    pub contenders: Vec<Contender>,
    containers: Containers,
    mixes: Mixes,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contender {
    pub name: String,
    about: String,
    #[serde(default)]
    pub own: bool,
    #[serde(default)]
    thread_safe: bool,
    #[serde(default = "yes")]
    fills: bool,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Containers {
    workloads: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Mixes {
    distributions: Vec<String>,
    occupancies: Vec<u32>,
    threads: Vec<u32>,
    quick_threads: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A container's phase, timed for several numbers of elements.
    Container,
    /// A random mix with this many threads, timed.
    Mix(u32),
    /// A random mix, the instructions of single calls counted.
    Counted,
    /// Allocation until the first failure.
    Fill,
}

/// One program call: a workload in one of its kinds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub workload: String,
    pub kind: Kind,
}

impl Plan {
    pub fn load() -> Result<Self> {
        Self::parse(MANIFEST)
    }

    fn parse(text: &str) -> Result<Self> {
        let plan: Self = toml::from_str(text).context("lab/region.toml")?;
        for (index, contender) in plan.contenders.iter().enumerate() {
            let Contender { name, about, .. } = contender;
            ensure!(!about.is_empty(), "lab/region.toml: '{name}' says nothing about itself");
            let twice = plan.contenders[..index].iter().any(|other| other.name == *name);
            ensure!(!twice, "lab/region.toml: '{name}' is there twice");
        }
        Ok(plan)
    }

    /// The contenders with the wanted names; an empty list wants all.
    pub fn chosen(&self, names: &[String]) -> Result<Vec<Contender>> {
        let known: Vec<&str> = self.contenders.iter().map(|one| one.name.as_str()).collect();
        require_known("contender", names, &known)?;
        let wanted = |one: &&Contender| names.is_empty() || names.contains(&one.name);
        Ok(self.contenders.iter().filter(wanted).cloned().collect())
    }

    /// The cases that the command line asks for, in the order they are run in.
    pub fn cases(&self, args: &BenchArgs) -> Result<Vec<Case>> {
        let all = self.all(args.quick);
        let mut known: Vec<&str> = all.iter().map(|case| case.workload.as_str()).collect();
        known.dedup();
        require_known("workload", &args.workload, &known)?;
        let threads = |case: &Case| match case.kind {
            Kind::Mix(threads) => threads,
            _ => 1,
        };
        let wanted = |case: &Case| {
            (args.workload.is_empty() || args.workload.contains(&case.workload))
                && (args.threads.is_empty() || args.threads.contains(&threads(case)))
        };
        let cases: Vec<Case> = all.iter().filter(|case| wanted(case)).cloned().collect();
        if cases.is_empty() {
            return Err(usage("no workload runs with that number of threads"));
        }
        Ok(cases)
    }

    fn all(&self, quick: bool) -> Vec<Case> {
        let Mixes { distributions, occupancies, threads, quick_threads } = &self.mixes;
        let threads = if quick { quick_threads } else { threads };
        let case = |workload: String, kind: Kind| Case { workload, kind };
        let mut cases: Vec<Case> = self
            .containers
            .workloads
            .iter()
            .map(|name| case(name.clone(), Kind::Container))
            .collect();
        for distribution in distributions {
            for occupancy in occupancies {
                let name = format!("random-{distribution}-{occupancy}");
                cases.push(case(name.clone(), Kind::Counted));
                cases.extend(threads.iter().map(|count| case(name.clone(), Kind::Mix(*count))));
            }
        }
        let fill = |distribution: &String| case(format!("fill-{distribution}"), Kind::Fill);
        cases.extend(distributions.iter().map(fill));
        cases
    }
}

fn require_known(what: &str, names: &[String], known: &[&str]) -> Result<()> {
    let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) else {
        return Ok(());
    };
    let hint = did_you_mean(unknown, known);
    let all = known.join(", ");
    Err(usage(format!("no {what} is called '{unknown}'{hint}; there are {all}")))
}

impl Contender {
    pub fn takes_part(&self, kind: Kind) -> bool {
        match kind {
            Kind::Container | Kind::Counted | Kind::Mix(1) => true,
            Kind::Mix(_) => self.thread_safe,
            Kind::Fill => self.fills,
        }
    }

    /// Its program, as bench/region/CMakeLists.txt names it.
    pub fn program(&self) -> String {
        format!("region-{}", self.name)
    }
}

impl Kind {
    /// Whether a run gives the same values every time: then there is one.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Counted | Self::Fill)
    }
}

impl Case {
    /// The program's arguments.
    pub fn arguments(&self, quick: bool) -> Vec<String> {
        let mut words = vec![self.workload.clone()];
        match self.kind {
            Kind::Mix(threads) => words.extend(["--threads".to_string(), threads.to_string()]),
            Kind::Counted => words.push("--count-instructions".to_string()),
            Kind::Container | Kind::Fill => {}
        }
        words.extend(quick.then(|| "--quick".to_string()));
        words
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
