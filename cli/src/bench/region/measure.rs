//! The region's contenders and cases as programs to run.

use anyhow::Result;
use serde_json::Map;

use super::plan::{self, Contender, Kind};
use super::{SUITE, TIMEOUT};
use crate::bench::programs::{Call, Case, Player, Programs};
use crate::interrupt::Interrupt;
use crate::place::Lab;
use crate::progress::Progress;
use crate::results::Results;
use crate::row::Row;

/// A contender that takes part, and what it can take part in.
pub struct Entry {
    pub contender: Contender,
    player: Player,
}

pub struct Bench<'a> {
    lab: &'a Lab,
    programs: Programs<'a>,
    rounds: usize,
    quick: bool,
}

impl<'a> Bench<'a> {
    pub fn new(lab: &'a Lab, interrupt: &'a Interrupt, rounds: usize, quick: bool) -> Self {
        Self { lab, programs: Programs::new(lab, interrupt, TIMEOUT), rounds, quick }
    }

    pub fn identify(&self, contenders: &[Contender], results: &mut Results) -> Result<Vec<Entry>> {
        let first = plan::Case { workload: "vector-push".to_string(), kind: Kind::Container };
        let mut case = self.case(&first);
        case.arguments = vec![first.workload, "--short".to_string()];
        let mut entries = Vec::new();
        for contender in contenders {
            let program = self.lab.bench_program(&contender.program())?;
            let call = Call { program, words: Vec::new(), preload: None };
            let player = self.programs.identify(&contender.name, call, &case, results)?;
            entries.extend(player.map(|player| Entry { contender: contender.clone(), player }));
        }
        Ok(entries)
    }

    /// How many runs `measure` will make.
    pub fn runs(&self, case: &plan::Case, entries: &[Entry]) -> usize {
        taking_part(case, entries).len() * self.rounds_of(case)
    }

    pub fn measure(
        &self,
        case: &plan::Case,
        entries: &[Entry],
        progress: &Progress,
        results: &mut Results,
    ) -> Result<Vec<Row>> {
        self.programs.measure(&self.case(case), &taking_part(case, entries), progress, results)
    }

    fn rounds_of(&self, case: &plan::Case) -> usize {
        if case.kind.is_exact() { 1 } else { self.rounds }
    }

    fn case(&self, case: &plan::Case) -> Case {
        let mut params = Map::new();
        if let Kind::Mix(threads) = case.kind {
            params.insert("threads".to_string(), threads.into());
        }
        Case {
            suite: SUITE,
            workload: case.workload.clone(),
            params,
            arguments: case.arguments(self.quick),
            rounds: self.rounds_of(case),
            // How far a buffer can be filled is each contender's own answer.
            agrees: case.kind != Kind::Fill,
        }
    }
}

fn taking_part<'a>(case: &plan::Case, entries: &'a [Entry]) -> Vec<&'a Player> {
    let takes_part = |entry: &&Entry| entry.contender.takes_part(case.kind);
    entries.iter().filter(takes_part).map(|entry| &entry.player).collect()
}
