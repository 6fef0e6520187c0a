//! `./dev bench advice`: demonstration programs, in which an advice is right or wrong, are recorded and
//! advised; what was promised is compared with what the advice brings where it is followed.

mod demonstrations;
mod measured;
mod programs;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use heapsmith_measure::error::{self, environment, usage};
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::launch::{Launcher, Output};
use heapsmith_measure::place::Lab;
use heapsmith_measure::stats::Estimate;

use demonstrations::{DEMONSTRATIONS, Demonstration};
use measured::Bench;
use programs::PROGRAMS;

/// Compare what advice promises with what it brings
#[derive(Debug, Parser)]
#[command(name = "./dev bench advice", bin_name = "./dev bench advice", version)]
struct Args {
    /// Interleaved rounds of each real program
    #[arg(long, value_name = "N", default_value_t = 11,
          value_parser = heapsmith_measure::round::parse_count)]
    rounds: usize,

    /// Only these demonstrations
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,

    /// The sizes of the programs
    #[arg(long, value_name = "F,…", value_delimiter = ',', default_value = "0.3,0.6,1,2")]
    scales: Vec<f64>,

    /// Three real programs instead, with the advice as a patch
    #[arg(long, conflicts_with_all = ["only", "scales"])]
    programs: bool,
}

/// So many promises may miss what was measured, of all.
const MISSES: usize = 2;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("./dev bench advice: {error:#}");
            ExitCode::from(error::exit_code(&error))
        }
    }
}

fn shown(it: &Estimate) -> String {
    format!("{:+.1} % [{:+.1}, {:+.1}]", it.median * 100.0, it.low * 100.0, it.high * 100.0)
}

/// Whether two intervals have a number in common.
fn overlaps(promised: &Estimate, found: &Estimate) -> bool {
    promised.low <= found.high && found.low <= promised.high
}

fn yes_or_no(is_so: bool) -> &'static str {
    if is_so { "yes" } else { "no" }
}

/// The table of the real programs. A promise that is not kept is a finding, not a fault.
fn run_programs(bench: &Bench, interrupt: &Interrupt) -> Result<u8> {
    let folder = bench.build.join("../advised");
    println!("| program | advice | promised | measured | overlap |");
    println!("|---|---|---|---|---|");
    for real in &PROGRAMS {
        let pair = real.pair(&folder);
        let advice = bench.advise(&pair)?;
        if interrupt.asked() {
            return Ok(error::INTERRUPTED);
        }
        let Some((malloc, promised)) = real.promised(&advice) else {
            println!("| {} | not given | – | – | – |", real.name);
            continue;
        };
        let said = malloc.map_or("arena", |it| it["name"].as_str().unwrap_or("?"));
        let Some(found) = bench.measure(&pair, malloc)? else {
            return Ok(error::INTERRUPTED);
        };
        let overlap = yes_or_no(overlaps(&promised, &found));
        let (promised, found) = (shown(&promised), shown(&found));
        println!("| {} | {said} | {promised} | {found} | {overlap} |", real.name);
    }
    Ok(0)
}

fn run(args: &Args) -> Result<u8> {
    let lab = Lab::find()?;
    if !lab.replayer().is_file() {
        return Err(environment("no replayer: run ./dev bench advice"));
    }
    let is_chosen =
        |it: &&Demonstration| args.only.is_empty() || args.only.iter().any(|name| name == it.name);
    let chosen: Vec<&Demonstration> = DEMONSTRATIONS.iter().filter(is_chosen).collect();
    if let Some(name) = args.only.iter().find(|name| chosen.iter().all(|it| it.name != **name)) {
        let known: Vec<&str> = DEMONSTRATIONS.iter().map(|it| it.name).collect();
        return Err(usage(format!("no demonstration '{name}'; there are {}", known.join(", "))));
    }
    let interrupt = Interrupt::listen()?;
    let launcher = Launcher {
        lab: &lab,
        interrupt: &interrupt,
        input: None,
        output: Output::Capture,
        timeout: None,
        service: None,
    };
    let bench = Bench::new(&lab, launcher, args.rounds)?;
    if args.programs {
        return run_programs(&bench, &interrupt);
    }
    let (mut cases, mut misses, mut wrong) = (0, 0, 0);
    println!("| demonstration | scale | given | promised | measured | overlap |");
    println!("|---|---|---|---|---|---|");
    for demonstration in chosen {
        for &scale in &args.scales {
            let pair = demonstration.pair(&bench.build, scale);
            let advice = bench.advise(&pair)?;
            if interrupt.asked() {
                return Ok(error::INTERRUPTED);
            }
            let name = demonstration.name;
            let (given, fault) = demonstration.judge(&advice);
            wrong += usize::from(fault);
            let mark = if fault { "**wrong**" } else { "right" };
            let Some(promised) = demonstration.promised(&advice) else {
                println!("| {name} | {scale} | {given}: {mark} | – | – | – |");
                continue;
            };
            let Some(found) = bench.measure(&pair, demonstration.malloc(&advice))? else {
                return Ok(error::INTERRUPTED);
            };
            let is_kept = overlaps(&promised, &found);
            cases += 1;
            misses += usize::from(!is_kept);
            let overlap = yes_or_no(is_kept);
            let (promised, found) = (shown(&promised), shown(&found));
            println!("| {name} | {scale} | {given}: {mark} | {promised} | {found} | {overlap} |");
        }
    }
    println!();
    let verdict = |is_met: bool| if is_met { "met" } else { "missed" };
    println!(
        "- {}: every right advice is given, none of the wrong ones: {wrong} faults",
        verdict(wrong == 0)
    );
    println!(
        "- {}: the interval of the promise and that of the real gain overlap: {} of {cases} (all but {MISSES})",
        verdict(misses <= MISSES),
        cases - misses
    );
    Ok(u8::from(wrong > 0 || misses > MISSES))
}
