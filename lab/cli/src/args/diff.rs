//! The command line of `heapsmith diff`.

use std::path::PathBuf;

use clap::Args;
use heapsmith_measure::metric::Metric;

const EXAMPLES: &str = "\
Examples:
  heapsmith diff old.json new.json                    shows the changes
  heapsmith diff old.json new.json --fail-above 5%    exits with 1 on a loss of more than 5 %
  heapsmith diff old.json new.json --metric wall_s,peak_rss_bytes --json -
  heapsmith diff old.trace new.trace --fail-above 5%  calls, bytes and the peak, by site";

const EXIT_CODES: &str = "Exit codes: 0 ok; 1 a loss above noise and --fail-above, or a new \
failure (for traces: growth above --fail-above); 2 usage; 3 environment, or --fail-above cannot \
judge, because a trace is incomplete or the new results lack a value of the old ones.";

#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct DiffArgs {
    /// The results to compare with, in JSON lines, or a trace
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The results to judge, `-` is stdin; or a trace
    #[arg(value_name = "NEW")]
    pub new: PathBuf,

    /// Exit with 1 if a metric is measurably worse by more than this, such as 5%; for traces, if a
    /// number grew by more than this
    #[arg(long, value_name = "SHARE%", value_parser = percent)]
    pub fail_above: Option<f64>,

    /// Compare only these metrics, separated by commas (default: all)
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = metric)]
    pub metric: Vec<Metric>,

    /// Also show comparisons without a change; for traces, all sites that changed
    #[arg(long)]
    pub all: bool,

    /// Write the comparisons as JSON lines; `-` is stdout, and then the table goes to stderr
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// For traces: write the tables as Markdown, for a pull request; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub export_markdown: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    let wrong = || "not a share: write 5%, for instance".to_string();
    let number = text.strip_suffix('%').ok_or_else(wrong)?;
    let percent: f64 = number.trim_end().parse().map_err(|_| wrong())?;
    if (0.0..10_000.0).contains(&percent) { Ok(percent / 100.0) } else { Err(wrong()) }
}

fn metric(name: &str) -> Result<Metric, String> {
    Metric::try_from(name.to_string())
}

#[cfg(test)]
mod tests {
    //! Limits as they are written.
    use super::*;

    #[test]
    fn a_limit_is_a_percentage() {
        assert_eq!(percent("5%"), Ok(0.05));
        assert_eq!(percent("2.5 %"), Ok(0.025));
        assert_eq!(percent("0%"), Ok(0.0));
        for wrong in ["5", "0.05", "-5%", "%", "five%", "nan%"] {
            assert!(percent(wrong).is_err(), "{wrong}");
        }
    }
}
