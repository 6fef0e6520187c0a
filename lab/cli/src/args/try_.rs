//! The command line of `heapsmith try`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::args::common::{Chosen, EXIT_CODES};
use crate::args::result_files::Exports;
use heapsmith_measure::contender::{AS_BUILT, GLIBC};
use heapsmith_measure::files::Files;
use heapsmith_measure::round;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::service::{Ready, Service, StopSignal};

const USAGE: &str = "heapsmith try [OPTIONS] -- PROGRAM [ARGUMENT]…
       heapsmith try [OPTIONS] 'COMMAND'…";

const EXAMPLES: &str = "\
Examples:
  heapsmith try -- ./app data.json                   one program and its arguments
  heapsmith try --quick -- ./app data.json           a first impression in 15 seconds
  heapsmith try --budget 5m -- ./app data.json       sees smaller differences
  heapsmith try --alloc heapsmith,jemalloc -- ./app  two allocators against the program as built
  heapsmith try -n small './app a' -n large './app b'
                                                     two commands, split as a shell splits them
  heapsmith try --shell 'zcat data.gz | ./app'       a command for sh
  heapsmith try --prepare 'rm -rf cache' -- ./app    runs unmeasured, before each run
  heapsmith try -- ./app <data.json                  every run reads the same input
  heapsmith try --memory -- ./app data.json          also the memory over time
  heapsmith try --record -- ./app data.json          also what a replay of its calls foretells
  heapsmith try --ready 7391 --load 'redis-benchmark -p 7391 -q' -- redis-server --port 7391
                                                     a server, under a load of requests";

#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct TryArgs {
    #[command(flatten)]
    pub chosen: Chosen,

    /// Time to spend, such as 90s or 5m (default: 60s, or longer if a comparison needs it)
    #[arg(long, value_name = "TIME", value_parser = time,
          conflicts_with_all = ["rounds", "quick"])]
    pub budget: Option<Duration>,

    /// A first impression: the same as --budget 15s
    #[arg(long, conflicts_with = "rounds")]
    pub quick: bool,

    /// Run exactly this many rounds
    #[arg(long, value_name = "N", value_parser = round::parse_count)]
    pub rounds: Option<usize>,

    /// Unmeasured runs of each allocator before the rounds; the first one proves that the allocator
    /// loads, so there is always one
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub warmup: usize,

    /// A command for sh, run before each run and not measured
    #[arg(long, value_name = "COMMAND")]
    pub prepare: Option<String>,

    /// A command for sh, run after each run and not measured
    #[arg(long, value_name = "COMMAND")]
    pub cleanup: Option<String>,

    /// The name of a command in the results; give it once for each command
    #[arg(short, long, value_name = "NAME")]
    pub name: Vec<String>,

    /// Run each COMMAND through sh
    #[arg(long, conflicts_with = "program")]
    pub shell: bool,

    /// Also sample the memory of all processes over time, in runs of their own
    #[arg(long, conflicts_with = "ready")]
    pub memory: bool,

    /// Also record each command once, replay the trace under each allocator, show what the replay
    /// foretells beside the real runs, and say which changes of the code pay
    #[arg(long)]
    pub record: bool,

    /// With --record: try no changes of the code
    #[arg(long, requires = "record")]
    pub no_advice: bool,

    /// The contender that the others are compared with
    #[arg(long, value_enum, default_value_t = Baseline::AsBuilt)]
    pub baseline: Baseline,

    /// Stop a run, and everything it started, after this time; for a server, this limits the load
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub timeout: Option<Duration>,

    /// The stdin of every run; `-` waits for the end of heapsmith's own stdin and copies it
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Let the program's stdout and stderr through
    #[arg(long)]
    pub show_output: bool,

    /// Measure a program whose exit code is not 0, if it is the same under all allocators
    #[arg(short, long)]
    pub ignore_failure: bool,

    #[command(flatten)]
    pub server: ServerArgs,

    #[command(flatten)]
    pub files: FileArgs,

    /// A program and its arguments, quoted as one word; several are measured in the same rounds
    #[arg(
        value_name = "COMMAND",
        required_unless_present = "program",
        conflicts_with = "program",
        help_heading = "Arguments"
    )]
    pub commands: Vec<String>,

    /// One program and its arguments
    #[arg(last = true, value_name = "PROGRAM", help_heading = "Arguments")]
    pub program: Vec<OsString>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Servers")]
pub struct ServerArgs {
    /// The program is a server; it takes requests once this TCP port is open, or a line of its
    /// output matches /REGEX/, or this command for sh succeeds
    #[arg(long, value_name = "PORT|/REGEX/|COMMAND", requires = "load")]
    pub ready: Option<Ready>,

