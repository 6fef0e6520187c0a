//! `heapsmith bench arena`, `scope`, `pool_resource`, `allocator`, `pools` and `containers`: families
//! of resources, and what is built on them.
//!
//! A suite is one program (bench/SUITE.cpp) with all its contenders, which lists what it can run.
//! `new-heapsmith` is the same code as `new-glibc`, with heapsmith preloaded; so is
//! `std-heapsmith` of `std`.

mod list;
mod summary;
mod targets;
mod typed;

use std::time::Duration;

use anyhow::Result;
use serde_json::Map;

use self::list::{Listed, Run};
use self::targets::Target;
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
const BASELINE: &str = "new-glibc";
/// No run comes near it; an allocator that hangs should not hang the suite.
const TIMEOUT: Duration = Duration::from_secs(300);
const QUICK_ROUNDS: usize = 6;

pub struct Family {
    suite: &'static str,
    rounds: usize,
    shown: &'static [Metric],
    targets: &'static [Target],
    /// The suite worth running next.
    next: &'static str,
}

pub const ARENA: Family = Family {
    suite: "arena",
    rounds: 11,
    shown: &[Metric::Push, Metric::Wall, Metric::Alloc, Metric::Destroy],
    targets: targets::ARENA,
    next: "scope",
};

/// Ten rounds of two million objects, as long as a suite may take.
pub const SCOPE: Family = Family {
    suite: "scope",
    rounds: 10,
    shown: &[Metric::Alloc, Metric::Iterate, Metric::Destroy],
    targets: targets::SCOPE,
    next: "pool_resource",
};

pub const POOL_RESOURCE: Family = Family {
    suite: "pool_resource",
    rounds: 11,
    shown: &[Metric::Wall],
    targets: targets::POOL_RESOURCE,
    next: "allocator",
};

pub const ALLOCATOR: Family = Family {
    suite: "allocator",
    rounds: 11,
    shown: &[Metric::Wall, Metric::Alloc, Metric::Destroy],
    targets: targets::ALLOCATOR,
    next: "pools",
};

pub const POOLS: Family = Family {
    suite: "pools",
    rounds: 6,
    shown: &[Metric::Wall, Metric::BytesPerElement, Metric::Allocations],
    targets: typed::POOLS,
    next: "containers",
};

pub const CONTAINERS: Family = Family {
    suite: "containers",
    rounds: 6,
    shown: &[Metric::Wall, Metric::BytesPerElement, Metric::Allocations],
    targets: typed::CONTAINERS,
    next: "heap",
};

pub fn run(args: &BenchArgs, family: &'static Family) -> Result<u8> {
    let lab = Lab::find()?;
    let program = lab.bench_program(family.suite)?;
    let listed = Listed::ask(&program)?.chosen(args)?;
    let files = Files::prepare(args.json.as_ref(), args.report.as_ref())?;
    let interrupt = Interrupt::listen()?;
    let programs = Programs::new(&lab, &interrupt, TIMEOUT);
    let rounds = args.rounds.unwrap_or(if args.quick { QUICK_ROUNDS } else { family.rounds });

    let mut results = Results::new();
    let mut players: Vec<Player> = Vec::new();
    for first in listed.first_of_contenders() {
        let mut case = case(family, first, args.quick, 1);
        case.arguments.push("--short".to_string());
        let preload = preload(args, &first.contender)?;
        let call = Call { program: program.clone(), words: vec![first.contender.clone()], preload };
        players.extend(programs.identify(&first.contender, call, &case, &mut results)?);
    }
    let progress = Progress::new(listed.runs.len() * rounds);
    progress.note(&format!("{} runs, {rounds} rounds of each", listed.runs.len()));
    let mut rows: Vec<Row> = Vec::new();
    for runs in listed.by_case() {
        if interrupt.asked() {
            break;
        }
        let takes_part = |player: &&Player| runs.iter().any(|run| run.contender == player.name());
        let entrants: Vec<&Player> = players.iter().filter(takes_part).collect();
        let case = case(family, runs[0], args.quick, rounds);
        rows.extend(programs.measure(&case, &entrants, &progress, &mut results)?);
    }
    progress.finish();
    if rows.is_empty() && !interrupt.asked() && results.failures.is_empty() {
        return Err(environment("no workload could be measured"));
    }
    for row in &rows {
        results.records.extend(record::samples(row, &results.provenance));
        results.records.extend(record::ratios(row, BASELINE));
    }
    let page = results.write(files)?;
    tables::print(&rows, family.shown)?;
    summary::print(&rows, family.targets)?;
    let next = match args.quick {
        true => format!("heapsmith bench {0} --json {0}.json   (the whole suite)", family.suite),
        false => format!("heapsmith bench {}", family.next),
    };
    conclude(&results, page, interrupt.asked(), &next)
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
