//! The command line of `heapsmith report`.

use std::path::PathBuf;

use clap::Args;

use crate::args::common::EXIT_CODES;
use crate::args::result_files::Exports;

const EXAMPLES: &str = "\
Examples:
  heapsmith try --json app.json -- ./app              measures and keeps the results
  heapsmith report app.json -o page.html              makes the page again
  heapsmith report a.json b.json -o both.html         makes one page of two files
  heapsmith report app.json --export-markdown -       prints a table for a pull request

  heapsmith record -o app.trace -- ./app              records each allocation
  heapsmith report app.trace -o memory.html           shows the memory of the program over time
  heapsmith report old.trace new.trace -o both.html   shows what changed between two traces
  heapsmith report app.json app.trace                 shows results and a trace on one page";

#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct ReportArgs {
    /// Results in JSON lines, and traces that `heapsmith record` wrote; `-` is results from stdin
    #[arg(required = true, value_name = "RESULTS|TRACE")]
    pub results: Vec<PathBuf>,

    /// Write the HTML page to this file
    #[arg(short, long, value_name = "FILE", default_value = "heapsmith-report.html")]
    pub output: PathBuf,

    /// The contender that the others are compared with (default: the one in the results)
    #[arg(long, value_name = "NAME")]
    pub baseline: Option<String>,

    #[command(flatten)]
    pub exports: Exports,
}
