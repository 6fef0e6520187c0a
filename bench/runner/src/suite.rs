//! `heapsmith bench`: the one runner of the lab's own suites.

mod callgrind;
mod family;
mod heap;
mod inlined;
mod instructions;
mod manifest;
mod printed;
mod programs;
mod region;
mod standing;
mod summary;
mod tables;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;

use crate::args::{BenchArgs, Suite};
use crate::contender::{AS_BUILT, Installed, Pinned, choose};
use crate::error::{INTERRUPTED, OK, REGRESSION};
use crate::place::{self, Lab};
use crate::results::{Files, Results};

/// What the suites of preloaded allocators start from.
struct Setting<'a> {
    args: &'a BenchArgs,
    lab: Lab,
    chosen: Vec<Installed>,
    files: Files,
}

pub fn run(args: &BenchArgs) -> Result<u8> {
    match args.suite {
        Suite::Heap => heap::run(set(args)?),
        Suite::Instructions => instructions::run(set(args)?),
        Suite::Region => region::run(args),
        Suite::Arena => family::run(args, &family::ARENA),
        Suite::Scope => family::run(args, &family::SCOPE),
        Suite::PoolResource => family::run(args, &family::POOL_RESOURCE),
        Suite::Allocator => family::run(args, &family::ALLOCATOR),
        Suite::Pools => family::run(args, &family::POOLS),
        Suite::Containers => family::run(args, &family::CONTAINERS),
        Suite::Rust => family::run(args, &family::RUST),
    }
}

fn set(args: &BenchArgs) -> Result<Setting<'_>> {
    let lab = Lab::find()?;
    let pinned = Pinned::load()?;
    let beside = place::beside(args.chosen.heapsmith.as_deref())?;
    // The lab's programs link libc alone: as built and glibc would be the same row twice.
    let usual: Vec<_> = pinned.names().into_iter().filter(|name| *name != AS_BUILT).collect();
    let (chosen, absent) = choose(&pinned, &args.chosen.alloc, &usual, &beside)?;
    for line in absent {
        eprintln!("left out: {line}");
    }
    let files = Files::prepare(args.json.as_ref(), args.report.as_ref())?;
    Ok(Setting { args, lab, chosen, files })
}

/// Names the failures, the page and the next command, and says how it went.
fn conclude(results: &Results, page: Option<PathBuf>, interrupted: bool, next: &str) -> Result<u8> {
    let mut out = io::stdout().lock();
    for failed in &results.failures {
        writeln!(out, "failed: {}, {}", failed.label(), failed.failure.line())?;
    }
    if let Some(page) = page {
        writeln!(out, "page: {}", page.canonicalize().unwrap_or(page).display())?;
    }
    writeln!(out, "next: {next}")?;
    Ok(match (interrupted, results.failures.is_empty()) {
        (true, _) => INTERRUPTED,
        (false, true) => OK,
        (false, false) => REGRESSION,
    })
}
