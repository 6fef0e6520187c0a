//! `heapsmith export`: a trace in the format of another tool.

use anyhow::Result;
use heapsmith_measure::outfile::{OutFile, refuse_inputs};
use heapsmith_measure::program::quote;
use heapsmith_trace::export::{Export, Format};

use crate::args::export::ExportArgs;
use crate::recording::writing::require_absent;

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
