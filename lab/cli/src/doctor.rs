//! `heapsmith doctor`: the allocators found, heapsmith's settings, disturbances of a measurement, how
//! to mend them.

use std::io::Write;

use anyhow::Result;

use crate::args::common::own_name;
use crate::args::doctor::DoctorArgs;
use crate::machine::disturbances;
use crate::machine::inventory;
use crate::machine::settings;
use crate::peers;
use heapsmith_measure::contender::Pinned;
use heapsmith_measure::error::{ENVIRONMENT, OK};
use heapsmith_measure::machine::Machine;
use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::program::quote;
use heapsmith_measure::screen::Screen;

pub fn run(args: &DoctorArgs) -> Result<u8> {
    let pinned = Pinned::load()?;
    let beside = place::beside(args.heapsmith.as_deref())?;
    let lab = Lab::find();
    let mut out = Vec::new();
    describe_machine(&mut out)?;

    match &lab {
        Ok(lab) => {
            let all = inventory::look(lab, &pinned, &beside)?;
            writeln!(out, "{}", inventory::table(&all))?;
            let ours = all.iter().find(|found| found.name == "heapsmith");
            if let Some(library) = ours.and_then(|found| found.library.as_deref()) {
                settings::describe(&mut out, library)?;
            }
        }
        Err(_) => writeln!(out, "the allocators cannot be checked")?,
    }
    describe_needs(&mut out, &pinned)?;
    describe_disturbances(&mut out)?;
    let Err(error) = lab else {
        writeln!(out, "next: {} try -- PROGRAM ARGS…", quote(&[own_name()]))?;
        Screen::stdout().print(&out)?;
        return Ok(OK);
    };
    writeln!(out, "next: install heapsmith again   ({error})")?;
    Screen::stdout().print(&out)?;
    Ok(ENVIRONMENT)
}

fn describe_machine(out: &mut dyn Write) -> Result<()> {
    let Machine { cpu, cpus, memory_bytes, kernel, os, libc, .. } = Machine::look();
    let memory = show_bytes(memory_bytes as f64);
    writeln!(out, "{cpu}, {cpus} CPUs, {memory}; {os}, Linux {kernel}, {libc}")?;
    Ok(())
}

/// Which verbs need more than the installed command.
fn describe_needs(out: &mut dyn Write, pinned: &Pinned) -> Result<()> {
    let missing = peers::require_tools(pinned.buildable().map(|(_, source)| source)).err();
    let state = missing.map_or("all are here".to_string(), |error| error.to_string());
    writeln!(out, "heapsmith peers install needs cargo, cc, c++ and make: {state}")?;
    writeln!(out, "heapsmith's source tree is needed for the benchmark suites only: ./dev bench")?;
    Ok(())
}

fn describe_disturbances(out: &mut dyn Write) -> Result<()> {
    let disturbances = disturbances::look();
    writeln!(out, "{}", disturbances::idleness(&disturbances))?;
    if disturbances.is_empty() {
        writeln!(out, "nothing found that would disturb a measurement")?;
    } else {
        writeln!(out, "would disturb a measurement:")?;
    }
    for found in disturbances {
        writeln!(out, "  - {}\n    fix: {}", found.what, found.mend)?;
    }
    Ok(())
}
