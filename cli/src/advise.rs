//! `heapsmith advise`: what to change in a program, after a replay has shown that it pays.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use heapsmith_measure::contender::{AS_BUILT, GLIBC, Pinned, choose};
use heapsmith_measure::error::{INTERRUPTED, OK, environment};
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::outfile::{OutFile, refuse_inputs};
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::round;
use heapsmith_measure::screen::Screen;

use crate::advise_search::{Search, search};
use crate::advise_text;
use crate::advise_trials::Trials;
use crate::args::Chosen;

const EXAMPLES: &str = "\
Examples:
  heapsmith advise app.trace                     what to change, and what that gains
  heapsmith advise app.trace --alloc heapsmith   compares with one other malloc only
  heapsmith advise app.trace --json -            the same for programs";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct AdviseArgs {
    /// A trace that `heapsmith record` wrote
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    /// The malloc that the program has now
    #[arg(long, value_name = "NAME", default_value = GLIBC)]
    pub malloc: String,

    #[command(flatten)]
    pub chosen: Chosen,

    /// Measure what pays in this many interleaved rounds, or as many as intervals need (default: 11,
    /// and more while the intervals are wide)
    #[arg(long, value_name = "N", value_parser = round::parse_count)]
    pub rounds: Option<usize>,

    /// Try at most this many changes, those that could save most
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub most: usize,

    /// Write the advice as one JSON object; `-` is stdout
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

pub fn run(args: &AdviseArgs) -> Result<u8> {
    refuse_inputs(&[args.json.as_deref()], &[&args.trace])?;
    let lab = Lab::find()?;
    let pinned = Pinned::load()?;
    let beside = place::beside(args.chosen.heapsmith.as_deref())?;
    let (mut mallocs, absent) = choose(&pinned, &args.chosen.alloc, &args.malloc, &beside)?;
    // The replayer as built has glibc's malloc.
    mallocs.retain(|installed| installed.name() != AS_BUILT);
    let at = mallocs.iter().position(|it| it.name() == args.malloc);
    let own = at.map(|at| mallocs.remove(at)).ok_or_else(|| {
        environment(format!("{} is not installed; `heapsmith peers` lists allocators", args.malloc))
    })?;
    let file = args.json.as_deref().map(OutFile::prepare).transpose()?;
    let interrupt = Interrupt::listen()?;
    for line in absent.iter().filter(|_| !args.chosen.alloc.is_empty()) {
        eprintln!("heapsmith: left out: {line}");
    }
    let trials = Trials::new(&lab, &interrupt, &args.trace)?;
    let how = Search {
        lab: &lab,
        trace: &args.trace,
        own: &own,
        others: &mallocs,
        rounds: args.rounds,
        most: args.most,
        program_s: None,
    };
    let Some(advice) = search(&how, trials)? else {
        eprintln!("heapsmith: interrupted before there was an advice");
        return Ok(INTERRUPTED);
    };
    let is_stdout = file.as_ref().is_some_and(OutFile::is_stdout);
    let screen = if is_stdout { Screen::stderr() } else { Screen::stdout() };
    let json = format!("{}\n", serde_json::to_string(&advice)?);
    let written = file.map(|file| file.write(json)).transpose();
    let mut out = Vec::new();
    advise_text::print(&mut out, &advice)?;
    screen.print(&out)?;
    written?;
    Ok(if interrupt.asked() { INTERRUPTED } else { OK })
}
