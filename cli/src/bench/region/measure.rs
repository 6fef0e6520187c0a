//! The rounds of one case: programs run in turns, and what they print collected and compared.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use serde_json::Map;

use super::plan::{Case, Contender, Kind};
use super::printed::{Collected, Printed, Setting};
use super::{SUITE, TIMEOUT};
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

/// A contender whose program is there and is what it says.
pub struct Player {
    pub contender: Contender,
    path: PathBuf,
    identity: Identity,
}

impl Player {
    pub fn name(&self) -> &str {
        &self.contender.name
    }
}

pub struct Bench<'a> {
    launcher: Launcher<'a>,
    rounds: usize,
    quick: bool,
}

/// A player in the rounds of one case.
struct Entrant<'a> {
    player: &'a Player,
    collected: Collected,
    failure: Option<Failure>,
}

impl<'a> Bench<'a> {
    pub fn new(lab: &'a Lab, interrupt: &'a Interrupt, rounds: usize, quick: bool) -> Self {
        let (output, timeout) = (Output::Capture, Some(TIMEOUT));
        let launcher = Launcher { lab, interrupt, input: None, output, timeout };
        Self { launcher, rounds, quick }
    }

    /// Unmeasured runs that tell the versions. What does not run is a failure and takes no part.
    pub fn identify(&self, contenders: &[Contender], results: &mut Results) -> Result<Vec<Player>> {
        let mut players = Vec::new();
        for contender in contenders {
            let path = self.launcher.lab.bench_program(&contender.program())?;
            let case = Case { workload: "vector-push".to_string(), kind: Kind::Container };
            let ended = self.run(&path, &["vector-push".to_string(), "--short".to_string()])?;
            let identity = |version: String| Identity {
                name: contender.name.clone(),
                version,
                library: path.clone(),
                loaded: true,
            };
            match accept(&contender.name, &ended) {
                Ok(printed) => {
                    let identity = identity(printed.version);
                    results.identify(&identity);
                    players.push(Player { contender: contender.clone(), path, identity });
                }
                Err(failure) => results.failures.push(failed(&case, failure)),
            }
        }
        Ok(players)
    }

    /// How many runs `measure` will make.
    pub fn runs(&self, case: &Case, players: &[Player]) -> usize {
        let taking_part = players.iter().filter(|one| one.contender.takes_part(case.kind));
        taking_part.count() * self.rounds_of(case)
    }

    fn rounds_of(&self, case: &Case) -> usize {
        if case.kind.is_exact() { 1 } else { self.rounds }
    }

    /// The rows of a case, one for each setting its programs print. Ends early when interrupted.
    pub fn measure(
        &self,
        case: &Case,
        players: &[Player],
        progress: &Progress,
        results: &mut Results,
    ) -> Result<Vec<Row>> {
        let taking_part = players.iter().filter(|one| one.contender.takes_part(case.kind));
        let mut entrants: Vec<Entrant> = taking_part
            .map(|player| Entrant { player, collected: Collected::default(), failure: None })
            .collect();
        let mut check = None;
        let rounds = self.rounds_of(case);
        for round in 0..rounds {
            for who in order(round, entrants.len()) {
                let entrant = &mut entrants[who];
                let (round, name) = (round + 1, entrant.player.name());
                progress.step(&format!("{}, round {round}/{rounds}, {name}", case.workload));
                if entrant.failure.is_none() {
                    let ended = self.run(&entrant.player.path, &case.arguments(self.quick))?;
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
        results.failures.extend(failures.map(|failure| failed(case, failure)));
        Ok(rows(case, &entrants))
    }

    fn run(&self, path: &PathBuf, arguments: &[String]) -> Result<Ended> {
        let words = arguments.iter().map(OsString::from);
        let argv: Vec<OsString> = std::iter::once(path.into()).chain(words).collect();
        // The contenders bring their own allocators: nothing may be put in front of glibc's.
        self.launcher.run(&Program::find(&argv)?, &[("LD_PRELOAD", None)])
    }
}

impl Entrant<'_> {
    /// Collects a run that is sound and gives the answer all others give.
    fn take(&mut self, case: &Case, ended: &Ended, check: &mut Option<String>) {
        let name = self.player.name();
        let accepted = accept(name, ended).and_then(|printed| {
            match disagreement(case.kind, &printed, check) {
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
/// lack a setting answer less, and how far a buffer can be filled is each contender's own answer.
fn disagreement(kind: Kind, printed: &Printed, check: &mut Option<String>) -> Option<String> {
    let Some(found) = &printed.check else {
        return Some("printed no check value".to_string());
    };
    if kind == Kind::Fill || !printed.refused.is_empty() {
        return None;
    }
    let expected = check.get_or_insert_with(|| found.clone());
    (found != expected).then(|| format!("check value {found}, not {expected} as before"))
}

fn rows(case: &Case, entrants: &[Entrant]) -> Vec<Row> {
    let settings = entrants.iter().flat_map(|entrant| entrant.collected.settings());
    let ordered: BTreeMap<u64, &Setting> = settings.map(|one| (one.value, one)).collect();
    let row = |setting: &Setting| Row {
        suite: SUITE,
        workload: case.workload.clone(),
        params: setting.params(),
        series: entrants.iter().filter_map(|entrant| series(entrant, setting)).collect(),
    };
    ordered.into_values().map(row).collect()
}

fn series(entrant: &Entrant, setting: &Setting) -> Option<Series> {
    let values = entrant.collected.of(setting)?;
    Some(Series::of_values(entrant.player.identity.clone(), values))
}

fn failed(case: &Case, failure: Failure) -> Failed {
    let mut params = Map::new();
    if let Kind::Mix(threads) = case.kind {
        params.insert("threads".to_string(), threads.into());
    }
    Failed { suite: SUITE, workload: case.workload.clone(), params, failure }
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
        assert_eq!(disagreement(Kind::Container, &printed("a"), &mut check), None);
        assert_eq!(disagreement(Kind::Container, &printed("a"), &mut check), None);
        assert!(disagreement(Kind::Container, &printed("b"), &mut check).is_some());
        assert!(disagreement(Kind::Container, &Printed::default(), &mut check).is_some());
    }

    #[test]
    fn answers_that_may_differ_are_not_held_against_anyone() {
        let mut check = Some("a".to_string());
        assert_eq!(disagreement(Kind::Fill, &printed("b"), &mut check), None);
        let partial = Printed::parse("refused n=32768\ncheck b\n").expect("good");
        assert_eq!(disagreement(Kind::Container, &partial, &mut check), None);
    }
}
