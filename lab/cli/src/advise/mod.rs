//! `heapsmith advise`: what to change in a program, after a replay has shown that it pays.

pub mod code;
pub mod gain;
pub mod piece;
pub mod search;
pub mod text;
pub mod trials;

use anyhow::Result;
use heapsmith_measure::contender::{AS_BUILT, Pinned, choose};
use heapsmith_measure::error::{INTERRUPTED, OK, environment};
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::outfile::{OutFile, refuse_inputs};
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::screen::Screen;

use crate::args::advise::AdviseArgs;
use search::{Search, search};
use trials::Trials;

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
    text::print(&mut out, &advice)?;
    screen.print(&out)?;
    written?;
    Ok(if interrupt.asked() { INTERRUPTED } else { OK })
}
