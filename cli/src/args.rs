//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use heapsmith_measure::contender::{AS_BUILT, GLIBC};
use heapsmith_measure::round;

const EXIT_CODES: &str = "Exit codes: 0 ok, 1 regression (a program fails under one allocator \
only, a check differs), 2 usage, 3 environment, 130 interrupted.";

/// Runs a program under several memory allocators and shows what each one changes
#[derive(Debug, Parser)]
#[command(name = "heapsmith", version, after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a program under each allocator, in interleaved rounds, and compare
    Try(TryArgs),
    /// Show the allocators found, and what would disturb a measurement here
    Doctor(DoctorArgs),
}

#[derive(Debug, Args)]
pub struct Chosen {
    /// The allocators to run, separated by commas: NAME, /PATH/LIB.so, NAME=LIBRARY, each followed
    /// by ;VARIABLE=VALUE for its settings (default: the newest of each that is installed). May be
    /// repeated; the baseline always runs
    #[arg(long, value_name = "ALLOCATOR,…")]
    pub alloc: Vec<String>,

    /// heapsmith's library to preload, or its folder (default: beside the command)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,
}

/// Programs run with stdin from /dev/null and stdout and stderr thrown away, as hyperfine does: a
/// repeated run cannot read a terminal or a pipe a second time.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct TryArgs {
    #[command(flatten)]
    pub chosen: Chosen,

    /// Measured rounds; each round runs the program once under every allocator
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = round::parse_count)]
    pub rounds: usize,

    /// Unmeasured runs per allocator before the rounds; the first one proves the loading, so there
    /// is always one
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warmup: usize,

    /// Write the results as JSON lines
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write the HTML page to this file
    #[arg(long, value_name = "FILE", default_value = "heapsmith-report.html")]
    pub report: PathBuf,

    /// The contender that ratios are taken against
    #[arg(long, value_enum, default_value_t = Baseline::AsBuilt)]
    pub baseline: Baseline,

    /// Stop a run, and everything it started, after this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Every run's stdin; `-` reads heapsmith's own stdin once and gives each run a copy
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Let the program's stdout and stderr through
    #[arg(long)]
    pub show_output: bool,

    /// Measure a program whose exit code is not 0, as long as all allocators give the same one
    #[arg(short, long)]
    pub ignore_failure: bool,

    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Baseline {
    AsBuilt,
    Glibc,
}

impl Baseline {
    pub fn name(self) -> &'static str {
        match self {
            Self::AsBuilt => AS_BUILT,
            Self::Glibc => GLIBC,
        }
    }
}

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// heapsmith's library, or its folder (default: beside the command)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("more than 0".to_string()) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    //! The definition is sound and its limits hold.
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_timeout_is_a_positive_time() {
        assert!(seconds("0").is_err() && seconds("-1").is_err() && seconds("nan").is_err());
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
    }

    #[test]
    fn everything_after_the_program_is_its_own() {
        let cli =
            Cli::parse_from(["heapsmith", "try", "--rounds", "7", "--", "ls", "--rounds", "1"]);
        let Command::Try(args) = cli.command else { panic!("not try") };
        assert_eq!((args.rounds, args.program.len()), (7, 3));
    }
}
