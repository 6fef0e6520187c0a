//! `heapsmith doctor`: the allocators found, disturbances of a measurement, how to mend them.

use std::io::{self, Write};

use anyhow::Result;

use crate::args::DoctorArgs;
use crate::disturb;
use heapsmith_measure::contender::{Contender, Pinned};
use heapsmith_measure::error::{ENVIRONMENT, OK};
use heapsmith_measure::machine::Machine;
use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::prove::{Identity, identify};
use heapsmith_measure::table::new_table;

pub fn run(args: &DoctorArgs) -> Result<u8> {
    let pinned = Pinned::load()?;
    let beside = place::beside(args.heapsmith.as_deref())?;
    let lab = Lab::find();
    let mut out = io::stdout().lock();
    describe_machine(&mut out)?;

    let mut table = new_table();
    table.set_header(["allocator", "library", "state"]);
    for contender in &pinned.contenders {
        let [version, library, state] = match &lab {
            Ok(lab) => examine(lab, &pinned, contender, &beside)?,
            Err(_) => [String::new(), String::new(), "cannot be checked".to_string()],
        };
        let name = format!("{}\n{version}", contender.name);
        table.add_row([name, format!("{}\n{library}", contender.about), state]);
    }
    writeln!(out, "{table}")?;
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

/// Version, library and state of one contender, learnt by loading it.
fn examine(
    lab: &Lab,
    pinned: &Pinned,
    contender: &Contender,
    beside: &[std::path::PathBuf],
) -> Result<[String; 3]> {
    let installed = match pinned.install(contender, beside) {
        Ok(installed) => installed,
        Err(error) => return Ok([String::new(), String::new(), error.to_string()]),
    };
    Ok(match identify(lab, &installed)? {
        Ok(Identity { version, library, .. }) => {
            let state = state(contender, &version);
            [version, library.display().to_string(), state]
        }
        Err(failure) => [String::new(), String::new(), failure.line()],
    })
}

fn state(contender: &Contender, version: &str) -> String {
    match &contender.pinned {
        Some(pinned) if pinned != version => format!("loads, but {pinned} is the pinned version"),
        _ => "loads".to_string(),
    }
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
