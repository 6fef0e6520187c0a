//! Replays of a program as it is and as it would be, in interleaved rounds.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::environment;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Exit, Launcher, Output, Setting};
use heapsmith_measure::place::Lab;
use heapsmith_measure::program::Program;
use heapsmith_measure::progress::Progress;
use heapsmith_measure::prove::preloads;
use heapsmith_measure::round::order;
use heapsmith_measure::stats;
use heapsmith_trace::plan::{Order, Survey, Treatments, compile_treated};
use tempfile::TempDir;

use crate::record::{recording, require_recorder};
use crate::replay_printed::parse;

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
    /// Processor time without that of the replay itself.
    pub time_s: f64,
    pub peak_bytes: f64,
}

/// A plan under a malloc.
#[derive(Clone, Copy)]
pub struct Entrant<'a> {
    pub plan: usize,
    pub malloc: &'a Installed,
}

pub struct Trials<'a> {
    lab: &'a Lab,
    launcher: Launcher<'a>,
    trace: PathBuf,
    survey: Survey,
    plans: Vec<Plan>,
    folder: TempDir,
}

impl<'a> Trials<'a> {
    pub fn new(lab: &'a Lab, interrupt: &'a Interrupt, trace: &Path) -> Result<Self> {
        let survey = Survey::of(trace)?;
        if survey.events == 0 {
            let trace = trace.display();
            return Err(environment(format!("{trace} has no events: there is nothing to advise")));
        }
        let output = Output::Capture;
        let launcher =
            Launcher { lab, interrupt, input: None, output, timeout: None, service: None };
        let folder = TempDir::with_prefix("heapsmith-advise-").context("a folder for plans")?;
        Ok(Self { lab, launcher, trace: trace.into(), survey, plans: Vec::new(), folder })
    }

    pub fn survey(&self) -> &Survey {
        &self.survey
    }

    pub fn asked(&self) -> bool {
        self.launcher.interrupt.asked()
    }

    /// Adds the program with these changes. Returns: its number.
    pub fn add(&mut self, changed: &Treatments) -> Result<usize> {
        let file = self.folder.path().join(format!("plan-{}", self.plans.len()));
        let plan = compile_treated(&self.trace, &self.survey, Order::Bounded, changed, &file)?;
        let words = |option: Option<&str>| {
            let mut words: Vec<OsString> = vec![self.lab.replayer().into(), file.clone().into()];
            words.extend(option.map(OsString::from));
            words
        };
        let (program, null) =
            (Program::find(&words(None))?, Program::find(&words(Some("--null")))?);
        self.plans.push(Plan { program, null, calls: plan.calls });
        Ok(self.plans.len() - 1)
    }

    /// The calls of the program as it is.
    pub fn calls(&self) -> u64 {
        self.plans.first().map_or(0, |plan| plan.calls)
    }

    fn once(&self, program: &Program, settings: &[Setting]) -> Result<Result<Cost, Failure>> {
        let ended = self.launcher.run(program, settings)?;
        if ended.exit != Exit::Code(0) {
            return Ok(Err(Failure::of_run("replay", &ended)));
        }
        let printed = parse(&ended.stdout).context("the replayer printed nonsense")?;
        let time_s = ended.costs.cpu_s - printed.value("replay_prepare_cpu_s");
        Ok(Ok(Cost { time_s, peak_bytes: printed.value("replay_peak_bytes") }))
    }

    /// Runs all entrants in interleaved rounds, and each of their plans on the null allocator.
    /// Returns: the costs of each, round by round; none of an entrant that failed. An interrupt ends
    /// the rounds early.
    pub fn run(&self, entrants: &[Entrant], rounds: usize, what: &str) -> Result<Vec<Vec<Cost>>> {
        let mut plans: Vec<usize> = entrants.iter().map(|it| it.plan).collect();
        plans.sort_unstable();
        plans.dedup();
        let count = entrants.len() + plans.len();
        let progress = Progress::new(rounds * count);
        let mut costs = vec![Vec::new(); count];
        let mut failed = vec![false; count];
        'rounds: for round in 0..rounds {
            let mut of_round = vec![None; count];
            for who in order(round, count) {
                progress.step(&format!("{what}: round {}", round + 1));
                if !failed[who] {
                    let run = match entrants.get(who) {
                        Some(&Entrant { plan, malloc }) => {
                            self.once(&self.plans[plan].program, &preloads(malloc, None))?
                        }
                        None => self.once(&self.plans[plans[who - entrants.len()]].null, &[])?,
                    };
                    if self.asked() {
                        break 'rounds;
                    }
                    match run {
                        Ok(cost) => of_round[who] = Some(cost),
                        Err(failure) => {
                            let name = entrants.get(who).map_or("null", |it| it.malloc.name());
                            progress.note(&format!("{name}: {}", failure.why));
                            failed[who] = true;
                        }
                    }
                }
                progress.done_one();
            }
            for (costs, cost) in costs.iter_mut().zip(of_round) {
                costs.extend(cost);
            }
        }
        progress.finish();
        for (costs, _) in costs.iter_mut().zip(failed).filter(|(_, failed)| *failed) {
            costs.clear();
        }
        let nulls = costs.split_off(entrants.len());
        for (entrant, costs) in entrants.iter().zip(&mut costs) {
            let at = plans.binary_search(&entrant.plan).expect("it is among them");
            let times: Vec<f64> = nulls[at].iter().map(|it| it.time_s).collect();
            let null_s = stats::median(&times).unwrap_or_default();
            costs.iter_mut().for_each(|cost| cost.time_s -= null_s);
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
        let recorder = require_recorder(self.lab)?;
        let raw = self.folder.path().join("raw");
        let mut differences = Vec::new();
        for _ in 0..FEW {
            fs::create_dir(&raw).with_context(|| raw.display().to_string())?;
            let settings = preloads(malloc, None);
            let recorded = recording(malloc, &recorder, &raw);
            let pair = (self.once(&plan.program, &settings)?, self.once(&plan.program, &recorded)?);
            fs::remove_dir_all(&raw).with_context(|| raw.display().to_string())?;
            if let (Ok(plain), Ok(recorded)) = pair {
                differences.push(recorded.time_s - plain.time_s);
            }
        }
        Ok(stats::median(&differences).unwrap_or(usual).max(0.0))
    }
}
