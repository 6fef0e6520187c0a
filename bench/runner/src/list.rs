//! What a suite's program says it can run, and what of it is wanted.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::args::BenchArgs;
use crate::error::usage;
use crate::suggest::did_you_mean;

/// A contender in a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub workload: String,
    pub contender: String,
    pub threads: u32,
}

/// All runs, in the order of the list.
#[derive(Clone, Debug)]
pub struct Listed {
    pub runs: Vec<Run>,
}

impl Listed {
    pub fn ask(program: &Path) -> Result<Self> {
        let output = Command::new(program).arg("--list").output().context("the suite's list")?;
        let program = program.display();
        ensure!(output.status.success(), "{program} --list fails");
        Self::parse(&String::from_utf8_lossy(&output.stdout))
            .with_context(|| format!("{program} --list"))
    }

    fn parse(text: &str) -> Result<Self> {
        let runs = text.lines().map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let [workload, contender, threads] = words[..] else {
                anyhow::bail!("not WORKLOAD CONTENDER THREADS: '{line}'");
            };
            let threads = threads.parse().with_context(|| format!("in '{line}'"))?;
            let (workload, contender) = (workload.to_string(), contender.to_string());
            Ok(Run { workload, contender, threads })
        });
        Ok(Self { runs: runs.collect::<Result<_>>()? })
    }

    /// One more workload, which the program does not know.
    pub fn with(mut self, workload: &str, contenders: &[&str]) -> Self {
        let run = |name: &&str| {
            let (workload, contender) = (workload.to_string(), name.to_string());
            Run { workload, contender, threads: 1 }
        };
        self.runs.extend(contenders.iter().map(run));
        self
    }

    pub fn first_of(&self, contender: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.contender == contender)
    }

    /// The runs that the command line asks for.
    pub fn chosen(self, args: &BenchArgs) -> Result<Self> {
        self.require_known("contender", &args.chosen.alloc, |run| &run.contender)?;
        self.require_known("workload", &args.workload, |run| &run.workload)?;
        let wanted = |run: &Run| {
            (args.chosen.alloc.is_empty() || args.chosen.alloc.contains(&run.contender))
                && (args.workload.is_empty() || args.workload.contains(&run.workload))
                && (args.threads.is_empty() || args.threads.contains(&run.threads))
        };
        let runs: Vec<Run> = self.runs.into_iter().filter(wanted).collect();
        if runs.is_empty() {
            return Err(usage("no such contender runs such a workload with that many threads"));
        }
        Ok(Self { runs })
    }

    fn require_known(
        &self,
        what: &str,
        names: &[String],
        of: impl Fn(&Run) -> &String,
    ) -> Result<()> {
        let mut known: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !known.contains(&of(run).as_str()) {
                known.push(of(run));
            }
        }
        let Some(unknown) = names.iter().find(|name| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let hint = did_you_mean(unknown, &known);
        Err(usage(format!("no {what} is called '{unknown}'{hint}; there are {}", known.join(", "))))
    }

    /// One run of each contender.
    pub fn first_of_contenders(&self) -> Vec<&Run> {
        let mut firsts: Vec<&Run> = Vec::new();
        for run in &self.runs {
            if !firsts.iter().any(|first| first.contender == run.contender) {
                firsts.push(run);
            }
        }
        firsts
    }

    /// The runs of the same workload with as many threads, together.
    pub fn by_case(&self) -> Vec<Vec<&Run>> {
        let mut cases: Vec<Vec<&Run>> = Vec::new();
        for run in &self.runs {
            let same = |runs: &&mut Vec<&Run>| {
                runs[0].workload == run.workload && runs[0].threads == run.threads
            };
            match cases.iter_mut().find(same) {
                Some(case) => case.push(run),
                None => cases.push(vec![run]),
            }
        }
        cases
    }
}

#[cfg(test)]
mod tests {
    //! A list, what is chosen of it, and what is no list.
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command as Verb};

    fn listed() -> Listed {
        Listed::parse("list arena 1\nlist arena 10\nlist limit 1\nchurn pool 1\n").expect("good")
    }

    fn chosen(words: &[&str]) -> Result<Listed> {
        let line = ["heapsmith", "bench", "arena"].iter().chain(words);
        let Verb::Bench(args) = Cli::parse_from(line).command else { panic!("bench") };
        listed().chosen(&args)
    }

    #[test]
    fn runs_of_one_case_come_together() {
        let listed = listed();
        let sizes: Vec<usize> = listed.by_case().iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 1, 1]);
        let names: Vec<_> =
            listed.first_of_contenders().iter().map(|run| run.contender.as_str()).collect();
        assert_eq!(names, ["arena", "limit", "pool"]);
    }

    #[test]
    fn what_is_wanted_is_chosen() {
        assert_eq!(chosen(&["--alloc", "arena", "--threads", "10"]).expect("one").runs.len(), 1);
        assert_eq!(chosen(&["--workload", "list"]).expect("three").runs.len(), 3);
        assert!(chosen(&["--alloc", "arens"]).is_err());
        assert!(chosen(&["--workload", "lists"]).is_err());
        assert!(chosen(&["--alloc", "pool", "--threads", "10"]).is_err());
    }

    #[test]
    fn what_is_no_list_is_refused() {
        assert!(Listed::parse("list arena").is_err());
        assert!(Listed::parse("list arena one").is_err());
    }
}
