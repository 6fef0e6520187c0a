//! The command line of `heapsmith info`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  heapsmith info app.trace                  calls, sizes, lifetimes, the peak, the largest sites
  heapsmith info app.trace --top 50         more sites
  heapsmith info app.trace --json -         the same for programs";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct InfoArgs {
    /// A trace that `heapsmith record` wrote
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    /// How many sites to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub top: usize,

    /// Write the numbers as one JSON object; `-` is stdout, and then there are no tables
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}
