//! The command line of `heapsmith record`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  heapsmith record -- ./app input           writes app.trace
  heapsmith record -o run.trace -- ./app    writes run.trace
  heapsmith record --twice -- ./app input   also measures it without recording, for `advise`
  heapsmith record --wait -- ./daemon       waits for what goes into the background
  heapsmith record -p 1234 --for 10s        records a program that already runs
  heapsmith info app.trace                  shows what it has

Exit codes: that of the program, or 0 with -p; 2 usage, 3 environment.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RecordArgs {
    /// The trace to write (default: the program's name with .trace); `-` is stdout, and then the
    /// program's output goes to stderr
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the trace if it exists
    #[arg(short, long)]
    pub force: bool,

    /// Keep no names: sizes, times and threads stay, sites become random numbers. The traces can be
    /// given to others
    #[arg(long)]
    pub anonymize: bool,

    /// Run the program without recording first, so that `advise` knows its time. That run reads no
    /// input, and its output is discarded
    #[arg(long, conflicts_with = "pid")]
    pub twice: bool,

    /// Wait for processes that outlive the program, such as daemons, until they end or until Ctrl-C
    #[arg(long, conflicts_with = "pid")]
    pub wait: bool,

    /// Record the process PID, which already runs, until Ctrl-C
    #[arg(short, long, value_name = "PID", conflicts_with = "program")]
    pub pid: Option<u32>,

    /// With -p: end the recording after this time, such as 10s or 5m
    #[arg(long = "for", value_name = "DURATION", value_parser = humantime::parse_duration,
          requires = "pid", conflicts_with = "program")]
    pub duration: Option<Duration>,

    /// The program and its arguments
    #[arg(last = true, required_unless_present = "pid", value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}
