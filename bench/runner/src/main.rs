//! The runner of the benchmark suites: `./dev bench`. A suite.toml describes each suite.

mod args;
mod bench;
mod catalogue;
mod comparison;
mod counted;
mod list;
mod manifest;
mod measure;
mod noise;
mod offer;
mod printed;
mod processes;
mod programs;
mod reported;
mod resting;
mod resume;
mod rounds;
mod suite;
mod tables;
mod verdict;

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use heapsmith_measure::error;

use args::Args;
use catalogue::Catalogue;
use manifest::Manifest;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => ExitCode::from(code),
        // The lists end here. Runs have an exit code of their own and go on to the end.
        Err(error) if error::is_broken_pipe(&error) => ExitCode::from(error::OK),
        Err(error) => {
            eprintln!("./dev bench: {error:#}");
            ExitCode::from(error::exit_code(&error))
        }
    }
}

fn run(args: &Args) -> Result<u8> {
    let catalogue = Catalogue::find()?;
    let mut out = io::stdout().lock();
    let Some(name) = &args.suite else {
        if !args.print_targets {
            list(&mut out, &catalogue)?;
        }
        return Ok(error::OK);
    };
    let suite = catalogue.named(name)?;
    if args.print_targets {
        for target in &suite.build {
            writeln!(out, "{target}")?;
        }
        return Ok(error::OK);
    }
    if args.list {
        list_contenders(&mut out, suite)?;
        return Ok(error::OK);
    }
    drop(out);
    suite::run(args, suite)
}

fn list(out: &mut dyn Write, catalogue: &Catalogue) -> Result<()> {
    for suite in catalogue.suites() {
        writeln!(out, "{:<14} {}", suite.name, suite.about)?;
    }
    writeln!(
        out,
        "{:<14} Draws patterns in which a peer is far better (no suite: a search)",
        "cliffs"
    )?;
    writeln!(out, "\nnext: ./dev bench heap --quick   (--help has all options)")?;
    Ok(())
}

fn list_contenders(out: &mut dyn Write, suite: &Manifest) -> Result<()> {
    for one in &suite.contenders {
        let role = one.role.map_or(String::new(), |role| format!("{role:?}").to_lowercase());
        let about = one.about.as_deref().unwrap_or_default();
        let line = format!("{:<22} {role:<6} {about}", one.name);
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
