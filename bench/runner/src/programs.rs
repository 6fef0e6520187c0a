//! `heapsmith bench arena`, `scope`, `pool_resource`, `allocator`, `pools`, `containers` and `rust`:
//! families of resources, and what is built on them.
//!
//! A suite is one program (bench/SUITE.cpp, bench/rust) with all its contenders, which lists what it
//! can run. `new-heapsmith` is the same code as `new-glibc`, with heapsmith preloaded; so are
//! `std-heapsmith` of `std` and `box-heapsmith` of `box-glibc`.

mod crates;
mod list;
mod summary;
mod targets;
mod typed;

use std::time::Duration;

use anyhow::Result;
use serde_json::Map;

use self::list::{Listed, Run};
use self::targets::Target;
use super::instructions::require_valgrind;
use super::programs::{Call, Case, Player, Programs};
use super::{conclude, tables};
use crate::args::BenchArgs;
use crate::contender::{HEAPSMITH, Pinned};
use crate::error::environment;
use crate::interrupt::Interrupt;
use crate::metric::Metric;
use crate::place::{self, Lab};
use crate::progress::Progress;
use crate::record;
use crate::results::{Files, Results};
use crate::row::Row;

/// How the names of those end that run with heapsmith preloaded.
const PRELOADED: &str = "-heapsmith";
/// What ratios are to: a row has one of these, if any.
const BASELINES: [&str; 3] = ["new-glibc", "box-glibc", "glibc"];
/// No run comes near it; an allocator that hangs should not hang the suite.
const TIMEOUT: Duration = Duration::from_secs(300);
const QUICK_ROUNDS: usize = 6;

pub struct Family {
    suite: &'static str,
    rounds: usize,
    shown: &'static [Metric],
    targets: &'static [Target],
    /// The program beside the suite's whose instructions are counted, too.
    counted: Option<&'static str>,
    /// The suite worth running next.
    next: &'static str,
}

pub const ARENA: Family = Family {
    suite: "arena",
    rounds: 11,
    shown: &[Metric::Push, Metric::Wall, Metric::Alloc, Metric::Destroy],
    targets: targets::ARENA,
    counted: None,
    next: "scope",
};

/// Ten rounds of two million objects, as long as a suite may take.
pub const SCOPE: Family = Family {
    suite: "scope",
    rounds: 10,
    shown: &[Metric::Alloc, Metric::Iterate, Metric::Destroy],
    targets: targets::SCOPE,
    counted: None,
    next: "pool_resource",
};

pub const POOL_RESOURCE: Family = Family {
    suite: "pool_resource",
    rounds: 11,
    shown: &[Metric::Wall],
    targets: targets::POOL_RESOURCE,
    counted: None,
    next: "allocator",
};

pub const ALLOCATOR: Family = Family {
    suite: "allocator",
    rounds: 11,
    shown: &[Metric::Wall, Metric::Alloc, Metric::Destroy],
    targets: targets::ALLOCATOR,
    counted: None,
    next: "pools",
};

pub const POOLS: Family = Family {
    suite: "pools",
    rounds: 6,
    shown: &[Metric::Wall, Metric::BytesPerElement, Metric::Allocations],
    targets: typed::POOLS,
    counted: None,
    next: "containers",
};

pub const CONTAINERS: Family = Family {
    suite: "containers",
    rounds: 6,
    shown: &[Metric::Wall, Metric::BytesPerElement, Metric::Allocations],
    targets: typed::CONTAINERS,
    counted: None,
    next: "rust",
};

/// Ten rounds of two million objects, as in `scope`.
pub const RUST: Family = Family {
    suite: "rust",
    rounds: 10,
    shown: &[
        Metric::Alloc,
        Metric::Iterate,
        Metric::Drop,
        Metric::Wall,
        Metric::PeakRss,
        Metric::Instructions,
        Metric::Branches,
    ],
    targets: crates::RUST,
    counted: Some("rust-inlined"),
    next: "heap",
};

