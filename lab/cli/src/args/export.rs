//! The command line of `heapsmith export`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use heapsmith_trace::export::Format;

const EXAMPLES: &str = "\
Examples:
  heapsmith export app.trace --to pprof        then: go tool pprof -top app.pb.gz
  heapsmith export app.trace --to firefox      opens at https://profiler.firefox.com
  heapsmith export app.trace --to csv -o -     a line for each site, on stdout";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExportArgs {
    /// A trace that `heapsmith record` wrote
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    /// The format
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub to: Format,

    /// The file to write, `-` is stdout (default: TRACE with the format's ending)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(short, long)]
    pub force: bool,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    let values = Format::ALL.map(|it| PossibleValue::new(it.name()).help(about(it)));
    PossibleValuesParser::new(values).map(|name| {
        let named = Format::ALL.into_iter().find(|it| it.name() == name);
        named.expect("one of the values")
    })
}

fn about(format: Format) -> &'static str {
    match format {
        Format::Folded => "Bytes by stack, a line each, for flame graphs",
        Format::Speedscope => "Bytes, calls, peak and what is left by stack, for speedscope",
        Format::Pprof => "The same for `go tool pprof`",
        Format::Dhat => "Sites with lifetimes, for Valgrind's dh_view.html",
        Format::Firefox => {
            "Sampled allocations and the bytes in use over time, for the Firefox Profiler"
        }
        Format::Chrome => "Counters over time, for Perfetto or chrome://tracing",
        Format::Csv => "A line for each site, for spreadsheets",
    }
}
