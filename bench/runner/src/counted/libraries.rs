//! The instructions that an allocator's own libraries spend on a path, such as malloc and free.
//!
//! Only instructions in the allocator's objects count: the program itself and the PLT do not.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::callgrind::{UNNAMED, self_costs};
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::environment;
use heapsmith_measure::failure::Failure;
use heapsmith_measure::launch::{Exit, Launcher, Output};
use heapsmith_measure::metric::Metric;
use heapsmith_measure::program::Program;
use heapsmith_measure::prove::{Identity, preloads, prove};
use heapsmith_measure::record::Failed;
use heapsmith_measure::results::Results;
use heapsmith_measure::row::Series;
use serde_json::Map;

use super::valgrind::Valgrind;
use crate::bench::{Bench, base_name};
use crate::manifest::{Contender, Counted, Role};

/// An allocator that loads into the counted program.
pub type Proven = (Installed, Identity);

/// The allocators of the suite that load. The others are failures.
pub fn prove_all(bench: &Bench, wanted: &[&Counted], results: &mut Results) -> Result<Vec<Proven>> {
    let takes = |one: &&Contender| wanted.iter().any(|counted| counted.takes(&one.name));
    let is_allocator = |one: &&Contender| !is_function(bench, &one.name);
    let chosen: Vec<_> = bench.chosen()?.into_iter().filter(is_allocator).filter(takes).collect();
    let Some(counted) = wanted.iter().find(|counted| counted.functions.is_empty()) else {
        return Ok(Vec::new());
    };
    let (lab, interrupt, output) = (&bench.lab, &bench.interrupt, Output::Discard);
    let launcher = Launcher { lab, interrupt, input: None, output, timeout: None, service: None };
    let size = counted.sizes(bench.args.quick)[0];
    let program = Program::find(&argv(bench, counted, size, counted.counts[0])?)?;
    let mut proven = Vec::new();
    for installed in bench.allocators(&chosen)? {
        let proof = prove(&launcher, &program, &installed)?;
        let sound = match proof.ended.exit {
            Exit::Code(0) => proof.loaded,
            _ => Err(Failure::of_run(installed.name(), &proof.ended)),
        };
        match sound {
            Ok(identity) => {
                results.identify(&identity);
                proven.push((installed, identity));
            }
            Err(failure) => {
                let (suite, workload) = (bench.manifest.name.clone(), counted.workload.clone());
                results.failures.push(Failed { suite, workload, params: Map::new(), failure });
            }
        }
    }
    Ok(proven)
}

fn is_function(bench: &Bench, contender: &str) -> bool {
    let functions = bench.manifest.counted.iter().flat_map(|counted| &counted.functions);
    functions.into_iter().any(|(name, _)| name == contender)
}

/// Instructions per step in the objects of each allocator. Peers that do not run under Valgrind are
/// named and taken out of `allocators`.
pub fn count(
    bench: &Bench,
    counted: &Counted,
    size: Option<u64>,
    allocators: &mut Vec<Proven>,
) -> Result<Vec<Series>> {
    let taking_part = allocators.iter().filter(|(one, _)| counted.takes(base_name(one.name())));
    let (mut all, mut unable) = (Vec::new(), Vec::new());
    for (installed, identity) in taking_part {
        let [few, many] = counted
            .counts
            .map(|count| spent(bench, installed, &argv(bench, counted, size, count)?));
        let steps = (counted.counts[1] - counted.counts[0]) as f64;
        match few.and_then(|few| Ok((few, many?))) {
            Ok((few, many)) => {
                let value = (many as f64 - few as f64) / steps;
                all.push(Series::of_count(identity.clone(), Metric::Instructions, value));
            }
            // Some map more address space than Valgrind has.
            Err(error) if is_peer(bench, installed) => {
                eprintln!("left out: {error:#}");
                unable.push(installed.name().to_string());
            }
            Err(error) => return Err(error),
        }
        if bench.interrupt.asked() {
            break;
        }
    }
    allocators.retain(|(one, _)| !unable.iter().any(|name| name == one.name()));
    Ok(all)
}

fn is_peer(bench: &Bench, installed: &Installed) -> bool {
    bench.manifest.names_with(Role::Peer).contains(&base_name(installed.name()))
}

fn argv(bench: &Bench, counted: &Counted, size: Option<u64>, count: u64) -> Result<Vec<OsString>> {
    let program = bench.sides[0].program(&counted.program)?.into_os_string();
    let words = counted.words_of(size).into_iter().chain([count.to_string()]);
    Ok(std::iter::once(program).chain(words.map(OsString::from)).collect())
}

/// All instructions of one run in the objects of `installed`.
fn spent(bench: &Bench, installed: &Installed, argv: &[OsString]) -> Result<u64> {
    let name = installed.name();
    let mut valgrind = Valgrind::new()?;
    valgrind.command.args(argv).envs(&bench.manifest.environment);
    for (name, value) in preloads(installed, None) {
        match value {
            Some(value) => valgrind.command.env(name.as_ref(), value),
            None => valgrind.command.env_remove(name.as_ref()),
        };
    }
    let profile = valgrind.run(name)?;
    let objects = match installed.objects() {
        none if none.is_empty() => glibc_objects(),
        objects => objects,
    };
    let spent = self_costs(&profile, "Ir")?
        .iter()
        .filter(|((object, function), _)| is_own(object, function, &objects))
        .map(|(_, cost)| cost)
        .sum();
    if spent == 0 {
        return Err(environment(format!("{name}: callgrind saw no instruction of its library")));
    }
    Ok(spent)
}

/// gperftools keeps malloc and free in a section of their own, for which valgrind names no object.
/// The PLT stubs, for which it names none either, have no function names.
fn is_own(object: &str, function: &str, objects: &[PathBuf]) -> bool {
    if object == UNNAMED {
        return !function.starts_with("0x");
    }
    Path::new(object).canonicalize().is_ok_and(|path| objects.contains(&path))
}

/// As built, the counted program runs on libc.
fn glibc_objects() -> Vec<PathBuf> {
    let libc = Path::new("/lib/x86_64-linux-gnu/libc.so.6");
    libc.canonicalize().into_iter().collect()
}