    /// A command for sh that sends the server requests and then ends; its time is measured
    #[arg(long, value_name = "COMMAND", requires = "ready")]
    pub load: Option<String>,

    /// The signal that stops the server
    #[arg(long, value_name = "SIGNAL", default_value = "TERM", requires = "ready")]
    pub stop: StopSignal,

    /// Sample memory in one run of each allocator, and repeat the load for this time
    #[arg(long, value_name = "TIME", value_parser = time, requires = "ready",
          conflicts_with = "no_memory")]
    pub duration: Option<Duration>,

    /// The idle time after the load, at the end of a sampled run
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "3s",
          requires = "ready", conflicts_with = "no_memory")]
    pub idle: Duration,

    /// Do not sample the server's memory over time
    #[arg(long, requires = "ready")]
    pub no_memory: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Results")]
pub struct FileArgs {
    #[command(flatten)]
    pub exports: Exports,

    /// Write the HTML page to this file
    #[arg(long, value_name = "FILE", default_value = "heapsmith-report.html")]
    pub report: PathBuf,
}

impl TryArgs {
    /// The server's description, if the program is one.
    pub fn service(&self) -> Option<Service> {
        let ServerArgs { ready, load, stop, .. } = &self.server;
        let service = Service::new(ready.clone()?, load.clone()?);
        Some(Service { stop: *stop, ..service })
    }

    pub fn samples_memory(&self) -> bool {
        self.memory || (self.server.ready.is_some() && !self.server.no_memory)
    }
}

impl FileArgs {
    pub fn prepare(&self) -> Result<Files> {
        Files::of(self.exports.wanted(&self.report))
    }
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

    /// The requested baseline, or the first contender with results if the baseline has none.
    pub fn of(self, rows: &[Row]) -> Option<&str> {
        let found = rows.iter().find_map(|row| row.named(self.name()));
        found.or(rows.first().and_then(|row| row.series.first())).map(Series::name)
    }
}

const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

/// "90s", "1m 30s", or a number of seconds.
fn time(text: &str) -> std::result::Result<Duration, String> {
    let wrong = || "not a time: write 90s, 1m or 0.5 (in seconds)".to_string();
    let duration = match text.parse::<f64>() {
        Ok(seconds) => Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?,
        Err(_) => humantime::parse_duration(text).map_err(|_| wrong())?,
    };
    match duration {
        Duration::ZERO => Err("more than 0".to_string()),
        // Sums of such times fit into a Duration and into the launcher's nanoseconds.
        long if long > LONGEST => Err("more than a year".to_string()),
        duration => Ok(duration),
    }
}

#[cfg(test)]
mod tests {
    //! Times, and how commands are told from a program.
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn parse(words: &[&str]) -> std::result::Result<TryArgs, clap::Error> {
        let cli = Cli::try_parse_from(["heapsmith", "try"].iter().chain(words))?;
        let Command::Try(args) = cli.command else { panic!("not try") };
        Ok(*args)
    }

    #[test]
    fn times_are_positive_and_may_have_units() {
        assert!(time("0").is_err() && time("-1").is_err() && time("nan").is_err());
        assert!(time("fast").is_err() && time("").is_err());
        assert_eq!(time("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(time("1m 30s"), Ok(Duration::from_secs(90)));
        assert!(time("1year").is_ok());
        assert!(time("1e19").is_err() && time("300y").is_err());
    }

    #[test]
    fn everything_after_the_dashes_is_the_programs_own() {
        let args = parse(&["--rounds", "7", "--", "ls", "--rounds", "1"]).expect("right");
        assert_eq!((args.rounds, args.program.len(), args.commands.len()), (Some(7), 3, 0));
    }

    #[test]
    fn words_before_the_dashes_are_commands_between_any_options() {
        let args = parse(&["-n", "a", "ls -l", "-n", "b", "ls", "--quick"]).expect("right");
        assert_eq!(args.commands, ["ls -l", "ls"]);
        assert_eq!(args.name, ["a", "b"]);
        assert!(args.quick && args.program.is_empty());
    }

    #[test]
    fn contradictions_are_refused() {
        for words in [
            &[][..],
            &["ls", "--", "ls"],
            &["--shell", "--", "ls"],
            &["--rounds", "7", "--budget", "1m", "ls"],
            &["--rounds", "7", "--quick", "ls"],
            &["--budget", "soon", "ls"],
            &["--ready", "1", "--load", "x", "--no-memory", "--idle", "10s", "ls"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
    }
}
