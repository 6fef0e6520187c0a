//! Measures the rows of a suite, whichever way its programs are called.

use anyhow::Result;
use heapsmith_measure::results::Results;

use crate::bench::Bench;
use crate::manifest::Kind;
use crate::programs::Measured;
use crate::{counted, offer, processes, programs};

/// All rows that are wanted, timed and counted. Ends early when interrupted.
pub fn measure(bench: &Bench, results: &mut Results) -> Result<Measured> {
    let mut measured = match bench.manifest.kind {
        Kind::Processes => {
            Measured { rows: processes::measure(bench, results)?, alone: Vec::new() }
        }
        Kind::Program | Kind::Programs => programs::measure(bench, results)?,
        Kind::Callgrind => {
            offer::require_workloads(bench, &[])?;
            Measured::default()
        }
    };
    measured.rows.extend(counted::measure(bench, results)?);
    Ok(measured)
}
