//! Interleaved rounds: every contender once a round, each round starting one further on.
//!
//! Drift (heat, a neighbour's load) then affects all contenders alike, and no contender
//! always runs after the same other one.

use anyhow::Result;

use crate::contender::Installed;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::launch::{Costs, Ended};
use crate::progress::Progress;
use crate::prove::Identity;
use crate::row::Series;
use crate::stats::MIN_ROUNDS;

/// More rounds than this add no precision worth the night they take.
pub const MAX_ROUNDS: usize = 10_000;

/// The value of an option `--rounds`.
pub fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (MIN_ROUNDS..=MAX_ROUNDS).contains(&n) => Ok(n),
        Ok(_) => Err(format!(
            "at least {MIN_ROUNDS} (fewer give no 95 % interval), at most {MAX_ROUNDS}"
        )),
        Err(_) => Err("not a whole number".to_string()),
    }
}

/// A contender taking part in the rounds of one workload.
pub struct Entrant {
    pub installed: Installed,
    pub identity: Identity,
    /// It takes part no longer.
    pub failure: Option<Failure>,
    pub tally: Tally,
    /// By round; none of a round it failed in.
    costs: Vec<Option<Costs>>,
}

/// How often a program ran under a contender, and how often it failed.
#[derive(Clone, Debug)]
pub struct Tally {
    pub runs: usize,
    pub failed: usize,
    pub first: Option<Failure>,
    /// So many failures without a success end it; 0: any failure does.
    tries: usize,
}

impl Tally {
    pub fn new(tries: usize) -> Self {
        Self { runs: 0, failed: 0, first: None, tries }
    }

    /// Counts a run. Returns: why no more of them are worth while.
    pub fn count(&mut self, accepted: Result<(), Failure>) -> Option<Failure> {
        const ENOUGH: usize = 8;
        self.runs += 1;
        let failure = accepted.err()?;
        self.failed += 1;
        let first = self.first.get_or_insert(failure);
        let never_works = self.failed == self.runs && self.failed >= self.tries;
        let often_fails = self.runs >= ENOUGH && 2 * self.failed > self.runs;
        (self.tries == 0 || never_works || often_fails).then(|| first.clone())
    }

    /// The first failure, with the count if some runs did not fail.
    pub fn failure(&self) -> Option<Failure> {
        let (runs, failed) = (self.runs, self.failed);
        let mut failure = self.first.clone()?;
        if failed < runs {
            failure.why = format!("{} in {failed} of {runs} runs", failure.why);
        }
        Some(failure)
    }
}

impl Entrant {
    /// One that may not fail once.
    pub fn new(installed: Installed, identity: Identity) -> Self {
        Self::counted(installed, identity, Tally::new(0))
    }

    /// One that has run before, and may fail now and then.
    pub fn counted(installed: Installed, identity: Identity, tally: Tally) -> Self {
        Self { installed, identity, failure: None, tally, costs: Vec::new() }
    }

    pub fn series(&self) -> Option<Series> {
        let measured = self.costs.iter().any(Option::is_some);
        measured.then(|| Series::of_runs(self.identity.clone(), &self.costs))
    }

    /// Its run in one round; none if it has failed before. `run` measures one process, `accept`
    /// says what was wrong with it. Returns false if interrupted, and then the run does not count.
    pub fn take_turn(
        &mut self,
        interrupt: &Interrupt,
        run: impl FnOnce(&Installed) -> Result<Ended>,
        accept: impl FnOnce(&str, &Ended) -> Result<(), Failure>,
    ) -> Result<bool> {
        if interrupt.asked() {
            return Ok(false);
        }
        if self.failure.is_some() {
            self.costs.push(None);
            return Ok(true);
        }
        let ended = run(&self.installed)?;
        if interrupt.asked() {
            return Ok(false);
        }
        let accepted = accept(&self.identity.name, &ended);
        self.costs.push(accepted.is_ok().then_some(ended.costs));
        self.failure = self.tally.count(accepted);
        Ok(true)
    }
}

/// The order of the contenders in round `round`: A B C, then B C A, then C A B.
pub fn order(round: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |step| (round + step) % count)
}

/// Runs the rounds. `run` measures one process, `accept` says what was wrong with it. Ends early
/// when interrupted, without the run that the interrupt fell into.
pub fn run_rounds(
    entrants: &mut [Entrant],
    rounds: usize,
    interrupt: &Interrupt,
    progress: &Progress,
    mut run: impl FnMut(&Installed) -> Result<Ended>,
    mut accept: impl FnMut(&str, &Ended) -> Result<(), Failure>,
) -> Result<()> {
    for round in 0..rounds {
        for who in order(round, entrants.len()) {
            let entrant = &mut entrants[who];
            let runs = entrant.failure.is_none();
            progress.step(&format!("round {}/{rounds}, {}", round + 1, entrant.identity.name));
            if !entrant.take_turn(interrupt, &mut run, &mut accept)? {
                return Ok(());
            }
            if runs {
                progress.done_one();
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    //! The rotation, and how many rounds there may be.
    use super::*;

    #[test]
    fn fewer_rounds_than_an_interval_needs_are_refused() {
        assert!(parse_count("5").is_err() && parse_count("x").is_err());
        assert_eq!(parse_count("6"), Ok(6));
    }

    #[test]
    fn failures_end_a_contender_if_it_never_works_or_seldom() {
        let of = |tries: usize, runs: &str| {
            let mut tally = Tally::new(tries);
            let failure = || Failure {
                contender: "a".into(),
                exit: Some(7),
                signal: None,
                why: "exit code 7".into(),
                stderr_tail: String::new(),
            };
            let runs = runs.chars().map(|run| if run == 'x' { Err(failure()) } else { Ok(()) });
            let ends = runs.map(|run| tally.count(run).is_some()).collect::<Vec<_>>();
            (ends.iter().position(|&ends| ends), tally.failure().map(|it| it.why))
        };
        let told = |why: &str| Some(why.to_string());
        assert_eq!(of(0, "..x"), (Some(2), told("exit code 7 in 1 of 3 runs")));
        assert_eq!(of(3, "xxx"), (Some(2), told("exit code 7")));
        assert_eq!(of(3, "xx.xx"), (None, told("exit code 7 in 4 of 5 runs")));
        assert_eq!(of(3, "xx.xx.xx"), (Some(7), told("exit code 7 in 6 of 8 runs")));
        assert_eq!(of(3, "........"), (None, None));
    }

    #[test]
    fn each_round_starts_one_further_on_and_has_everyone_once() {
        assert_eq!(order(0, 3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(order(1, 3).collect::<Vec<_>>(), [1, 2, 0]);
        assert_eq!(order(5, 3).collect::<Vec<_>>(), [2, 0, 1]);
    }

    #[test]
    fn over_as_many_rounds_as_contenders_each_place_is_everyones_once() {
        for place in 0..7 {
            let mut there: Vec<_> = (0..7).filter_map(|round| order(round, 7).nth(place)).collect();
            there.sort_unstable();
            assert_eq!(there, (0..7).collect::<Vec<_>>());
        }
    }
}
