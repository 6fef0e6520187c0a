//! The rounds of suites whose contenders are programs: run in turns, and what they print collected
//! and compared.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Map, Value};

use super::printed::{Collected, Printed, Setting};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::launch::{Ended, Exit, Launcher, Output};
use crate::place::Lab;
use crate::program::Program;
use crate::progress::Progress;
use crate::prove::Identity;
use crate::record::Failed;
use crate::results::Results;
use crate::round::order;
use crate::row::{Row, Series};

/// How a contender is run: its program, the words before those of the case, what is preloaded.
#[derive(Clone, Debug)]
pub struct Call {
    pub program: PathBuf,
    pub words: Vec<String>,
    pub preload: Option<PathBuf>,
}

/// A contender whose program is there and is what it says.
pub struct Player {
    pub identity: Identity,
    pub call: Call,
}

impl Player {
    pub fn name(&self) -> &str {
        &self.identity.name
    }
}

/// One workload with its arguments.
#[derive(Clone, Debug)]
pub struct Case {
    pub suite: &'static str,
    pub workload: String,
    /// What a failure is reported with; rows have the parameters that programs print.
    pub params: Map<String, Value>,
    pub arguments: Vec<String>,
    pub rounds: usize,
    /// Whether all contenders must print the same check value.
    pub agrees: bool,
}

pub struct Programs<'a> {
    launcher: Launcher<'a>,
}

/// A player in the rounds of one case.
struct Entrant<'a> {
    player: &'a Player,
    collected: Collected,
    failure: Option<Failure>,
}

impl<'a> Programs<'a> {
    pub fn new(lab: &'a Lab, interrupt: &'a Interrupt, timeout: std::time::Duration) -> Self {
        let (output, timeout) = (Output::Capture, Some(timeout));
        Self { launcher: Launcher { lab, interrupt, input: None, output, timeout } }
    }

    /// An unmeasured run that tells the version. Who does not run is a failure and takes no part.
    pub fn identify(
        &self,
        name: &str,
        call: Call,
        case: &Case,
        results: &mut Results,
    ) -> Result<Option<Player>> {
        let ended = self.run(&call, &case.arguments)?;
        match accept(name, &ended) {
            Ok(printed) => {
                let identity = Identity {
                    name: name.to_string(),
                    version: printed.version,
                    library: call.preload.as_ref().unwrap_or(&call.program).clone(),
                    loaded: true,
                };
                results.identify(&identity);
                Ok(Some(Player { identity, call }))
            }
            Err(failure) => {
                results.failures.push(case.failed(failure));
                Ok(None)
            }
        }
    }

    /// The rows of a case, one for each setting its programs print. Ends early when interrupted.
    pub fn measure(
        &self,
        case: &Case,
        players: &[&Player],
        progress: &Progress,
        results: &mut Results,
    ) -> Result<Vec<Row>> {
        let entrant = |player| Entrant { player, collected: Collected::default(), failure: None };
        let mut entrants: Vec<Entrant> = players.iter().copied().map(entrant).collect();
        let mut check = None;
        for round in 0..case.rounds {
            for who in order(round, entrants.len()) {
                let entrant = &mut entrants[who];
                let (round, name) = (round + 1, entrant.player.name());
                progress.step(&format!("{}, round {round}/{}, {name}", case.workload, case.rounds));
                if entrant.failure.is_none() {
                    let ended = self.run(&entrant.player.call, &case.arguments)?;
                    if self.launcher.interrupt.asked() {
                        return Ok(rows(case, &entrants));
                    }
                    entrant.take(case, &ended, &mut check);
                } else {
                    entrant.collected.add(None);
                }
                progress.done_one();
            }
        }
        let failures = entrants.iter().filter_map(|entrant| entrant.failure.clone());
        results.failures.extend(failures.map(|failure| case.failed(failure)));
        Ok(rows(case, &entrants))
    }

    fn run(&self, call: &Call, arguments: &[String]) -> Result<Ended> {
        let words = call.words.iter().chain(arguments).map(OsString::from);
        let argv: Vec<OsString> = std::iter::once((&call.program).into()).chain(words).collect();
        // Nothing of the user's may be put in front of what the contender brings along.
        let preload = call.preload.as_ref().map(OsString::from);
        self.launcher.run(&Program::find(&argv)?, &[("LD_PRELOAD", preload)])
    }
}

impl Case {
    /// The same as a test runs it.
    pub fn shortened(mut self) -> Self {
        self.arguments.push("--short".to_string());
        self
    }

    fn failed(&self, failure: Failure) -> Failed {
        let (workload, params) = (self.workload.clone(), self.params.clone());
        Failed { suite: self.suite, workload, params, failure }
    }
}

impl Entrant<'_> {
    /// Collects a run that is sound and gives the answer all others give.
    fn take(&mut self, case: &Case, ended: &Ended, check: &mut Option<String>) {
        let name = self.player.name();
        let accepted = accept(name, ended).and_then(|printed| {
            match disagreement(case.agrees, &printed, check) {
                Some(why) => Err(Failure::of_check(name, why, ended)),
                None => Ok(printed),
            }
        });
        self.collected.add(accepted.as_ref().ok());
        self.failure = accepted.err();
    }
}

/// The output of a run that ended well and is of the contender that was meant.
fn accept(name: &str, ended: &Ended) -> Result<Printed, Failure> {
    if ended.exit != Exit::Code(0) {
        return Err(Failure::of_run(name, ended));
    }
    let printed =
        Printed::parse(&ended.stdout).map_err(|why| Failure::of_check(name, why, ended))?;
    if printed.contender != name {
        let why = format!("is a program of '{}'", printed.contender);
        return Err(Failure::of_check(name, why, ended));
    }
    Ok(printed)
}

/// What is wrong with a run's check value; the first one seen is remembered in `check`. Runs that
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

fn rows(case: &Case, entrants: &[Entrant]) -> Vec<Row> {
    let settings = entrants.iter().flat_map(|entrant| entrant.collected.settings());
    let ordered: BTreeSet<&Setting> = settings.collect();
    let row = |setting: &Setting| Row {
        suite: case.suite,
        workload: case.workload.clone(),
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
    //! Which check values are held against each other.
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
