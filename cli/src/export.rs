//! `heapsmith export`: a trace in the format of another tool.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use heapsmith_measure::outfile::{OutFile, refuse_inputs};
use heapsmith_measure::program::quote;
use heapsmith_trace::export::{Export, Format};

use crate::record::require_absent;

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

/// The step that comes next.
fn next(format: Format, file: &str) -> String {
    match format {
        Format::Folded => format!("inferno-flamegraph {file} >{file}.svg"),
        Format::Speedscope => format!("open {file} at https://www.speedscope.app"),
        Format::Pprof => format!("go tool pprof -top {file}"),
        Format::Dhat => format!("open {file} in dh_view.html, which Valgrind installs"),
        Format::Firefox => format!("open {file} at https://profiler.firefox.com"),
        Format::Chrome => format!("open {file} at https://ui.perfetto.dev"),
        Format::Csv => format!("open {file} in a spreadsheet"),
    }
}

pub fn run(args: &ExportArgs) -> Result<u8> {
    let usual = || args.trace.with_extension(args.to.ending());
    let path = args.output.clone().unwrap_or_else(usual);
    refuse_inputs(&[Some(&path)], &[&args.trace])?;
    if path.is_file() {
        require_absent(&path, args.force)?;
    }
    let file = OutFile::prepare(&path)?;
    let export = Export::read(&args.trace, args.to)?;
    if let Some(line) = &export.damage {
        eprintln!("heapsmith: {line}");
    }
    let mut bytes = Vec::new();
    export.write(&mut bytes)?;
    let is_stdout = file.is_stdout();
    file.write(bytes)?;
    if !is_stdout {
        eprintln!("next: {}", next(args.to, &quote(&[path.into()])));
    }
    Ok(0)
}
