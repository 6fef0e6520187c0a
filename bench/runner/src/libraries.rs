//! `heapsmith bench instructions`: instructions of warm allocator paths, counted by callgrind.
//!
//! The program `pairs` runs twice with different counts; the difference of the instructions spent
//! in the allocator's own objects, over the difference of the counts, is the cost of one pair.
//! Start-up, warm-up, the program itself and the PLT fall out. Counts have no noise: one run each.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde_json::{Map, json};

use super::callgrind::{UNNAMED, self_costs};
use super::{Setting, conclude, inlined, tables};
use crate::contender::{HEAPSMITH, Installed};
use crate::error::environment;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::launch::{Exit, Launcher, Output};
use crate::metric::Metric;
use crate::place::Lab;
use crate::program::Program;
use crate::progress::Progress;
use crate::prove::{Identity, preloads, prove};
use crate::record::{self, Failed};
use crate::results::Results;
use crate::row::{Row, Series};

const SUITE: &str = "instructions";
/// Multiples of the batch of 64; the difference is what a figure is averaged over.
const COUNTS: [u64; 2] = [1 << 12, 1 << 15];
/// What a pair from a heap of its own may cost, of one from the global heap.
const MOST_OF_GLOBAL: f64 = 1.30;
/// Valgrind refuses to map the 64 GiB and more that heapsmith would reserve.
const RESERVE: (&str, &str) = ("HEAPSMITH_RESERVE", "16G");

/// One path: what the result calls it, the shape `pairs` knows, the block size.
#[derive(Clone, Copy, Debug)]
struct Case {
    workload: &'static str,
    shape: &'static str,
    size: u32,
    quick: bool,
}

const fn pair(size: u32, quick: bool) -> Case {
    Case { workload: "malloc-free", shape: "malloc", size, quick }
}

/// A pair from a heap of its own, which heapsmith alone has.
const fn heap_pair(size: u32) -> Case {
    Case { workload: "heap-malloc-free", shape: "heap", size, quick: true }
}

const CASES: [Case; 15] = [
    pair(16, true),
    pair(32, false),
    pair(64, true),
    pair(128, false),
    pair(256, false),
    pair(512, false),
    pair(1024, true),
    pair(8192, true),
    pair(16384, false),
    Case { workload: "calloc-free", shape: "calloc", size: 64, quick: false },
    Case { workload: "realloc-same", shape: "realloc", size: 64, quick: false },
    Case { workload: "batch-64-lifo", shape: "batch", size: 64, quick: true },
    heap_pair(16),
    heap_pair(1024),
    heap_pair(8192),
];

pub fn run(setting: Setting) -> Result<u8> {
    let Setting { args, lab, chosen, files } = setting;
    let wanted = |case: &&Case| {
        (case.quick || !args.quick)
            && (args.workload.is_empty() || args.workload.iter().any(|name| name == case.workload))
    };
    let cases: Vec<Case> = CASES.iter().filter(wanted).copied().collect();
    let named = |name: &String| name == inlined::WORKLOAD;
    let has_inlined = args.workload.is_empty() || args.workload.iter().any(named);
    if cases.is_empty() && !has_inlined {
        let known = CASES.iter().map(|case| case.workload).chain([inlined::WORKLOAD]);
        let known: Vec<_> = known.collect();
        return Err(crate::error::usage(format!("the paths counted are {}", known.join(", "))));
    }
    require_valgrind()?;
    let interrupt = Interrupt::listen()?;
    let mut results = Results::new();
    let proven = prove_all(&lab, &interrupt, &chosen, &mut results)?;
    let progress = Progress::new(cases.len() * proven.len());
    let mut rows = Vec::new();
    for case in &cases {
        let mut row = case.row();
        for (installed, identity) in proven.iter().filter(|(one, _)| case.takes(one)) {
            progress.step(&format!("{}, {}", row.label(), installed.name()));
            let count = per_pair(&lab, installed, case);
            if interrupt.asked() {
                break;
            }
            row.series.push(Series::of_count(identity.clone(), Metric::Instructions, count?));
            progress.done_one();
        }
        rows.push(row);
    }
    progress.finish();
    rows.retain(|row| !row.series.is_empty());
    if has_inlined && !interrupt.asked() {
        rows.extend(inlined::rows(&lab, SUITE)?);
    }
    for row in &rows {
        results.records.extend(record::samples(row, &results.provenance));
    }
    let page = results.write(files)?;
    tables::print(&rows, &[Metric::Instructions, Metric::Branches])?;
    print_targets(&rows)?;
    conclude(&results, page, interrupt.asked(), "heapsmith bench heap --quick")
}

impl Case {
    fn row(&self) -> Row {
        let params = Map::from_iter([("size".to_string(), json!(self.size))]);
        let workload = self.workload.to_string();
        Row { suite: SUITE, workload, params, series: Vec::new() }
    }

    fn takes(&self, installed: &Installed) -> bool {
        self.shape != "heap" || installed.name() == HEAPSMITH
    }

    fn argv(&self, pairs: &Path, count: u64) -> Vec<OsString> {
        let numbers = [self.size.to_string(), count.to_string()].map(Into::into);
        [pairs.into(), self.shape.into()].into_iter().chain(numbers).collect()
    }
}

pub fn require_valgrind() -> Result<()> {
    match Program::find(&["valgrind".into()]) {
        Ok(_) => Ok(()),
        Err(_) => Err(environment("valgrind is not installed: apt install valgrind")),
    }
}

