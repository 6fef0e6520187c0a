//! One command with the contenders that run it, and what came of them so far.

use std::cell::Cell;

use heapsmith_measure::failure::Failure;
use heapsmith_measure::launch::{Ended, Exit};
use heapsmith_measure::record::Failed;
use heapsmith_measure::round::Entrant;
use heapsmith_measure::row::Row;
use serde_json::Map;

use crate::try_commands::Subject;
use crate::try_memory::Sampled;

const SUITE: &str = "try";

pub struct Field<'a> {
    pub subject: &'a Subject,
    pub entrants: Vec<Entrant>,
    /// Of contenders whose proof failed.
    pub unproved: Vec<Failure>,
    /// No further round would change its verdict.
    pub decided: bool,
    pub expected: Expected,
    /// The sampled runs of each entrant.
    pub sampled: Vec<Sampled>,
}

impl<'a> Field<'a> {
    pub fn new(subject: &'a Subject, ignore_failure: bool) -> Self {
        let expected = Expected(Cell::new((!ignore_failure).then_some(Exit::Code(0))));
        let (entrants, unproved, sampled) = Default::default();
        Self { subject, entrants, unproved, decided: false, expected, sampled }
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

    pub fn failures(&self) -> Vec<Failed> {
        let later = self.entrants.iter().filter_map(|entrant| entrant.failure.as_ref());
        let all = self.unproved.iter().chain(later);
        all.map(|failure| Failed {
            suite: SUITE.to_string(),
            workload: self.name().to_string(),
            params: Map::new(),
            failure: failure.clone(),
        })
        .collect()
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
