//! The command line of `heapsmith replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use heapsmith_measure::round;
use heapsmith_trace::plan;

use crate::args::common::Chosen;

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
