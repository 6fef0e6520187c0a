//! rows-48 and columns-48: rows in pools with handles, and in columns.
//!
//! The program is built twice. `rust-rows-debug`, of cargo's profile dev, runs rows-48 as
//! rows-48-debug.

mod columns;
mod handles;
mod overlapping;
mod stores;

use std::process::ExitCode;

use heapsmith::{Pool, Soa, SoaPool};
use heapsmith_bench::{Entry, Report, Request};
use slab::Slab;
use slotmap::{DefaultKey, DenseSlotMap, SlotMap};

use columns::Columns;
use handles::Store;
use overlapping::Overlapping;
use stores::SparseColumns;

/// A row of 48 bytes, whose fields follow from its key.
#[derive(Clone, Copy, PartialEq, Soa)]
struct Row {
    key: u64,
    value: u64,
    others: [u64; 4],
}

impl Row {
    fn new(key: u64) -> Self {
        Self { key, value: key * 3, others: [key; 4] }
    }
}

/// The sum of the values of rows whose keys are 0, 1, … `rows - 1`.
fn sum_of_values(rows: usize) -> u64 {
    let rows = rows as u64;
    3 * rows * (rows - 1) / 2
}

/// The median of the times of several rounds, for each task.
fn report_medians<const TASKS: usize>(
    report: &mut Report,
    metrics: [&str; TASKS],
    rounds: usize,
    mut round: impl FnMut() -> [f64; TASKS],
) {
    let all: Vec<_> = (0..rounds).map(|_| round()).collect();
    for (task, metric) in metrics.into_iter().enumerate() {
        let mut spent: Vec<f64> = all.iter().map(|round| round[task]).collect();
        spent.sort_by(f64::total_cmp);
        report.value(metric, spent[spent.len() / 2]);
    }
}

fn entry(
    workload: &str,
    contender: &'static str,
    version: fn() -> String,
    run: fn(&Request, &mut Report),
) -> Entry {
    let is_listed = contender != "overlapping";
    Entry { workload: workload.into(), contender, version, threads: 1, run, is_listed }
}

/// The version of a crate, which the build script hands over.
macro_rules! version_of {
    ($name:literal) => {
        || env!(concat!("VERSION_OF_", $name)).into()
    };
}

fn with_handles<S: Store>(
    is_debug: bool,
    contender: &'static str,
    version: fn() -> String,
) -> Vec<Entry> {
    if is_debug {
        return vec![entry("rows-48-debug", contender, version, handles::run::<S>)];
    }
    vec![
        entry("rows-48", contender, version, handles::run::<S>),
        entry("rows-48-half", contender, version, handles::run_half::<S>),
    ]
}

fn in_columns<C: Columns>(contender: &'static str, version: fn() -> String) -> Entry {
    entry("columns-48", contender, version, columns::run::<C>)
}

fn entries(debug: bool) -> Vec<Entry> {
    let own = version_of!("HEAPSMITH");
    let slotmap = version_of!("SLOTMAP");
    let none = || "none".into();
    let mut all = [
        with_handles::<Pool<Row>>(debug, "heapsmith-pool", own),
        with_handles::<SoaPool<Row>>(debug, "heapsmith-soa-pool", own),
        with_handles::<SlotMap<DefaultKey, Row>>(debug, "slotmap", slotmap),
        with_handles::<DenseSlotMap<DefaultKey, Row>>(debug, "dense-slotmap", slotmap),
        with_handles::<Slab<Row>>(debug, "slab", version_of!("SLAB")),
        with_handles::<SparseColumns>(debug, "sparse-columns", own),
        with_handles::<Overlapping>(debug, "overlapping", none),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>();
    if !debug {
        all.push(in_columns::<SoaPool<Row>>("heapsmith-soa-pool", own));
        all.push(in_columns::<soa_rs::Soa<columns::Row>>("soa-rs", version_of!("SOA_RS")));
        all.push(in_columns::<columns::Vectors>("limit", none));
        all.push(in_columns::<Overlapping>("overlapping", none));
    }
    all
}

unsafe extern "C" {
    safe fn mallopt(parameter: i32, value: i32) -> i32;
}

/// Lets glibc keep the memory of a round for the next one, so that no contender takes page faults.
fn keep_memory() {
    const M_TRIM_THRESHOLD: i32 = -1;
    const M_MMAP_THRESHOLD: i32 = -3;
    const MOST: i32 = 1 << 25; // the most that glibc takes as the second one
    let accepted = mallopt(M_TRIM_THRESHOLD, i32::MAX) & mallopt(M_MMAP_THRESHOLD, MOST);
    assert_eq!(accepted, 1, "glibc refuses a parameter");
}

fn main() -> ExitCode {
    keep_memory();
    let own = std::env::current_exe().expect("a program has a path");
    let name = own.file_name().unwrap_or_default().to_string_lossy();
    heapsmith_bench::main(&name, &entries(name.ends_with("-debug")))
}
