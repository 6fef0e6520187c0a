//! The command line of `./dev bench cliffs`.

use std::path::PathBuf;

use clap::Parser;

use crate::pattern::Pattern;

const EXIT_CODES: &str = "Exit codes: 0 no finding, 1 a finding or a program that fails under \
heapsmith, 2 usage, 3 environment, 130 interrupted.";

/// Draw allocation patterns at random, and find those in which a peer is far better
#[derive(Debug, Parser)]
#[command(name = "./dev bench cliffs", bin_name = "./dev bench cliffs", version,
          after_help = EXIT_CODES)]
pub struct Args {
    /// How long the search takes. It draws for 60 % of that time, and judges in the rest
    #[arg(long, value_name = "N", default_value = "20", value_parser = minutes)]
    pub minutes: f64,

    /// The seed of the draws (default: from the clock; the output names it)
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,

    /// Go on with the search of the state file
    #[arg(long, conflicts_with = "seed")]
    pub resume: bool,

    /// Where the search keeps its state
    #[arg(long, value_name = "FILE", default_value = "build/cliffs.json")]
    pub state: PathBuf,

    /// At most this many further draws
    #[arg(long, value_name = "N")]
    pub draws: Option<u64>,

    /// Judge this pattern, such as "threads=2 cross=50", in place of drawing
    #[arg(long, value_name = "SETTINGS", value_parser = Pattern::parse, conflicts_with = "resume")]
    pub pattern: Option<Pattern>,

    /// The contender to find cliffs of, as `heapsmith try --alloc` takes it
    #[arg(long, value_name = "SPEC", default_value = "heapsmith")]
    pub own: String,

    /// Its peers; those that are not installed are left out
    #[arg(long, value_name = "SPEC,…", default_value = "glibc,jemalloc,mimalloc,snmalloc")]
    pub against: String,

    /// heapsmith's library to preload, or its folder (default: beside this program)
    #[arg(long, value_name = "PATH", env = "HEAPSMITH_PRELOAD")]
    pub heapsmith: Option<PathBuf>,

    /// How long a program is idle before its memory is read again
    #[arg(long, value_name = "N", default_value_t = 2000, hide = true)]
    pub idle_ms: u64,

    /// Count no instructions
    #[arg(long, hide = true)]
    pub uncounted: bool,
}

fn minutes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(minutes) if minutes > 0.0 && minutes <= 10_000.0 => Ok(minutes),
        _ => Err("not a number of minutes above 0".to_string()),
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
    fn a_seed_is_not_resumed() {
        assert!(Args::try_parse_from(["cliffs", "--minutes", "0.5", "--seed", "7"]).is_ok());
        assert!(Args::try_parse_from(["cliffs", "--resume", "--seed", "7"]).is_err());
        assert!(Args::try_parse_from(["cliffs", "--minutes", "0"]).is_err());
    }
}
