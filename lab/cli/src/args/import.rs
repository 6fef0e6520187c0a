//! The command line of `heapsmith import`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  heapsmith import heaptrack.app.4711.zst -o app.trace
  MALLOC_TRACE=app.mtrace ./app && heapsmith import app.mtrace";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ImportArgs {
    /// A file of heaptrack, packed or not, or text of mtrace
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The trace to write, `-` is stdout (default: FILE with the ending .trace)
    #[arg(short, long, value_name = "TRACE")]
    pub output: Option<PathBuf>,

    /// Replace an existing trace
    #[arg(short, long)]
    pub force: bool,
}
