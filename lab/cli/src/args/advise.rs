//! The command line of `heapsmith advise`.

use std::path::PathBuf;

use clap::Args;
use heapsmith_measure::contender::GLIBC;
use heapsmith_measure::round;

use crate::args::common::Chosen;

const EXAMPLES: &str = "\
Examples:
  heapsmith advise app.trace                     what to change, and what that gains
  heapsmith advise app.trace --alloc heapsmith   compares with one other malloc only
  heapsmith advise app.trace --json -            the same for programs";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct AdviseArgs {
    /// A trace that `heapsmith record` wrote
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    /// The malloc that the program has now
    #[arg(long, value_name = "NAME", default_value = GLIBC)]
    pub malloc: String,

    #[command(flatten)]
    pub chosen: Chosen,

    /// Measure what pays in this many interleaved rounds, or as many as intervals need (default: 11,
    /// and more while the intervals are wide)
    #[arg(long, value_name = "N", value_parser = round::parse_count)]
    pub rounds: Option<usize>,

    /// Try at most this many changes, those that could save most
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub most: usize,

    /// Write the advice as one JSON object; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