/// The contenders that load into `pairs`; the others are failures.
fn prove_all(
    lab: &Lab,
    interrupt: &Interrupt,
    chosen: &[Installed],
    results: &mut Results,
) -> Result<Vec<(Installed, Identity)>> {
    let output = Output::Discard;
    let launcher = Launcher { lab, interrupt, input: None, output, timeout: None };
    let program = Program::find(&CASES[0].argv(&lab.program("pairs")?, COUNTS[0]))?;
    let mut proven = Vec::new();
    for installed in chosen {
        let proof = prove(&launcher, &program, installed)?;
        let sound = match proof.ended.exit {
            Exit::Code(0) => proof.loaded,
            _ => Err(Failure::of_run(installed.name(), &proof.ended)),
        };
        match sound {
            Ok(identity) => {
                results.identify(&identity);
                proven.push((installed.clone(), identity));
            }
            Err(failure) => {
                let workload = "pairs".to_string();
                results.failures.push(Failed {
                    suite: SUITE,
                    workload,
                    params: Map::new(),
                    failure,
                });
            }
        }
    }
    Ok(proven)
}

/// Instructions per pair in the objects of `installed`.
fn per_pair(lab: &Lab, installed: &Installed, case: &Case) -> Result<f64> {
    let pairs = lab.program("pairs")?;
    let few = spent(installed, &case.argv(&pairs, COUNTS[0]))?;
    let many = spent(installed, &case.argv(&pairs, COUNTS[1]))?;
    Ok((many as f64 - few as f64) / (COUNTS[1] - COUNTS[0]) as f64)
}

/// All instructions of one run in the objects of `installed`.
fn spent(installed: &Installed, argv: &[OsString]) -> Result<u64> {
    let profile = tempfile::NamedTempFile::new().context("a file for callgrind")?;
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--quiet"]);
    let mut out = OsString::from("--callgrind-out-file=");
    out.push(profile.path());
    command.arg(out).args(argv).stdin(Stdio::null()).env(RESERVE.0, RESERVE.1);
    for (name, value) in preloads(installed, None) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().context("running valgrind")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().next_back().unwrap_or_default();
        return Err(environment(format!("{} under valgrind: {last}", installed.name())));
    }
    let text = std::fs::read_to_string(profile.path()).context("callgrind's profile")?;
    let objects = match installed.objects() {
        none if none.is_empty() => glibc_objects(),
        objects => objects,
    };
    let spent = self_costs(&text, "Ir")?
        .iter()
        .filter(|((object, function), _)| is_own(object, function, &objects))
        .map(|(_, cost)| cost)
        .sum();
    if spent == 0 {
        let name = installed.name();
        return Err(environment(format!("{name}: callgrind saw no instruction of its library")));
    }
    Ok(spent)
}

/// gperftools keeps malloc and free in a section of their own, for which valgrind names no object;
/// what else it names none for is PLT stubs, and those have no names of their own either.
fn is_own(object: &str, function: &str, objects: &[PathBuf]) -> bool {
    if object == UNNAMED {
        return !function.starts_with("0x");
    }
    Path::new(object).canonicalize().is_ok_and(|path| objects.contains(&path))
}

/// As built, `pairs` runs on libc.
fn glibc_objects() -> Vec<PathBuf> {
    let libc = Path::new("/lib/x86_64-linux-gnu/libc.so.6");
    libc.canonicalize().into_iter().collect()
}

/// heapsmith's own targets for a warm malloc+free pair.
fn print_targets(rows: &[Row]) -> Result<()> {
    let mut out = io::stdout().lock();
    for (sizes, name, limit) in [(16..=1024, "16…1024 B", 32.0), (8192..=8192, "8 KiB", 50.0)] {
        let pairs = rows.iter().filter(|row| row.workload == CASES[0].workload);
        let of_size = pairs.filter(|row| size(row).is_some_and(|size| sizes.contains(&size)));
        let own = of_size.filter_map(|row| row.named(HEAPSMITH)?.median(Metric::Instructions));
        if let Some(most) = own.max_by(f64::total_cmp) {
            let judged = if most <= limit { "met" } else { "missed" };
            let what = format!("malloc+free of {name}: at most {most:.1} instructions");
            writeln!(out, "heapsmith, {what}, target ≤ {limit} {judged}")?;
        }
    }
    print_heap_targets(&mut out, rows)?;
    inlined::print_targets(&mut out, rows)
}

/// A pair from a heap of its own against the same from the global one.
fn print_heap_targets(out: &mut dyn Write, rows: &[Row]) -> Result<()> {
    let count = |workload: &str, of: &Row| {
        let same = |row: &&Row| row.workload == workload && size(row) == size(of);
        rows.iter().find(same)?.named(HEAPSMITH)?.median(Metric::Instructions)
    };
    let heaps = rows.iter().filter(|row| row.workload == heap_pair(0).workload);
    for (size, own, global) in heaps.filter_map(|row| {
        Some((size(row)?, count(&row.workload, row)?, count(CASES[0].workload, row)?))
    }) {
        let judged = if own <= MOST_OF_GLOBAL * global { "met" } else { "missed" };
        writeln!(
            out,
            "heapsmith, malloc+free of {size} B in a heap of its own: {:.2} of {global:.1} instructions, \
             target ≤ {MOST_OF_GLOBAL:.2} {judged}",
            own / global
        )?;
    }
    Ok(())
}

fn size(row: &Row) -> Option<u64> {
    row.params.get("size")?.as_u64()
}
