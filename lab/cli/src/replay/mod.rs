//! `heapsmith replay`: a trace, under every allocator.

pub mod inside;
pub mod one_run;
pub mod other_processes;
pub mod output;
pub mod peak;
pub mod rounds;
pub mod table;

use std::time::Duration;

use anyhow::Result;
use heapsmith_measure::contender::{AS_BUILT, GLIBC, Installed, Pinned, choose};
use heapsmith_measure::error::{INTERRUPTED, OK, usage};
use heapsmith_measure::files::Files;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::outfile::refuse_inputs;
use heapsmith_measure::place::{self, Lab};
use heapsmith_measure::record;
use heapsmith_measure::results::Results;
use heapsmith_measure::screen::Screen;

use crate::args::replay::ReplayArgs;
use rounds::{REST, Replay, Stage};

pub fn run(args: &ReplayArgs) -> Result<u8> {
    refuse_inputs(&[args.json.as_deref()], &[&args.trace])?;
    let lab = Lab::find()?;
    let pinned = Pinned::load()?;
    let beside = place::beside(args.chosen.heapsmith.as_deref())?;
    let (mut chosen, absent) = choose(&pinned, &args.chosen.alloc, GLIBC, &beside)?;
    // The replayer as built has glibc's malloc.
    chosen.retain(|installed| installed.name() != AS_BUILT);
    let files = Files::prepare(args.json.as_ref(), None)?;
    let interrupt = Interrupt::listen()?;
    for line in absent {
        eprintln!("heapsmith: left out: {line}");
    }
    let names: Vec<&str> = chosen.iter().map(Installed::name).collect();
    if names.len() < 2 {
        return Err(usage(format!("only {} to compare: name more with --alloc", names.join(", "))));
    }
    let stage = Stage::new(&lab, &interrupt, &args.trace, args.order.of_plan())?;
    eprintln!("heapsmith: {}, under {}", stage.describe(), names.join(", "));
    let how = Replay {
        touch: args.touch,
        repeat: args.repeat,
        rounds: args.rounds,
        budget: Duration::ZERO,
        rest: REST,
        looks_at_latency: true,
    };
    let played = stage.play(&chosen, &how)?;
    if played.row.series.is_empty() {
        eprintln!("heapsmith: interrupted before the first round was complete");
        return Ok(INTERRUPTED);
    }
    let mut results = Results::new(&["heapsmith"]);
    for series in &played.row.series {
        results.identify(&series.identity);
    }
    results.records.extend(record::samples(&played.row, &results.provenance));
    results.records.extend(record::ratios(&played.row, GLIBC));
    results.failures.extend(played.failures.iter().cloned());
    results.curves = played.curves();
    let screen = Screen::beside(&files);
    let mut out = Vec::new();
    table::print(&mut out, &screen, &stage, &played)?;
    let written = results.write(files);
    screen.print(&out)?;
    written?;
    Ok(if interrupt.asked() { INTERRUPTED } else { OK })
}
