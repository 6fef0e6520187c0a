//! The rounds of suites whose programs measure themselves. Their runs take turns; their output is
//! collected by setting and round.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::launch::{Ended, Exit, Launcher, Output};
use heapsmith_measure::program::Program;
use heapsmith_measure::progress::Progress;
use heapsmith_measure::prove::Identity;
use heapsmith_measure::record::Failed;
use heapsmith_measure::results::Results;
use heapsmith_measure::round::order;
use heapsmith_measure::row::{Row, Series};
use serde_json::{Map, Value};

use crate::bench::{Bench, is_against};
use crate::printed::{Collected, Printed, Setting};

/// How a contender is run: its program, the words before those of the case, the preload.
#[derive(Clone, Debug)]
pub struct Call {
    pub program: PathBuf,
    pub words: Vec<String>,
    pub preload: Option<PathBuf>,
}

/// A contender whose program runs.
pub struct Player {
    pub identity: Identity,
    /// The name that the program prints.
    called: String,
    call: Call,
}

impl Player {
    pub fn name(&self) -> &str {
        &self.identity.name
    }
}

/// One workload with the arguments of its programs.
#[derive(Clone, Debug)]
pub struct Task {
    pub suite: String,
    pub workload: String,
    /// The parameters of a failure. Rows have those that programs print.
    pub params: Map<String, Value>,
    pub arguments: Vec<String>,
    pub rounds: usize,
    /// Whether all contenders must print the same check value.
    pub agrees: bool,
}

pub struct Rounds<'a> {
    launcher: Launcher<'a>,
    /// No round begins later.
    until: Option<Instant>,
}

/// A player in the rounds of one task.
struct Entrant<'a> {
    player: &'a Player,
    collected: Collected,
    failure: Option<Failure>,
}

impl<'a> Rounds<'a> {
    pub fn new(bench: &'a Bench) -> Self {
        let timeout = Some(std::time::Duration::from_secs(bench.manifest.timeout_s));
        let (lab, interrupt, output) = (&bench.lab, &bench.interrupt, Output::Capture);
        let (input, service) = (None, None);
        let launcher = Launcher { lab, interrupt, input, output, timeout, service };
        Self { launcher, until: bench.left().map(|left| Instant::now() + left) }
    }

    /// An unmeasured run that reads the version. A contender that fails it is left out. `label` is
    /// the name in results, `called` the one that the program prints.
    pub fn identify(
        &self,
        [label, called]: [&str; 2],
        call: Call,
        task: &Task,
        results: &mut Results,
    ) -> Result<Option<Player>> {
        let ended = self.run(&call, &task.arguments)?;
        match accept([label, called], &ended) {
            Ok(printed) => {
                let identity = Identity {
                    name: label.to_string(),
                    version: printed.version,
                    library: call.preload.as_ref().unwrap_or(&call.program).clone(),
                    loaded: true,
                    settings: Vec::new(),
                };
                results.identify(&identity);
                Ok(Some(Player { identity, called: called.to_string(), call }))
            }
            Err(failure) => {
                results.failures.push(task.failed(failure));
                Ok(None)
            }
        }
    }

    /// The rows of a task, one for each setting its programs print. Ends early when interrupted.
    pub fn measure(
        &self,
        task: &Task,
        players: &[&Player],
        progress: &Progress,
        results: &mut Results,
    ) -> Result<Vec<Row>> {
        let entrant = |player| Entrant { player, collected: Collected::default(), failure: None };
        let mut entrants: Vec<Entrant> = players.iter().copied().map(entrant).collect();
        // Two builds may do different work, so each has a check value of its own.
        let mut checks = [None, None];
        for round in 0..task.rounds {
            if self.until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            for who in order(round, entrants.len()) {
                let entrant = &mut entrants[who];
                let (round, name) = (round + 1, entrant.player.name());
                progress.step(&format!("{}, round {round}/{}, {name}", task.workload, task.rounds));
                if entrant.failure.is_none() {
                    let ended = self.run(&entrant.player.call, &task.arguments)?;
                    if self.launcher.interrupt.asked() {
                        return Ok(rows(task, &entrants));
                    }
                    let side = usize::from(is_against(entrant.player.name()));
                    entrant.take(task, &ended, &mut checks[side]);
                } else {
                    entrant.collected.add(None);
                }
                progress.done_one();
            }
        }
        let failures = entrants.iter().filter_map(|entrant| entrant.failure.clone());
        results.failures.extend(failures.map(|failure| task.failed(failure)));
        Ok(rows(task, &entrants))
    }

