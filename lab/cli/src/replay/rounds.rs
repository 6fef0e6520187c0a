//! The runs of a replay: interleaved rounds of the replayer under each allocator.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::environment;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::Costs;
use heapsmith_measure::memory::{Curve, Source};
use heapsmith_measure::metric::Metric;
use heapsmith_measure::place::Lab;
use heapsmith_measure::program::Program;
use heapsmith_measure::progress::{Progress, counted};
use heapsmith_measure::prove::{Identity, prove};
use heapsmith_measure::record::{self, Failed};
use heapsmith_measure::round::order;
use heapsmith_measure::row::{Row, Series, Values};
use heapsmith_measure::stats;
use heapsmith_trace::plan::{self, Plan, Survey, compile};
use serde_json::Map;
use tempfile::TempDir;

use crate::args::replay::Touch;
use crate::replay::one_run::{Player, counted_s, require_room, survey};
use crate::replay::other_processes::{self as others, Other};
use crate::replay::output::{Latency, Printed, Sample};

/// How a trace is replayed.
pub struct Replay {
    pub touch: Touch,
    pub repeat: u32,
    pub rounds: usize,
    /// More rounds follow until this time is spent, up to MOST_ROUNDS.
    pub budget: Duration,
    /// Before each run of a contender that takes huge pages.
    pub rest: Duration,
    /// Also the latency of calls.
    pub looks_at_latency: bool,
}

const MOST_ROUNDS: usize = 21;

/// A trace that is ready to be replayed.
pub struct Stage<'a> {
    pub player: Player<'a>,
    name: String,
    trace: PathBuf,
    pub survey: Survey,
    pub plan: Plan,
    pub order: plan::Order,
    file: PathBuf,
    folder: TempDir,
    others: Vec<Other>,
}

/// The memory of a replay over time.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub peak: f64,
    pub samples: Vec<Sample>,
}

/// The results of all runs.
pub struct Played {
    /// The metrics replay_s, wall_s, peak_rss_bytes, page_faults and the latency of allocations.
    pub row: Row,
    pub failures: Vec<Failed>,
    /// Of the replay on the null allocator: its processor time and its own memory.
    pub null_s: f64,
    pub own_bytes: f64,
    pub allocate: BTreeMap<String, Latency>,
    pub free: BTreeMap<String, Latency>,
    pub memory: BTreeMap<String, Memory>,
    /// The share of all threads' time in which they waited for each other.
    pub waits: BTreeMap<String, f64>,
    /// Allocations that were refused, at most in one run, where there were any.
    pub refused: BTreeMap<String, u64>,
}

impl Played {
    /// The resident memory over the time of the recording.
    pub fn curves(&self) -> Vec<record::Curve> {
        let of = |(name, memory): (&String, &Memory)| {
            let samples = &memory.samples;
            let t_s = samples.iter().map(|sample| sample.ns * 1e-9).collect();
            let values = samples.iter().map(|sample| sample.anonymous).collect();
            record::curve(&self.row, name, 1, &Curve { source: Source::Rss, t_s, values })
        };
        self.memory.iter().map(of).collect()
    }
}

/// Huge pages that were freed a moment ago are cheaper than others: virtual machines give them back
/// to their host after some seconds. A program that runs for seconds finds others, so contenders
/// that take huge pages rest before each run.
pub const REST: Duration = Duration::from_secs(3);

fn takes_huge_pages(printed: &Printed, costs: &Costs) -> bool {
    const HUGE: f64 = 2.0 * 1024.0 * 1024.0;
    const LIBRARIES: f64 = HUGE; // the kernel maps several of their pages at a fault
    printed.value("replay_peak_bytes") > 2.0 * 4096.0 * costs.page_faults + HUGE + LIBRARIES
}

impl<'a> Stage<'a> {
    pub fn new(
        lab: &'a Lab,
        interrupt: &'a Interrupt,
        trace: &Path,
        order: plan::Order,
    ) -> Result<Self> {
        let player = Player::new(lab, interrupt)?;
        let survey = survey(trace)?;
        let folder = TempDir::with_prefix("heapsmith-replay-").context("a folder for the plan")?;
        let file = folder.path().join("plan");
        let plan = compile(trace, &survey, order, &file)?;
        let name = trace.file_stem().unwrap_or(trace.as_os_str()).to_string_lossy().into_owned();
        let trace = trace.to_path_buf();
        Ok(Self { player, name, trace, survey, plan, order, file, folder, others: Vec::new() })
    }

    /// Adds the other processes that the program started, of whose traces `folder` is full: their
    /// calls, and that the allocator is loaded into each.
    pub fn add_others(&mut self, folder: &Path) -> Result<()> {
        self.others = others::prepare(folder, self.folder.path())?;
        Ok(())
    }

    pub fn describe(&self) -> String {
        let threads = counted(self.plan.threads as usize, "thread");
        let calls = counted(self.plan.calls as usize, "call");
        format!("{}: {calls} of {threads}", self.name)
    }

    pub fn program(&self, options: &[&str]) -> Result<Program> {
        self.player.program(&self.file, options)
    }

    /// The processor time of the other processes.
    fn others_s(
        &self,
        options: &[&str],
        installed: Option<&Installed>,
    ) -> Result<Result<f64, Failure>> {
        let mut sum = 0.0;
        for other in &self.others {
            match self.player.once(&self.player.program(&other.plan, options)?, installed)? {
                Ok((printed, costs)) => sum += counted_s(&printed, &costs) * other.stands_for,
                Err(failure) => return Ok(Err(failure)),
            }
        }
        Ok(Ok(sum))
    }

