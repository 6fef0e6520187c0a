//! `heapsmith import`: traces of other tools.

use anyhow::Result;
use heapsmith_measure::error::environment;
use heapsmith_measure::program::quote;
use heapsmith_trace::error::Error;
use heapsmith_trace::import::import;

use crate::args::import::ImportArgs;
use crate::recording::packing::prepare;

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
