//! The runs that a suite's program lists.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::bench::Side;
use crate::manifest::Case;

/// A contender in a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    workload: String,
    contender: String,
    threads: u32,
}

/// All runs, in the order of the list.
#[derive(Clone, Debug)]
pub struct Listed(Vec<Run>);

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
        Ok(Self(runs.collect::<Result<_>>()?))
    }

    pub fn has(&self, contender: &str) -> bool {
        self.0.iter().any(|run| run.contender == contender)
    }

    /// The listed contenders that a suite does not have, by the names that `side` gives them.
    pub fn unknown<'a>(&'a self, suite: &[&str], side: &Side) -> Vec<&'a str> {
        let known: Vec<&str> =
            suite.iter().map(|name| side.called(name, |name| self.has(name))).collect();
        let mut unknown: Vec<&str> = Vec::new();
        for run in &self.0 {
            let name = run.contender.as_str();
            if !known.contains(&name) && !unknown.contains(&name) {
                unknown.push(name);
            }
        }
        unknown
    }

    /// The cases of a suite, with those of its contenders that take part.
    pub fn cases(&self, suite: &[&str], side: &Side) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for run in &self.0 {
            let is_run = |name: &&&str| side.called(name, |name| self.has(name)) == run.contender;
            let Some(contender) = suite.iter().find(is_run) else {
                continue;
            };
            let same = |case: &&mut Case| {
                case.workload == run.workload && case.threads == Some(run.threads)
            };
            match cases.iter_mut().find(same) {
                Some(case) => case.contenders.push(contender.to_string()),
                None => cases.push(Case {
                    workload: run.workload.clone(),
                    program: None,
                    threads: Some(run.threads),
                    params: [("threads".to_string(), run.threads.into())].into_iter().collect(),
                    arguments: Vec::new(),
                    contenders: vec![contender.to_string()],
                    exact: false,
                    repeat: 1,
                    check: true,
                    rests: false,
                    needs: BTreeMap::new(),
                }),
            }
        }
        cases
    }
}

#[cfg(test)]
mod tests {
    //! Good lists and malformed ones.
    use super::*;

    #[test]
    fn runs_of_one_case_come_together() {
        let text = "list arena 1\nlist arena 10\nlist limit 1\nchurn old-pool 1\nchurn x 1\n";
        let listed = Listed::parse(text).expect("good");
        let side = Side::renaming("old-pool", "pool");
        let suite = ["limit", "arena", "pool"];
        let cases = listed.cases(&suite, &side);
        let short: Vec<_> = cases
            .iter()
            .map(|case| (case.workload.as_str(), case.threads, case.contenders.join(" ")))
            .collect();
        let expected = [
            ("list", Some(1), "arena limit".to_string()),
            ("list", Some(10), "arena".to_string()),
            ("churn", Some(1), "pool".to_string()),
        ];
        assert_eq!(short, expected);
        assert_eq!(listed.unknown(&suite, &side), ["x"]);
    }

    #[test]
    fn malformed_lists_are_refused() {
        assert!(Listed::parse("list arena").is_err());
        assert!(Listed::parse("list arena one").is_err());
    }
}
