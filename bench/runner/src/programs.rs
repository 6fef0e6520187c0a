//! Suites whose programs measure themselves: one with all contenders, or one for each.

use anyhow::Result;
use heapsmith_measure::others::Watch;
use heapsmith_measure::progress::{Progress, counted};
use heapsmith_measure::results::Results;
use heapsmith_measure::row::Row;

use crate::bench::Bench;
use crate::manifest::{Case, Contender};
use crate::noise;
use crate::offer::{Offer, shared};
use crate::rounds::{Player, Rounds, Task};

/// Rows, and the rows that only one build has.
#[derive(Default)]
pub struct Measured {
    pub rows: Vec<Row>,
    pub alone: Vec<String>,
}

/// Ends early when interrupted.
pub fn measure(bench: &Bench, results: &mut Results) -> Result<Measured> {
    let offers =
        bench.sides.iter().map(|side| Offer::of(bench, side)).collect::<Result<Vec<_>>>()?;
    let chosen = bench.chosen()?;
    let (cases, alone) = shared(bench, &offers, &chosen)?;
    let rounds = Rounds::new(bench);
    let mut players = Vec::new();
    for contender in chosen {
        if cases.iter().any(|case| case.contenders.contains(&contender.name)) {
            players.extend(identify(bench, &rounds, &offers, contender, results)?);
        }
    }
    let taking_part = |case: &Case| -> Vec<&Player> {
        let labels: Vec<String> = case
            .contenders
            .iter()
            .flat_map(|name| bench.sides.iter().map(|side| side.label(name)))
            .collect();
        players.iter().filter(|player| labels.iter().any(|label| label == player.name())).collect()
    };
    let runs = cases.iter().map(|case| taking_part(case).len() * rounds_of(bench, case)).sum();
    let progress = Progress::new(runs);
    progress.note(&format!("{}, {} rounds", counted(cases.len(), "case"), bench.rounds()));
    let mut rows: Vec<Row> = Vec::new();
    for case in &cases {
        if bench.interrupt.asked() {
            break;
        }
        let task = task(bench, case);
        let watch = Watch::begin();
        let measured = rounds.measure(&task, &taking_part(case), &progress, results)?;
        let taken = watch.end();
        for mut row in measured {
            noise::record(&mut row, taken);
            merge(&mut rows, row);
        }
    }
    progress.finish();
    Ok(Measured { rows, alone })
}

/// A contender in each build. The run that identifies it is the shortest of its first case.
fn identify(
    bench: &Bench,
    rounds: &Rounds,
    offers: &[Offer],
    contender: &Contender,
    results: &mut Results,
) -> Result<Vec<Player>> {
    let mut players = Vec::new();
    for offer in offers {
        let Some(case) = offer.first_of(&contender.name) else {
            continue;
        };
        let (called, call) = offer.call(bench, contender)?;
        let label = offer.side.label(&contender.name);
        let mut task = task(bench, case);
        task.arguments.push("--short".to_string());
        players.extend(rounds.identify([&label, &called], call, &task, results)?);
    }
    Ok(players)
}

fn rounds_of(bench: &Bench, case: &Case) -> usize {
    if case.exact { 1 } else { bench.rounds() }
}

fn task(bench: &Bench, case: &Case) -> Task {
    let threads = case.threads.map(|count| ["--threads".to_string(), count.to_string()]);
    let quick = bench.args.quick.then(|| "--quick".to_string());
    let words = std::iter::once(case.workload.clone()).chain(threads.into_iter().flatten());
    Task {
        suite: bench.manifest.name.clone(),
        workload: case.workload.clone(),
        params: case.params.clone(),
        arguments: words.chain(case.arguments.iter().cloned()).chain(quick).collect(),
        rounds: rounds_of(bench, case),
        agrees: case.check,
    }
}

/// Adds a row, or its values to the row of the same workload and parameters.
fn merge(rows: &mut Vec<Row>, row: Row) {
    let same = |known: &&mut Row| known.workload == row.workload && known.params == row.params;
    match rows.iter_mut().find(same) {
        None => rows.push(row),
        Some(known) => {
            for series in row.series {
                known.add(series);
            }
        }
    }
}
