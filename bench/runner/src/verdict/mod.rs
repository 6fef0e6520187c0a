//! How the results stand against the targets of the suite: met or missed, a line each.

mod standing;
mod summary;
mod target;

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::row::Row;

use crate::manifest::Manifest;

pub fn print(out: &mut dyn Write, manifest: &Manifest, rows: &[Row]) -> Result<()> {
    let targets = manifest.targets.iter().flat_map(|target| target::judge(target, manifest, rows));
    let largest = manifest.largest.iter().filter_map(|largest| summary::largest(largest, rows));
    let dominated = manifest.dominated.iter();
    let dominated = dominated.flat_map(|dominated| summary::dominated(dominated, manifest, rows));
    for line in targets.chain(largest).chain(dominated) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The word for a target that was judged.
fn word(is_met: bool) -> &'static str {
    if is_met { "met" } else { "missed" }
}

#[cfg(test)]
mod tests;
