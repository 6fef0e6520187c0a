//! One command with the contenders that run it, and what came of them so far.

use std::cell::Cell;

use heapsmith_measure::contender::Installed;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::launch::{Ended, Exit};
use heapsmith_measure::record::{Attempts, Failed};
use heapsmith_measure::round::{Entrant, Tally};
use heapsmith_measure::row::Row;
use heapsmith_measure::verdict::chance::{Count, TRIES, blamed};
use serde_json::Map;

use crate::try_run::commands::Subject;
use crate::try_run::sampled::Sampled;

const SUITE: &str = "try";

pub struct Field<'a> {
    pub subject: &'a Subject,
    pub entrants: Vec<Entrant>,
    /// Of contenders that did not load.
    pub unproved: Vec<Failure>,
    /// Contenders under which no run worked, before the first round.
    pub hopeless: Vec<(Installed, Tally)>,
    /// No further round would change its verdict.
    pub decided: bool,
    pub expected: Expected,
    /// The sampled runs of each entrant.
    pub sampled: Vec<Sampled>,
}

impl<'a> Field<'a> {
    pub fn new(subject: &'a Subject, ignore_failure: bool) -> Self {
        let expected = Expected(Cell::new((!ignore_failure).then_some(Exit::Code(0))));
        let (entrants, unproved, hopeless, sampled) = Default::default();
        Self { subject, entrants, unproved, hopeless, decided: false, expected, sampled }
    }

    pub fn name(&self) -> &str {
        &self.subject.name
    }

    /// How many contenders have not failed.
    pub fn running(&self) -> usize {
        self.entrants.iter().filter(|entrant| entrant.failure.is_none()).count()
    }

    pub fn row(&self) -> Row {
        let mut row = Row {
            suite: SUITE.to_string(),
            workload: self.name().to_string(),
            params: Map::new(),
            series: self.entrants.iter().filter_map(Entrant::series).collect(),
        };
        self.sampled.iter().for_each(|sampled| sampled.add_to(&mut row));
        row
    }

    /// How often the next contender may fail in its first runs. One that fails as all before it did
    /// needs no second look.
    pub fn tries(&self) -> usize {
        let has_worked = !self.entrants.is_empty() || self.hopeless.is_empty();
        if has_worked { TRIES } else { 1 }
    }

    fn tallies(&self) -> impl Iterator<Item = (&str, &Tally)> {
        let entrants = self.entrants.iter().map(|it| (it.identity.name.as_str(), &it.tally));
        self.hopeless.iter().map(|(it, tally)| (it.name(), tally)).chain(entrants)
    }

    pub fn installed(&self, name: &str) -> Option<&Installed> {
        let entrants = self.entrants.iter().map(|it| &it.installed);
        self.hopeless.iter().map(|(it, _)| it).chain(entrants).find(|it| it.name() == name)
    }

    /// For each tally whether its failures are the contender's: it has no run that worked, or more
    /// failures than chance explains.
    fn blamed(&self) -> Vec<bool> {
        let count = |it: &Tally| Count { runs: it.runs, failed: it.failed };
        let counts: Vec<Count> = self.tallies().map(|(_, it)| count(it)).collect();
        let never_works = |it: &Count| it.failed != 0 && it.failed == it.runs;
        blamed(&counts).iter().zip(&counts).map(|(&is, it)| is || never_works(it)).collect()
    }

    /// Of contenders under which the command fails.
    pub fn failures(&self) -> Vec<Failed> {
        let its = self.tallies().zip(self.blamed()).filter(|(_, is_blamed)| *is_blamed);
        let its = its.filter_map(|((_, tally), _)| tally.failure());
        let failed = |failure| Failed {
            suite: SUITE.to_string(),
            workload: self.name().to_string(),
            params: Map::new(),
            failure,
        };
        self.unproved.iter().cloned().chain(its).map(failed).collect()
    }

    /// The runs of the others, if some of them failed.
    pub fn attempts(&self) -> Vec<Attempts> {
        let others = self.tallies().zip(self.blamed()).filter(|(_, is_blamed)| !is_blamed);
        let attempts = |((name, tally), _): ((&str, &Tally), bool)| {
            let first = tally.first.as_ref();
            Attempts {
                suite: SUITE.to_string(),
                workload: self.name().to_string(),
                params: Map::new(),
                contender: name.to_string(),
                runs: tally.runs,
                failed_runs: tally.failed,
                exit: first.and_then(|it| it.exit),
                signal: first.and_then(|it| it.signal.clone()),
                why: first.map(|it| it.why.clone()).unwrap_or_default(),
                stderr_tail: first.map(|it| it.stderr_tail.clone()).unwrap_or_default(),
            }
        };
        let all: Vec<Attempts> = others.map(attempts).collect();
        if all.iter().any(|it| it.failed_runs != 0) { all } else { Vec::new() }
    }

    /// Whether failures under one contender alone may be its own, and some more rounds would tell.
    pub fn is_doubtful(&self) -> bool {
        const SELDOM: usize = 10;
        let attempts = self.attempts();
        let mut failing = attempts.iter().filter(|it| it.failed_runs != 0);
        let first = failing.next().filter(|_| failing.next().is_none());
        first.is_some_and(|it| it.runs < SELDOM * it.failed_runs)
    }
}

/// How the command should end; with --ignore-failure, as it did first.
pub struct Expected(Cell<Option<Exit>>);

impl Expected {
    /// The error says what was wrong with a run's end.
    pub fn check(&self, name: &str, ended: &Ended) -> Result<(), Failure> {
        let Self(expected) = self;
        let by_itself = matches!(ended.exit, Exit::Code(_) | Exit::Signal(_));
        if expected.get().is_none() && by_itself {
            expected.set(Some(ended.exit));
        }
        if expected.get() == Some(ended.exit) {
            return Ok(());
        }
        Err(Failure::of_run(name, ended))
    }
}
