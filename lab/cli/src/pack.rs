//! `heapsmith pack`: makes a trace of a recording that was interrupted.

use anyhow::Result;
use heapsmith_measure::error::usage;
use heapsmith_trace::pack::Times;

use crate::args::pack::PackArgs;
use crate::recording::packing::{end_without_halves, pack_all, prepare};
use crate::recording::raw_folder;
use crate::recording::writing::Writing;

/// Packs a folder that the recorder wrote into.
pub fn run(args: &PackArgs) -> Result<u8> {
    raw_folder::require_no_file(&args.folder)?;
    let trace = match &args.output {
        Some(named) => named.clone(),
        None if args.folder.extension().is_some_and(|end| end == "raw") => {
            args.folder.with_extension("")
        }
        None => return Err(usage("name the trace to write: -o FILE")),
    };
    end_without_halves();
    let out = prepare(&trace, args.force)?;
    let (may_replace, anonymously) = (args.force, args.anonymize);
    let times = Times::default();
    let writing = Writing { may_replace, anonymously, quietly: false, times, command: None };
    pack_all(&args.folder, out, writing, None)?;
    Ok(0)
}
