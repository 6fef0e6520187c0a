//! The sampled runs: the memory of each contender over time, after the measured rounds.

use std::time::{Duration, Instant};

use anyhow::Result;
use heapsmith_measure::memory::{self, Watched};
use heapsmith_measure::progress::{Progress, counted};
use heapsmith_measure::record::{self};
use heapsmith_measure::round::order;

use crate::args::try_::TryArgs;
use crate::try_run::field::Field;
use crate::try_run::pace::{Pace, show};
use crate::try_run::runs::Runs;
use crate::try_run::sampled::Sampled;

pub struct Sampling<'a> {
    pub args: &'a TryArgs,
    pub runs: &'a Runs<'a>,
    pub progress: &'a Progress,
}

impl Sampling<'_> {
    /// Samples runs of all commands, in rounds as they are measured. `round` is the time of one
    /// measured round.
    pub fn run(&self, fields: &mut [Field], pace: &Pace, round: Duration) -> Result<()> {
        for field in fields.iter_mut() {
            field.sampled = field.entrants.iter().map(Sampled::new).collect();
        }
        let entrants: usize = fields.iter().map(Field::running).sum();
        if entrants == 0 {
            return Ok(());
        }
        let further = match (&self.args.server.duration, self.runs.is_server()) {
            (Some(duration), _) => *duration + self.args.server.idle,
            (None, true) => self.args.server.idle,
            (None, false) => Duration::ZERO,
        };
        let round = round + further * entrants as u32;
        let most = if self.args.server.duration.is_some() { 1 } else { pace.sampled(round) };
        let (rounds, time) = (counted(most, "round"), show(round.mul_f64(most as f64)));
        let remedy = match self.runs.is_server() {
            true => "; Ctrl-C ends them, --no-memory leaves them out",
            false => "",
        };
        let text = format!("memory over time: {rounds} of sampled runs, about {time}{remedy}");
        self.progress.note(&text);
        self.progress.count(most * entrants);
        for index in 0..most {
            let began = Instant::now();
            for who in order(index, fields.len()) {
                if !self.round(&mut fields[who], index, most)? {
                    return Ok(());
                }
            }
            if !pace.holds(began.elapsed()) {
                break;
            }
        }
        Ok(())
    }

    /// One round of one command; false if interrupted.
    fn round(&self, field: &mut Field, round: usize, most: usize) -> Result<bool> {
        let row = field.row();
        let Field { subject, entrants, expected, sampled, .. } = field;
        for who in order(round, entrants.len()) {
            if self.runs.interrupted() {
                return Ok(false);
            }
            let (entrant, sampled) = (&mut entrants[who], &mut sampled[who]);
            if entrant.failure.is_some() {
                sampled.runs.push(None);
                continue;
            }
            let name = &entrant.identity.name;
            let round = round + 1;
            let step = format!("memory, round {round}/{most}: {}, {name}", subject.name);
            self.progress.step(&step);
            let Watched { ended, memory, curve } =
                self.runs.sampled(&subject.program, &entrant.installed)?;
            if self.runs.interrupted() {
                return Ok(false);
            }
            let accepted = expected.check(name, &ended);
            sampled.runs.push(memory.filter(|_| accepted.is_ok()));
            if sampled.curve.is_none() && accepted.is_ok() {
                if curve.source == memory::Source::Rss {
                    self.progress.note(&format!(
                        "{name}: the PSS of a process cannot be read, so its RSS is counted"
                    ));
                }
                sampled.curve = Some(record::curve(&row, name, round, &curve));
            }
            entrant.failure = entrant.tally.count(accepted);
            self.progress.done_one();
        }
        Ok(true)
    }
}
