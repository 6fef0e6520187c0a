//! `heapsmith export`: a trace in the format of another tool.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use heapsmith_trace::export::{Export, Format};

use crate::record::{require_absent, with_suffix};

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
    #[arg(long, value_name = "FORMAT")]
    pub to: To,

    /// The file to write, `-` is stdout (default: TRACE with the format's ending)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace an existing file
    #[arg(short, long)]
    pub force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum To {
    /// Bytes by stack, a line each, for flame graphs
    Folded,
    /// Bytes, calls, peak and what is left by stack, for speedscope
    Speedscope,
    /// The same for `go tool pprof`
    Pprof,
    /// Sites with lifetimes, for Valgrind's dh_view.html
    Dhat,
    /// Sampled allocations and the bytes in use over time, for the Firefox Profiler
    Firefox,
    /// Counters over time, for Perfetto or chrome://tracing
    Chrome,
    /// A line for each site, for spreadsheets
    Csv,
}

impl To {
    /// The format, the ending of its files, and what opens them.
    fn describe(self, file: &str) -> (Format, &'static str, String) {
        match self {
            Self::Folded => {
                let next = format!("inferno-flamegraph <{file} >{file}.svg");
                (Format::Folded, "folded", next)
            }
            Self::Speedscope => {
                (Format::Speedscope, "speedscope.json", "https://www.speedscope.app".to_string())
            }
            Self::Pprof => (Format::Pprof, "pb.gz", format!("go tool pprof -top {file}")),
            Self::Dhat => {
                (Format::Dhat, "dhat.json", "dh_view.html, which Valgrind installs".to_string())
            }
            Self::Firefox => {
                (Format::Firefox, "firefox.json", "https://profiler.firefox.com".to_string())
            }
            Self::Chrome => (Format::Chrome, "chrome.json", "https://ui.perfetto.dev".to_string()),
            Self::Csv => (Format::Csv, "csv", "a spreadsheet".to_string()),
        }
    }
}

pub fn run(args: &ExportArgs) -> Result<u8> {
    let (format, ending, _) = args.to.describe("");
    let file = args.output.clone().unwrap_or_else(|| args.trace.with_extension(ending));
    let is_stdout = file == Path::new("-");
    if !is_stdout {
        require_absent(&file, args.force)?;
    }
    let export = Export::read(&args.trace, format)?;
    if let Some(line) = &export.damage {
        eprintln!("heapsmith: {line}");
    }
    if is_stdout {
        let mut out = BufWriter::new(std::io::stdout().lock());
        export.write(&mut out)?;
        out.flush()?;
        return Ok(0);
    }
    // Under another name first: a disk that is full leaves no part of a file.
    let part = with_suffix(&file, ".part");
    let written = write_file(&export, &part).and_then(|()| std::fs::rename(&part, &file));
    if written.is_err() {
        std::fs::remove_file(&part).ok();
    }
    written.with_context(|| file.display().to_string())?;
    let (_, _, opens) = args.to.describe(&file.display().to_string());
    eprintln!("next: {opens}");
    Ok(0)
}

fn write_file(export: &Export, file: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(file)?);
    export.write(&mut out)?;
    out.flush()
}