    fn run(&self, call: &Call, arguments: &[String]) -> Result<Ended> {
        let words = call.words.iter().chain(arguments).map(OsString::from);
        let argv: Vec<OsString> = std::iter::once((&call.program).into()).chain(words).collect();
        // Nothing of the user's may be put in front of what the contender brings along.
        let preload = call.preload.as_ref().map(OsString::from);
        self.launcher.run(&Program::find(&argv)?, &[("LD_PRELOAD".into(), preload)])
    }
}

impl Task {
    fn failed(&self, failure: Failure) -> Failed {
        let (workload, params) = (self.workload.clone(), self.params.clone());
        Failed { suite: self.suite.clone(), workload, params, failure }
    }
}

impl Entrant<'_> {
    /// Collects a run that is sound and gives the answer all others give.
    fn take(&mut self, task: &Task, ended: &Ended, check: &mut Option<String>) {
        let name = self.player.name();
        let called = self.player.called.as_str();
        let accepted = accept([name, called], ended).and_then(|printed| {
            match disagreement(task.agrees, &printed, check) {
                Some(why) => Err(Failure::of_check(name, why, ended)),
                None => Ok(printed),
            }
        });
        self.collected.add(accepted.as_ref().ok());
        self.failure = accepted.err();
    }
}

/// The output of a run that ended well and is of the contender that was meant.
fn accept([label, called]: [&str; 2], ended: &Ended) -> Result<Printed, Failure> {
    if ended.exit != Exit::Code(0) {
        return Err(Failure::of_run(label, ended));
    }
    let printed =
        Printed::parse(&ended.stdout).map_err(|why| Failure::of_check(label, why, ended))?;
    if printed.contender != called {
        let why = format!("is a program of '{}'", printed.contender);
        return Err(Failure::of_check(label, why, ended));
    }
    Ok(printed)
}

/// The fault of a run's check value; `check` keeps the first value seen. Runs that
/// lack a setting answer less.
fn disagreement(agrees: bool, printed: &Printed, check: &mut Option<String>) -> Option<String> {
    let Some(found) = &printed.check else {
        return Some("printed no check value".to_string());
    };
    if !agrees || !printed.refused.is_empty() {
        return None;
    }
    let expected = check.get_or_insert_with(|| found.clone());
    (found != expected).then(|| format!("check value {found}, not {expected} as before"))
}

fn rows(task: &Task, entrants: &[Entrant]) -> Vec<Row> {
    let settings = entrants.iter().flat_map(|entrant| entrant.collected.settings());
    let ordered: BTreeSet<&Setting> = settings.collect();
    let row = |setting: &Setting| Row {
        suite: task.suite.clone(),
        workload: task.workload.clone(),
        params: setting.params(),
        series: entrants.iter().filter_map(|entrant| series(entrant, setting)).collect(),
    };
    ordered.into_iter().map(row).collect()
}

fn series(entrant: &Entrant, setting: &Setting) -> Option<Series> {
    let values = entrant.collected.of(setting)?;
    Some(Series::of_values(entrant.player.identity.clone(), values))
}

#[cfg(test)]
mod tests {
    //! The check values that are compared with each other.
    use super::*;

    fn printed(check: &str) -> Printed {
        Printed::parse(&format!("check {check}\n")).expect("a check line")
    }

    #[test]
    fn the_first_answer_is_everyones() {
        let mut check = None;
        assert_eq!(disagreement(true, &printed("a"), &mut check), None);
        assert_eq!(disagreement(true, &printed("a"), &mut check), None);
        assert!(disagreement(true, &printed("b"), &mut check).is_some());
        assert!(disagreement(true, &Printed::default(), &mut check).is_some());
    }

    #[test]
    fn answers_that_may_differ_are_not_held_against_anyone() {
        let mut check = Some("a".to_string());
        assert_eq!(disagreement(false, &printed("b"), &mut check), None);
        let partial = Printed::parse("refused n=32768\ncheck b\n").expect("good");
        assert_eq!(disagreement(true, &partial, &mut check), None);
    }
}
