//! The command line of `./dev bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use heapsmith_measure::round;

const EXIT_CODES: &str = "Exit codes: 0 ok, 1 regression (a program fails under some contenders \
only, a check value differs, a row is worse than in the build of --against), 2 usage, \
3 environment, 130 interrupted.";

/// Run a benchmark suite; without a suite, list them
#[derive(Debug, Parser)]
#[command(name = "./dev bench", bin_name = "./dev bench", version, after_help = EXIT_CODES)]
pub struct Args {
    /// The suite to run
    pub suite: Option<String>,

    /// Smaller workloads and fewer rounds: about two minutes
    #[arg(long)]
    pub quick: bool,

    /// Only these workloads, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub workload: Vec<String>,

    /// Only these numbers of threads, separated by commas
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub threads: Vec<u32>,

    /// Only these contenders, separated by commas
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    pub alloc: Vec<String>,

    /// Measured rounds (default: those of the suite)
    #[arg(long, value_name = "N", value_parser = round::parse_count)]
    pub rounds: Option<usize>,

    /// How long further rounds may take where an interval is too wide to judge a target (default:
    /// that of the suite, or 0s with --rounds)
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub budget: Option<Duration>,

    /// Compare this build with that of another checkout: its folder, or its build/release. Runs
    /// heapsmith's own contenders of both in the same rounds; --alloc chooses others
    #[arg(long, value_name = "DIR")]
    pub against: Option<PathBuf>,

    /// Contenders that have another name in the other checkout, separated by commas
    #[arg(long, value_name = "OLD=NEW,…", value_delimiter = ',', value_parser = renamed,
          requires = "against")]
    pub renamed: Vec<(String, String)>,

    /// heapsmith's library to preload, or its folder (default: beside this program)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,

    /// Write the results as JSON lines
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Also write the HTML page
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Keep the rows in FILE as they are measured, and go on with those that it has. Rows that other
    /// work disturbed are measured again
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    pub resume: Option<PathBuf>,

    /// List the contenders of the suite, and run nothing
    #[arg(long)]
    pub list: bool,

    /// Print the CMake targets that the suite needs, and do nothing
    #[arg(long, hide = true)]
    pub print_targets: bool,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok((old.into(), new.into())),
        _ => Err("not OLD=NEW".to_string()),
    }
}

#[cfg(test)]
mod tests {
    //! The definition is sound.
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_budget_is_a_time() {
        let budget = |text| Args::try_parse_from(["bench", "x", "--budget", text]);
        assert_eq!(budget("2m").expect("good").budget, Some(Duration::from_secs(120)));
        assert!(budget("soon").is_err());
    }

    #[test]
    fn renamed_contenders_come_in_pairs() {
        assert_eq!(renamed("a=b"), Ok(("a".into(), "b".into())));
        assert!(renamed("a").is_err() && renamed("=b").is_err() && renamed("a=").is_err());
        assert!(
            Args::try_parse_from(["bench", "x", "--renamed", "a=b"]).is_err(),
            "needs --against"
        );
    }
}
