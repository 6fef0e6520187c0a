//! The search for cliffs: `./dev bench cliffs`. A cliff is a pattern in which the heap needs far
//! more time, instructions or memory than a peer.

mod args;
mod confirm;
mod contenders;
mod draw;
mod fit;
mod pattern;
mod printed;
mod random;
mod runs;
mod sample;
mod search;
mod shrink;
mod state;

use std::io;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use clap::Parser;
use heapsmith_measure::error::{self, environment, usage};
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::program::Program;

use args::Args;
use contenders::Contenders;
use runs::Runs;
use search::Search;
use state::State;

/// A run that takes longer is ended, and counts as failed.
const TIMEOUT_S: u64 = 15;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("./dev bench cliffs: {error:#}");
            ExitCode::from(error::exit_code(&error))
        }
    }
}

fn run(args: &Args) -> Result<u8> {
    let lab = Lab::find()?;
    let program = lab.build().join("lab/pattern");
    if !program.is_file() {
        let program = program.display();
        return Err(environment(format!(
            "no {program}: run ./dev bench cliffs in the source tree"
        )));
    }
    let counts = !args.uncounted && Program::find(&["valgrind".into()]).is_ok();
    if !counts && !args.uncounted {
        eprintln!("left out: instructions: apt install valgrind");
    }
    let interrupt = Interrupt::listen()?;
    let runs = Runs { program, idle_ms: args.idle_ms, timeout_s: TIMEOUT_S, counts, interrupt };
    let beside = place::beside(args.heapsmith.as_deref())?;
    let contenders = Contenders::find(&lab, &runs, [&args.own, &args.against], &beside)?;
    let state = state(args, &contenders)?;
    let mut search = Search { args, runs: &runs, contenders: &contenders, state };
    search.run()?;
    let found =
        search.state.findings().count() > 0 || search.state.fails_alone(contenders.own.name());
    error::allow_closed_pipe(printed::print(&mut io::stdout().lock(), args, &search.state))?;
    Ok(match (runs.interrupt.asked(), found) {
        (true, _) => error::INTERRUPTED,
        (false, true) => error::REGRESSION,
        (false, false) => error::OK,
    })
}

/// A new search, or that of the state file.
fn state(args: &Args, contenders: &Contenders) -> Result<State> {
    let described = contenders.described.clone();
    if args.resume {
        let state = State::read(&args.state)?;
        if state.contenders != described {
            return Err(usage(format!(
                "{} is a search among {}, not {}",
                args.state.display(),
                state.contenders.join(", "),
                described.join(", ")
            )));
        }
        return Ok(state);
    }
    let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs());
    let seed = args.seed.unwrap_or_else(clock);
    Ok(State { seed, contenders: described, ..State::default() })
}