pub fn run(args: &BenchArgs, family: &'static Family) -> Result<u8> {
    let lab = Lab::find()?;
    let program = lab.bench_program(family.suite)?;
    let known = Listed::ask(&program)?;
    let listed = match family.counted {
        Some(_) => known.clone().with(crates::COUNTED, &crates::CONTENDERS),
        None => known.clone(),
    };
    let listed = listed.chosen(args)?;
    let files = Files::prepare(args.json.as_ref(), args.report.as_ref())?;
    let interrupt = Interrupt::listen()?;
    let programs = Programs::new(&lab, &interrupt, TIMEOUT);
    let rounds = args.rounds.unwrap_or(if args.quick { QUICK_ROUNDS } else { family.rounds });

    let mut results = Results::new();
    let mut players: Vec<Player> = Vec::new();
    for run in listed.first_of_contenders() {
        let run = known.first_of(&run.contender).unwrap_or(run);
        let preload = preload(args, &run.contender)?;
        let call = Call { program: program.clone(), words: vec![run.contender.clone()], preload };
        let case = case(family, run, args.quick, 1).shortened();
        players.extend(programs.identify(&run.contender, call, &case, &mut results)?);
    }
    let (counted, timed): (Vec<_>, Vec<_>) =
        listed.by_case().into_iter().partition(|runs| runs[0].workload == crates::COUNTED);
    let progress = Progress::new(timed.iter().map(Vec::len).sum::<usize>() * rounds);
    progress.note(&format!("{} workloads, {rounds} rounds of each", timed.len()));
    let entrants = |runs: &[&Run]| -> Vec<&Player> {
        let takes_part = |player: &&Player| runs.iter().any(|run| run.contender == player.name());
        players.iter().filter(takes_part).collect()
    };
    let mut rows: Vec<Row> = Vec::new();
    for runs in timed {
        if interrupt.asked() {
            break;
        }
        let case = case(family, runs[0], args.quick, rounds);
        rows.extend(programs.measure(&case, &entrants(&runs), &progress, &mut results)?);
    }
    progress.finish();
    for (runs, program) in counted.iter().zip(family.counted) {
        if !interrupt.asked() {
            require_valgrind()?;
            let program = lab.bench_program(program)?;
            rows.push(crates::count(&program, family.suite, &entrants(runs))?);
        }
    }
    conclude_rows(args, family, &rows, results, files, interrupt.asked())
}

/// Writes and prints what was measured, and how it stands.
fn conclude_rows(
    args: &BenchArgs,
    family: &Family,
    rows: &[Row],
    mut results: Results,
    files: Files,
    interrupted: bool,
) -> Result<u8> {
    if rows.is_empty() && !interrupted && results.failures.is_empty() {
        return Err(environment("no workload could be measured"));
    }
    for row in rows {
        results.records.extend(record::samples(row, &results.provenance));
        for baseline in BASELINES {
            results.records.extend(record::ratios(row, baseline));
        }
    }
    let page = results.write(files)?;
    tables::print(rows, family.shown)?;
    summary::print(rows, family.targets)?;
    crates::print_counted(rows)?;
    let next = match args.quick {
        true => format!("heapsmith bench {0} --json {0}.json   (the whole suite)", family.suite),
        false => format!("heapsmith bench {}", family.next),
    };
    conclude(&results, page, interrupted, &next)
}

fn case(family: &Family, run: &Run, quick: bool, rounds: usize) -> Case {
    let threads = run.threads.to_string();
    let mut arguments = vec![run.workload.clone(), "--threads".to_string(), threads];
    arguments.extend(quick.then(|| "--quick".to_string()));
    let params = Map::from_iter([("threads".to_string(), run.threads.into())]);
    let workload = run.workload.clone();
    Case { suite: family.suite, workload, params, arguments, rounds, agrees: true }
}

fn preload(args: &BenchArgs, contender: &str) -> Result<Option<std::path::PathBuf>> {
    if !contender.ends_with(PRELOADED) {
        return Ok(None);
    }
    let pinned = Pinned::load()?;
    let beside = place::beside(args.chosen.heapsmith.as_deref())?;
    Ok(pinned.install(pinned.named(HEAPSMITH)?, &beside)?.preload)
}
