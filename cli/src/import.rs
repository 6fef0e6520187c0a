//! `heapsmith import`: traces of other tools.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use heapsmith_measure::error::environment;
use heapsmith_measure::program::quote;
use heapsmith_trace::error::Error;
use heapsmith_trace::import::import;

use crate::packing::prepare;

const EXAMPLES: &str = "\
Examples:
  heapsmith import heaptrack.app.4711.zst -o app.trace
  MALLOC_TRACE=app.mtrace ./app && heapsmith import app.mtrace";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ImportArgs {
    /// A file of heaptrack, packed or not, or text of mtrace
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// The trace to write, `-` is stdout (default: FILE with the ending .trace)
    #[arg(short, long, value_name = "TRACE")]
    pub output: Option<PathBuf>,

    /// Replace an existing trace
    #[arg(short, long)]
    pub force: bool,
}

pub fn run(args: &ImportArgs) -> Result<u8> {
    let trace = args.output.clone().unwrap_or_else(|| args.file.with_extension("trace"));
    let out = prepare(&trace, args.force)?;
    // Elsewhere first: a file that is wrong leaves the old trace.
    let folder = out.folder_beside()?;
    let part = folder.path().join("trace");
    let tables = import(&args.file, &part).map_err(|error| match error {
        Error::Io { path, source } if path == part => {
            environment(format!("{}: {source}", trace.display()))
        }
        other => other.into(),
    })?;
    let named = out.put(&part)?;
    let (events, trace) = (tables.meta.events, named.as_path());
    let lacks = tables.meta.approximate.unwrap_or_default();
    eprintln!("heapsmith: {events} events in {}, approximate, {lacks}", trace.display());
    eprintln!("next: heapsmith info {}", quote(&[trace.into()]));
    Ok(0)
}
