//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::stats::MIN_ROUNDS;

/// More rounds than this tell nothing new and take all night.
const MAX_ROUNDS: usize = 10_000;

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
    /// Run heapsmith's own workloads or count instructions, under each allocator
    Bench(BenchArgs),
}

#[derive(Debug, Args)]
pub struct Chosen {
    /// The allocators to run, separated by commas (default: all that are installed)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
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
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = rounds)]
    pub rounds: usize,

    /// Unmeasured runs per allocator before the rounds; the first one proves the loading, so there
    /// is always one
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warmup: usize,

    /// Write the results as JSON lines
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Where the HTML page goes
    #[arg(long, value_name = "FILE", default_value = "heapsmith-report.html")]
    pub report: PathBuf,

    /// What the ratios are taken against
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

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// heapsmith's library, or its folder (default: beside the command)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Suite {
    /// Whole programs: wall and CPU time, peak RSS, page faults
    Heap,
    /// Instructions of warm allocator paths, counted by callgrind
    Instructions,
    /// Allocators over memory that a program supplies: containers, random mixes, utilisation
    Region,
    /// Containers and small objects in memory that ends all at once
    Arena,
    /// Objects with destructors and without, made in a row and ended together
    Scope,
    /// Nodes that come and go, within threads and between them
    #[value(name = "pool_resource")]
    PoolResource,
    /// Vectors that grow, in memory from std::allocator and heapsmith::allocator
    Allocator,
    /// Elements in the slots of typed pools: scans, random reads, churn
    Pools,
    /// Lists, stacks, queues, sets and maps in typed pools, and elsewhere
    Containers,
    /// Objects, vectors and texts in arenas and scopes that are Rust crates
    Rust,
}

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct BenchArgs {
    /// What to run
    #[arg(value_enum)]
    pub suite: Suite,

    #[command(flatten)]
    pub chosen: Chosen,

    /// Smaller workloads and fewer rounds: at most two minutes
    #[arg(long)]
    pub quick: bool,

    /// Measured rounds (default: 11, 6 with --quick)
    #[arg(long, value_name = "N", value_parser = rounds)]
    pub rounds: Option<usize>,

    /// Only these workloads, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub workload: Vec<String>,

    /// Only these thread counts, separated by commas
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub threads: Vec<u32>,

    /// Write the results as JSON lines
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Also write the HTML page
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

fn rounds(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (MIN_ROUNDS..=MAX_ROUNDS).contains(&n) => Ok(n),
        Ok(_) => Err(format!(
            "at least {MIN_ROUNDS} (fewer give no 95 % interval), at most {MAX_ROUNDS}"
        )),
        Err(_) => Err("not a whole number".to_string()),
    }
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
    fn fewer_rounds_than_an_interval_needs_are_refused() {
        assert!(rounds("5").is_err() && rounds("x").is_err() && rounds("6") == Ok(6));
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
        let Command::Try(args) = cli.command else { panic!("try") };
        assert_eq!((args.rounds, args.program.len()), (7, 3));
    }
}
