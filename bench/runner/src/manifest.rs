//! The rows of the heap suite, from lab/heap.toml.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::error::usage;
use crate::place::Lab;
use crate::program::Program;
use crate::suggest::did_you_mean;

const MANIFEST: &str = include_str!("../../../lab/heap.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    #[serde(rename = "workload")]
    workloads: Vec<Workload>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Workload {
    name: String,
    program: String,
    threads: Vec<u32>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    quick_args: Vec<String>,
    about: String,
    #[serde(default)]
    params: Map<String, Value>,
    /// Whether the program takes --threads N; without it the row has no such parameter.
    #[serde(default = "yes")]
    pass_threads: bool,
    /// Whether the program prints a check line that all contenders must agree on.
    #[serde(default = "yes")]
    check: bool,
}

fn yes() -> bool {
    true
}

/// One workload with one set of parameters.
#[derive(Debug)]
pub struct Case {
    pub workload: String,
    pub params: Map<String, Value>,
    pub program: Program,
    pub check: bool,
}

impl Manifest {
    pub fn load() -> Result<Self> {
        Self::parse(MANIFEST)
    }

    fn parse(text: &str) -> Result<Self> {
        let manifest: Self = toml::from_str(text).context("lab/heap.toml")?;
        for workload in &manifest.workloads {
            let Workload { name, about, threads, .. } = workload;
            ensure!(!about.is_empty(), "lab/heap.toml: '{name}' says nothing about itself");
            ensure!(!threads.is_empty(), "lab/heap.toml: '{name}' runs with no number of threads");
        }
        Ok(manifest)
    }

    /// The cases with the wanted names and thread counts; an empty list wants all.
    pub fn cases(
        &self,
        lab: &Lab,
        names: &[String],
        threads: &[u32],
        quick: bool,
    ) -> Result<Vec<Case>> {
        let known: Vec<_> = self.workloads.iter().map(|workload| workload.name.as_str()).collect();
        if let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) {
            let hint = did_you_mean(unknown, &known);
            let all = known.join(", ");
            return Err(usage(format!("no workload is called '{unknown}'{hint}; there are {all}")));
        }
        let mut cases = Vec::new();
        for workload in &self.workloads {
            if !names.is_empty() && !names.contains(&workload.name) {
                continue;
            }
            for count in &workload.threads {
                if threads.is_empty() || threads.contains(count) {
                    cases.push(workload.case(lab, *count, quick)?);
                }
            }
        }
        if cases.is_empty() {
            return Err(usage("no workload runs with that number of threads"));
        }
        Ok(cases)
    }
}

impl Workload {
    fn case(&self, lab: &Lab, threads: u32, quick: bool) -> Result<Case> {
        let path = if Path::new(&self.program).is_absolute() {
            self.program.clone().into()
        } else {
            lab.program(&self.program)?
        };
        let mut argv = vec![path.into_os_string()];
        let mut params = self.params.clone();
        if self.pass_threads {
            argv.extend(["--threads".into(), OsString::from(threads.to_string())]);
            params.insert("threads".to_string(), threads.into());
        }
        argv.extend(self.args.iter().map(OsString::from));
        if quick {
            argv.extend(self.quick_args.iter().map(OsString::from));
        }
        let program = Program::find(&argv)?;
        program.require_preloadable()?;
        Ok(Case { workload: self.name.clone(), params, program, check: self.check })
    }
}

#[cfg(test)]
mod tests {
    //! The shipped manifest and bad ones.
    use super::*;

    #[test]
    fn the_shipped_manifest_names_the_eight_workloads() {
        let manifest = Manifest::load().expect("lab/heap.toml is good");
        let mut names: Vec<_> =
            manifest.workloads.iter().map(|workload| workload.name.as_str()).collect();
        names.dedup();
        let expected = [
            "tiny-objects",
            "server-heirs",
            "producer-consumer",
            "random-slots",
            "grow",
            "large-blocks",
            "strings-map",
            "small-process",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn bad_manifests_are_refused() {
        let bad = "[[workload]]\nname = 'x'\nprogram = 'x'\nthreads = []\nabout = 'y'";
        assert!(Manifest::parse(bad).is_err());
        assert!(Manifest::parse("[[workload]]\nname = 'x'\nsurprise = 1").is_err());
    }
}
