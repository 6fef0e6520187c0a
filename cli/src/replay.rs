//! `heapsmith replay`: a trace, under every allocator.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};
use heapsmith_measure::contender::{AS_BUILT, GLIBC, Installed, Pinned, choose};
use heapsmith_measure::error::{INTERRUPTED, OK, usage};
use heapsmith_measure::files::Files;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::outfile::refuse_inputs;
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::record;
use heapsmith_measure::results::Results;
use heapsmith_measure::round;
use heapsmith_measure::screen::Screen;
use heapsmith_trace::plan;

use crate::args::Chosen;
use crate::replay_run::{REST, Replay, Stage};
use crate::replay_table;

const EXAMPLES: &str = "\
Examples:
  heapsmith replay app.trace                         every allocator that is installed
  heapsmith replay app.trace --alloc glibc,jemalloc  two of them
  heapsmith replay app.trace --order serial          in the exact order of the recording
  heapsmith replay app.trace --repeat 5              on a heap that has aged by four replays";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// One thread makes all calls, in the order of the trace: shows fragmentation
    Serial,
    /// As many threads as were recorded, at most 4,096 calls or 1 ms apart
    Bounded,
    /// The same threads, which wait only for each other's blocks: shows contention
    Free,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Touch {
    /// No block is touched
    None,
    /// The first byte of each block
    First,
    /// Small blocks whole, large ones as far as the recorded program had touched them
    Measured,
}

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ReplayArgs {
    /// A trace that `heapsmith record` wrote
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    #[command(flatten)]
    pub chosen: Chosen,

    /// Run exactly this many interleaved rounds
    #[arg(long, value_name = "N", value_parser = round::parse_count, default_value_t = 7)]
    pub rounds: usize,

    /// In which order the threads make their calls
    #[arg(long, value_enum, default_value_t = Order::Bounded)]
    pub order: Order,

    /// Which parts of its blocks the replay touches
    #[arg(long, value_enum, default_value_t = Touch::Measured)]
    pub touch: Touch,

    /// Replay so many times in each run, on the same heap; the last time counts
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,

    /// Write the results as JSON lines; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

impl Order {
    pub fn of_plan(self) -> plan::Order {
        match self {
            Self::Serial => plan::Order::Serial,
            Self::Bounded => plan::Order::Bounded,
            Self::Free => plan::Order::Free,
        }
    }
}

impl Touch {
    pub fn option(self) -> &'static str {
        match self {
            Self::None => "--touch=none",
            Self::First => "--touch=first",
            Self::Measured => "--touch=measured",
        }
    }
}

pub fn run(args: &ReplayArgs) -> Result<u8> {
    refuse_inputs(&[args.json.as_deref()], &[&args.trace])?;
    let lab = Lab::find()?;
    let pinned = Pinned::load()?;
    let beside = place::beside(args.chosen.heapsmith.as_deref())?;
    let (mut chosen, absent) = choose(&pinned, &args.chosen.alloc, GLIBC, &beside)?;
    // The replayer as built has glibc's malloc.
    chosen.retain(|installed| installed.name() != AS_BUILT);
    let files = Files::prepare(args.json.as_ref(), None)?;
    let interrupt = Interrupt::listen()?;
    for line in absent {
        eprintln!("heapsmith: left out: {line}");
    }
    let names: Vec<&str> = chosen.iter().map(Installed::name).collect();
    if names.len() < 2 {
        return Err(usage(format!("only {} to compare: name more with --alloc", names.join(", "))));
    }
    let stage = Stage::new(&lab, &interrupt, &args.trace, args.order.of_plan())?;
    eprintln!("heapsmith: {}, under {}", stage.describe(), names.join(", "));
    let how = Replay {
        touch: args.touch,
        repeat: args.repeat,
        rounds: args.rounds,
        budget: Duration::ZERO,
        rest: REST,
        looks_at_latency: true,
    };
    let played = stage.play(&chosen, &how)?;
    if played.row.series.is_empty() {
        eprintln!("heapsmith: interrupted before the first round was complete");
        return Ok(INTERRUPTED);
    }
    let mut results = Results::new(&["heapsmith"]);
    for series in &played.row.series {
        results.identify(&series.identity);
    }
    results.records.extend(record::samples(&played.row, &results.provenance));
    results.records.extend(record::ratios(&played.row, GLIBC));
    results.failures.extend(played.failures.iter().cloned());
    results.curves = played.curves();
    let screen = Screen::beside(&files);
    let mut out = Vec::new();
    replay_table::print(&mut out, &screen, &stage, &played)?;
    let written = results.write(files);
    screen.print(&out)?;
    written?;
    Ok(if interrupt.asked() { INTERRUPTED } else { OK })
}
