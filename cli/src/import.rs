//! `heapsmith import`: traces of other tools.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use heapsmith_measure::program::quote;
use heapsmith_trace::import::import;

use crate::record::require_absent;

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

    /// The trace to write (default: FILE with the ending .trace)
    #[arg(short, long, value_name = "TRACE")]
    pub output: Option<PathBuf>,

    /// Replace an existing trace
    #[arg(short, long)]
    pub force: bool,
}

pub fn run(args: &ImportArgs) -> Result<u8> {
    let trace = args.output.clone().unwrap_or_else(|| args.file.with_extension("trace"));
    require_absent(&trace, args.force)?;
    // Under another name first: a file that is wrong leaves the old trace.
    let mut part = trace.clone().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    std::fs::remove_file(&part).ok();
    let tables = import(&args.file, &part)?;
    std::fs::rename(&part, &trace)?;
    let (events, named) = (tables.meta.events, trace.display());
    let lacks = tables.meta.approximate.unwrap_or_default();
    eprintln!("heapsmith: {events} events in {named}, approximate, {lacks}");
    eprintln!("next: heapsmith info {}", quote(&[trace.into()]));
    Ok(0)
}
