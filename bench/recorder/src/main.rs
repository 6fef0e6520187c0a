//! `./dev bench recorder`: the costs of recording and replaying, and whether they meet their targets.

mod killed;
mod programs;
mod replayed;
mod target;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use heapsmith_measure::error::{self, environment, usage};
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Launcher, Output};
use heapsmith_measure::place::Lab;

use programs::{PROGRAMS, Recorded};
use target::Target;

/// Measure the recorder and the replayer
#[derive(Debug, Parser)]
#[command(name = "./dev bench recorder", bin_name = "./dev bench recorder", version)]
struct Args {
    /// Interleaved rounds of each program
    #[arg(long, value_name = "N", default_value_t = 7,
          value_parser = heapsmith_measure::round::parse_count)]
    rounds: usize,

    /// Only these programs
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    program: Vec<String>,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("./dev bench recorder: {error:#}");
            ExitCode::from(error::exit_code(&error))
        }
    }
}

fn run(args: &Args) -> Result<u8> {
    let lab = Lab::find()?;
    for part in [lab.recorder(), lab.replayer()] {
        if !part.is_file() {
            let part = part.display();
            return Err(environment(format!("no {part}: run ./dev bench recorder")));
        }
    }
    let unknown = args.program.iter().find(|name| PROGRAMS.iter().all(|it| it.name != **name));
    if let Some(name) = unknown {
        let known: Vec<&str> = PROGRAMS.iter().map(|it| it.name).collect();
        return Err(usage(format!("no program '{name}'; there are {}", known.join(", "))));
    }
    let interrupt = Interrupt::listen()?;
    let output = Output::Capture;
    let launcher = Launcher {
        lab: &lab,
        interrupt: &interrupt,
        input: None,
        output,
        timeout: None,
        service: None,
    };
    let mut targets = Vec::new();
    let mut all: Vec<Recorded> = Vec::new();
    println!("{}", programs::HEAD);
    for program in PROGRAMS.iter() {
        if !args.program.is_empty() && !args.program.iter().any(|name| name == program.name) {
            continue;
        }
        let recorded = programs::measure(&launcher, program, args.rounds)?;
        println!("{}", recorded.line());
        targets.extend(recorded.targets(program));
        all.push(recorded);
    }
    println!();
    targets.push(killed::kib_a_thread(&launcher)?);
    targets.push(killed::ten_are_readable(&launcher)?);
    if let Some(largest) = all.iter().max_by_key(|it| it.events) {
        targets.extend(replayed::measure(&launcher, &largest.trace)?);
    }
    for Target { is_met, line } in &targets {
        println!("{}: {line}", if *is_met { "met" } else { "missed" });
    }
    println!("next: heapsmith record -- PROGRAM");
    Ok(u8::from(!targets.iter().all(|target| target.is_met)))
}
