//! Replays of a program as it is and as it would be, in interleaved rounds.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::environment;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::place::Lab;
use heapsmith_measure::program::Program;
use heapsmith_measure::progress::{Progress, counted};
use heapsmith_measure::round::order;
use heapsmith_measure::stats;
use heapsmith_trace::plan::{Order, Survey, Treatments, compile_treated};
use tempfile::TempDir;

use crate::args::replay::Touch;
use crate::recording::recorder::{recording, require_recorder};
use crate::replay::one_run::{Player, counted_s, require_room, survey};

/// Runs with the recorder.
const FEW: usize = 3;
/// Traces with more calls are not recorded again to see what recording costs.
const MOST_RECORDED: u64 = 30_000_000;
/// Then a recorded call counts as so many seconds.
const USUAL_CALL_S: f64 = 30e-9;

/// A program, as it is or changed.
struct Plan {
    program: Program,
    /// The same on the null allocator, which costs what the replay itself costs.
    null: Program,
    calls: u64,
}

/// The costs of one replay.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Processor time.
    pub run_s: f64,
    /// That of the replay itself: the same plan on the null allocator, in the same round.
    pub null_s: f64,
    pub peak_bytes: f64,
}

impl Cost {
    /// Of the calls.
    pub fn time_s(&self) -> f64 {
        self.run_s - self.null_s
    }
}

/// A plan under a malloc.
#[derive(Clone, Copy)]
pub struct Entrant<'a> {
    pub plan: usize,
    pub malloc: &'a Installed,
}

pub struct Trials<'a> {
    player: Player<'a>,
    trace: PathBuf,
    survey: Survey,
    plans: Vec<Plan>,
    folder: TempDir,
    /// Mallocs that refused an allocation, and of which this was said.
    refused: RefCell<BTreeSet<String>>,
}

impl<'a> Trials<'a> {
    pub fn new(lab: &'a Lab, interrupt: &'a Interrupt, trace: &Path) -> Result<Self> {
        let player = Player::new(lab, interrupt)?;
        let survey = survey(trace)?;
        let folder = TempDir::with_prefix("heapsmith-advise-").context("a folder for plans")?;
        Ok(Self {
            player,
            trace: trace.into(),
            survey,
            plans: Vec::new(),
            folder,
            refused: RefCell::default(),
        })
    }

    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    pub fn asked(&self) -> bool {
        self.player.asked()
    }

    /// Adds the program with these changes. Returns: its number.
    pub fn add(&mut self, changed: &Treatments) -> Result<usize> {
        let file = self.folder.path().join(format!("plan-{}", self.plans.len()));
        let plan = compile_treated(&self.trace, &self.survey, Order::Bounded, changed, &file)?;
        require_room(&self.trace, &plan, Touch::Measured)?;
        let program = self.player.program(&file, &[])?;
        let null = self.player.program(&file, &["--null"])?;
        self.plans.push(Plan { program, null, calls: plan.calls });
        Ok(self.plans.len() - 1)
    }

    /// The calls of the program as it is.
    pub fn calls(&self) -> u64 {
        self.plans.first().map_or(0, |plan| plan.calls)
    }

    /// Runs all entrants in interleaved rounds, and each of their plans on the null allocator.
    /// Returns: the costs of each, round by round; none of an entrant that failed. An interrupt ends
    /// the rounds early.
    /// Errors: the first entrant failed, with which the others are compared.
    pub fn run(&self, entrants: &[Entrant], rounds: usize, what: &str) -> Result<Vec<Vec<Cost>>> {
        let mut plans: Vec<usize> = entrants.iter().map(|it| it.plan).collect();
        plans.sort_unstable();
        plans.dedup();
        let count = entrants.len() + plans.len();
        let progress = Progress::new(rounds * count);
        let mut failed = vec![false; count];
        let mut costs = vec![Vec::new(); entrants.len()];
        for round in 0..rounds {
            let mut of_round = vec![None; count]; // processor time, and the peak
            for who in order(round, count) {
                progress.step(&format!("{what}: round {}", round + 1));
                let (program, malloc) = match entrants.get(who) {
                    Some(it) => (&self.plans[it.plan].program, Some(it.malloc)),
                    None => (&self.plans[plans[who - entrants.len()]].null, None),
                };
                if !failed[who] {
                    let run = self.player.once(program, malloc)?;
                    if self.asked() {
                        progress.finish();
                        return Ok(costs);
                    }
                    match run {
                        Ok((printed, run)) => {
                            let peak = printed.value("replay_peak_bytes");
                            let n = printed.value("replay_refused") as usize;
                            let name = malloc.map_or("the replay", Installed::name);
                            if n != 0 && self.refused.borrow_mut().insert(name.to_string()) {
                                let refused = counted(n, "allocation");
                                progress.note(&format!("{refused} refused under {name}"));
                            }
                            of_round[who] = Some((counted_s(&printed, &run), peak));
                        }
                        Err(failure) if who == 0 || malloc.is_none() => {
                            return Err(environment(format!("the replay: {}", failure.reason())));
                        }
                        Err(failure) => {
                            progress.note(&format!("{}: {}", failure.contender, failure.why));
                            failed[who] = true;
                        }
                    }
                }
                progress.done_one();
            }
            for (who, entrant) in entrants.iter().enumerate() {
                let null =
                    entrants.len() + plans.binary_search(&entrant.plan).expect("it is there");
                if let (Some((run_s, peak_bytes)), Some((null_s, _))) =
                    (of_round[who], of_round[null])
                {
                    costs[who].push(Cost { run_s, null_s, peak_bytes });
                }
            }
        }
        progress.finish();
        for (costs, _) in costs.iter_mut().zip(failed).filter(|(_, failed)| *failed) {
            costs.clear();
        }
        Ok(costs)
    }

    /// What recording cost the program, in seconds of processor time: a replay under `malloc` is
    /// recorded, too.
    pub fn recording_s(&self, malloc: &Installed) -> Result<f64> {
        let usual = self.calls() as f64 * USUAL_CALL_S;
        let Some(plan) = self.plans.first().filter(|it| it.calls <= MOST_RECORDED) else {
            return Ok(usual);
        };
        let recorder = require_recorder(self.player.launcher.lab)?;
        let mut differences = Vec::new();
        for _ in 0..FEW {
            let raw = tempfile::tempdir_in(&self.folder).context("a folder")?;
            let settings = recording(malloc, &recorder, raw.path());
            let plain = self.player.once(&plan.program, Some(malloc))?;
            let recorded = self.player.once_with(&plan.program, malloc.name(), &settings)?;
            drop(raw);
            if let (Ok((_, plain)), Ok((_, recorded))) = (plain, recorded) {
                differences.push(recorded.cpu_s - plain.cpu_s);
            }
        }
        Ok(stats::median(&differences).unwrap_or(usual).max(0.0))
    }
}
