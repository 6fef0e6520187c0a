//! `heapsmith peers`: lists the allocators of this machine, and builds the newest ones.

mod build;
mod exercise;
mod fetch;
mod install;
mod steps;
mod tools;

use std::io::Write;

use anyhow::Result;

pub use tools::require as require_tools;

use crate::args::common::own_name;
use crate::args::peers::{PeersArgs, PeersCommand};
use crate::machine::inventory::{self, Found, at_home};
use heapsmith_measure::contender::Pinned;
use heapsmith_measure::error::OK;
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::program::quote;
use heapsmith_measure::screen::Screen;
use heapsmith_measure::stdout::to_stdout;
use heapsmith_measure::table::{Table, TableComponent, new_table};

pub fn run(args: &PeersArgs) -> Result<u8> {
    match &args.command {
        None => list(args),
        Some(PeersCommand::Install(wanted)) => install::run(wanted),
        Some(PeersCommand::Exercise) => exercise::run(),
    }
}

fn list(args: &PeersArgs) -> Result<u8> {
    let pinned = Pinned::load()?;
    let beside = place::beside(args.heapsmith.as_deref())?;
    let all = inventory::look(&Lab::find()?, &pinned, &beside)?;
    let mut out = Vec::new();
    if args.json {
        for found in &all {
            writeln!(out, "{}", serde_json::to_string(found)?)?;
        }
        to_stdout(&out)?;
        return Ok(OK);
    }
    let wide = wide(&all);
    let table = if Screen::stdout().fits(&wide) { wide } else { inventory::table(&all) };
    writeln!(out, "{table}")?;
    let command = quote(&[own_name()]);
    let missing = pinned.buildable().any(|(one, _)| pinned.install(one, &beside).is_err());
    if missing {
        writeln!(out, "next: {command} peers install   (builds those that are missing)")?;
    } else {
        writeln!(out, "next: {command} try --alloc jemalloc,mimalloc -- PROGRAM ARGS…")?;
    }
    Screen::stdout().print(&out)?;
    Ok(OK)
}

/// One line for each.
fn wide(all: &[Found]) -> Table {
    let mut table = new_table();
    for lines in [TableComponent::HorizontalLines, TableComponent::MiddleIntersections] {
        table.remove_style(lines);
    }
    table.set_header(["allocator", "version", "from", "library"]);
    for Found { name, version, from, library, state, .. } in all {
        let version = version.as_deref().unwrap_or("-");
        // The line below the table says how to get those that can be built.
        let absent = || state.split(": heapsmith peers").next().unwrap_or_default().to_string();
        let library = library.as_deref().map_or_else(absent, at_home);
        table.add_row([name, version, from, &library]);
    }
    table
}