    /// One run of all processes: the costs are those of the main one, but the processor time is that
    /// of all.
    fn once_with_others(
        &self,
        program: &Program,
        options: &[&str],
        installed: Option<&Installed>,
    ) -> Result<Result<(Printed, Costs), Failure>> {
        let (printed, mut costs) = match self.player.once(program, installed)? {
            Ok(run) => run,
            Err(failure) => return Ok(Err(failure)),
        };
        Ok(self.others_s(options, installed)?.map(|others_s| {
            costs.cpu_s += others_s;
            (printed, costs)
        }))
    }

    pub fn play(&self, chosen: &[Installed], how: &Replay) -> Result<Played> {
        require_room(&self.trace, &self.plan, how.touch)?;
        let repeat = format!("--repeat={}", how.repeat);
        let options = [how.touch.option(), &repeat];
        let program = self.program(&options)?;
        let null_options = [how.touch.option(), &repeat, "--null"];
        let null = self.program(&null_options)?;
        let mut progress = Progress::new(0);
        let mut entrants: Vec<(Installed, Identity)> = Vec::new();
        let mut failures = Vec::new();
        for installed in chosen {
            progress.step(&format!("checking that {} loads", installed.name()));
            let proof = prove(&self.player.launcher, &program, installed)?;
            if self.asked() {
                break;
            }
            match proof.loaded {
                Ok(identity) => entrants.push((installed.clone(), identity)),
                Err(failure) => failures.push(self.failed(failure)),
            }
        }
        progress.count((entrants.len() + 1) * how.rounds);
        let mut runs: Vec<Vec<Option<(Printed, Costs)>>> = vec![Vec::new(); entrants.len()];
        let mut rests = vec![false; entrants.len()];
        let (mut nulls, mut own_bytes) = (Vec::new(), 0.0_f64);
        let began = Instant::now();
        'rounds: for round in 0..MOST_ROUNDS.max(how.rounds) {
            if round >= how.rounds && began.elapsed() >= how.budget {
                break;
            }
            for who in order(round, entrants.len() + 1) {
                let Some((installed, _)) = entrants.get(who) else {
                    progress.step(&format!("round {}: the replay itself", round + 1));
                    let run = self.once_with_others(&null, &null_options, None)?;
                    if self.asked() {
                        break 'rounds;
                    }
                    let (printed, costs) = run.map_err(|failure| {
                        environment(format!("the replay: {}", failure.reason()))
                    })?;
                    own_bytes = own_bytes.max(printed.value("replay_own_bytes"));
                    nulls.push(counted_s(&printed, &costs));
                    progress.done_one();
                    continue;
                };
                progress.step(&format!("round {}: {}", round + 1, installed.name()));
                if runs[who].iter().any(Option::is_none) {
                    runs[who].push(None);
                    continue;
                }
                if rests[who] {
                    std::thread::sleep(how.rest);
                }
                let run = self.once_with_others(&program, &options, Some(installed))?;
                if let Ok((printed, costs)) = &run {
                    rests[who] = takes_huge_pages(printed, costs);
                }
                if self.asked() {
                    break 'rounds;
                }
                progress.done_one();
                match run {
                    Ok(run) => runs[who].push(Some(run)),
                    Err(failure) => {
                        runs[who].push(None);
                        failures.push(self.failed(failure));
                    }
                }
            }
        }
        let null_s = stats::median(&nulls).unwrap_or_default();
        let mut played = Played {
            row: Row {
                suite: "replay".to_string(),
                workload: self.name.clone(),
                params: Map::new(),
                series: Vec::new(),
            },
            failures,
            null_s,
            own_bytes,
            allocate: BTreeMap::new(),
            free: BTreeMap::new(),
            memory: BTreeMap::new(),
            waits: BTreeMap::new(),
            refused: BTreeMap::new(),
        };
        for ((_, identity), runs) in entrants.iter().zip(&runs) {
            let column = |of: &dyn Fn(&(Printed, Costs)) -> f64| {
                runs.iter().map(|run| run.as_ref().map(of)).collect::<Vec<_>>()
            };
            let value =
                |name: &'static str| column(&move |run: &(Printed, Costs)| run.0.value(name));
            // A time below that of the replay itself is noise.
            let net = column(&|run| (counted_s(&run.0, &run.1) - null_s).max(1e-6));
            let values = Values::from([
                (Metric::Replay, net),
                (Metric::Wall, value("replay_wall_s")),
                (Metric::PeakRss, value("replay_peak_bytes")),
                (Metric::PageFaults, column(&|run| run.1.page_faults)),
            ]);
            let of_all = |name| runs.iter().flatten().map(|run| run.0.value(name)).sum::<f64>();
            let (waited, cpu) = (of_all("replay_wait_s"), of_all("replay_cpu_s"));
            played.waits.insert(identity.name.clone(), waited / (waited + cpu).max(1e-9));
            let refused =
                runs.iter().flatten().map(|run| run.0.value("replay_refused") as u64).max();
            let refused = refused.filter(|&n| n != 0).map(|n| (identity.name.clone(), n));
            played.refused.extend(refused);
            let series = Series::of_values(identity.clone(), values);
            if series.rounds() > 0 {
                played.row.series.push(series);
            }
        }
        self.look_inside(&entrants, how, &mut progress, &mut played)?;
        progress.finish();
        Ok(played)
    }

    pub fn asked(&self) -> bool {
        self.player.asked()
    }

    fn failed(&self, failure: Failure) -> Failed {
        let (suite, workload) = ("replay".to_string(), self.name.clone());
        Failed { suite, workload, params: Map::new(), failure }
    }
}
