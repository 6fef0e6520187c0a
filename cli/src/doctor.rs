//! `heapsmith doctor`: the allocators found, heapsmith's settings, disturbances of a measurement, how to mend them.

use std::io::{self, Write};

use anyhow::Result;

use crate::args::DoctorArgs;
use crate::disturb;
use crate::inventory::{self, Found, at_home};
use crate::settings;
use heapsmith_measure::contender::Pinned;
use heapsmith_measure::error::{ENVIRONMENT, OK};
use heapsmith_measure::machine::Machine;
use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::table::new_table;

pub fn run(args: &DoctorArgs) -> Result<u8> {
    let pinned = Pinned::load()?;
    let beside = place::beside(args.heapsmith.as_deref())?;
    let lab = Lab::find();
    let mut out = io::stdout().lock();
    describe_machine(&mut out)?;

    match &lab {
        Ok(lab) => {
            let all = inventory::look(lab, &pinned, &beside)?;
            list(&mut out, &all)?;
            let ours = all.iter().find(|found| found.name == "heapsmith");
            if let Some(library) = ours.and_then(|found| found.library.as_deref()) {
                settings::describe(&mut out, library)?;
            }
        }
        Err(_) => writeln!(out, "the allocators cannot be checked")?,
    }
    describe_verbs(&mut out)?;
    describe_disturbances(&mut out)?;
    let Err(error) = lab else {
        writeln!(out, "next: heapsmith try -- PROGRAM ARGS…")?;
        return Ok(OK);
    };
    writeln!(out, "next: ./dev build   ({error})")?;
    Ok(ENVIRONMENT)
}

fn describe_machine(out: &mut dyn Write) -> Result<()> {
    let Machine { cpu, cpus, memory_bytes, kernel, os, libc, .. } = Machine::look();
    let memory = show_bytes(memory_bytes as f64);
    writeln!(out, "{cpu}, {cpus} CPUs, {memory}; {os}, Linux {kernel}, {libc}")?;
    Ok(())
}

fn list(out: &mut dyn Write, all: &[Found]) -> Result<()> {
    let mut table = new_table();
    table.set_header(["allocator", "library", "state"]);
    for Found { name, version, about, library, state, .. } in all {
        let version = version.as_deref().unwrap_or_default();
        let library = library.as_deref().map(at_home).unwrap_or_default();
        table.add_row([format!("{name}\n{version}"), format!("{about}\n{library}"), state.clone()]);
    }
    writeln!(out, "{table}")?;
    Ok(())
}

fn describe_verbs(out: &mut dyn Write) -> Result<()> {
    writeln!(out, "heapsmith peers install needs cargo, a C and a C++ compiler, and make")?;
    writeln!(out, "./dev bench and the other verbs of ./dev need heapsmith's source tree")?;
    Ok(())
}

fn describe_disturbances(out: &mut dyn Write) -> Result<()> {
    let disturbances = disturb::look();
    if disturbances.is_empty() {
        writeln!(out, "nothing found that would disturb a measurement")?;
    } else {
        writeln!(out, "would disturb a measurement:")?;
    }
    for found in disturbances {
        writeln!(out, "  - {}\n    mend: {}", found.what, found.mend)?;
    }
    Ok(())
}
