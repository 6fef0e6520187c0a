//! Rows are inserted, found in random order, added up, replaced one by one in that order, and
//! removed by half. The times are those of a row.

use std::hint::black_box;
use std::time::Instant;

use heapsmith_bench::{Report, Request, expect, mix};

use crate::{Row, report_medians, sum_of_values};

/// The operations of a contender.
pub trait Store: Sized {
    type Key: Copy;
    fn with_capacity(rows: usize) -> Self;
    fn insert(&mut self, row: Row) -> Self::Key;
    fn remove(&mut self, key: Self::Key) -> Option<Row>;
    fn get(&self, key: Self::Key) -> Option<u64>;
    fn sum(&self) -> u64;
}

pub fn run<S: Store>(request: &Request, report: &mut Report) {
    let metrics = ["alloc_ns", "get_ns", "iterate_ns", "churn_ns", "destroy_ns"];
    rounds(request, report, metrics, |rows| round::<S>(rows).0);
}

/// The sum of the rows among which every other one was removed.
pub fn run_half<S: Store>(request: &Request, report: &mut Report) {
    rounds(request, report, ["iterate_ns"], |rows| [round::<S>(rows).1]);
}

fn rounds<const TASKS: usize>(
    request: &Request,
    report: &mut Report,
    metrics: [&str; TASKS],
    round: impl Fn(usize) -> [f64; TASKS],
) {
    let (rows, rounds) = (request.choose(20_000, 20_000, 2_000), request.choose(101, 41, 1));
    report_medians(report, metrics, rounds, || round(rows));
    report.answer(sum_of_values(rows));
}

/// The nanoseconds of a row that `run` takes. It returns a sum of values.
fn timed(rows: usize, expected: u64, run: &mut dyn FnMut() -> u64) -> f64 {
    let begin = Instant::now();
    let sum = black_box(run());
    let spent = begin.elapsed();
    expect(sum == expected, "the sum over the rows is wrong");
    spent.as_secs_f64() * 1e9 / rows as f64
}

/// The times of all tasks, and then that of adding up half of the rows.
fn round<S: Store>(rows: usize) -> ([f64; 5], f64) {
    let total = sum_of_values(rows);
    let mut store = S::with_capacity(rows);
    let mut keys = Vec::with_capacity(rows);
    let insert = timed(rows, 0, &mut || {
        keys.extend((0..rows as u64).map(|key| store.insert(Row::new(key))));
        0
    });
    let mut keys = shuffled(keys);
    let get = timed(rows, total, &mut || keys.iter().map(|&key| store.get(key).unwrap_or(0)).sum());
    let iterate = timed(rows, total, &mut || store.sum());
    let churn = timed(rows, 0, &mut || {
        for (key, i) in keys.iter_mut().zip(0..) {
            let removed = black_box(store.remove(*key));
            expect(removed.is_some(), "a row is missing");
            *key = store.insert(Row::new(i));
        }
        0
    });
    let (gone, left) = keys.split_at(rows / 2);
    let remove = timed(gone.len(), 0, &mut || {
        gone.iter().for_each(|&key| _ = black_box(store.remove(key)));
        0
    });
    expect(gone.iter().all(|&key| store.get(key).is_none()), "a row was not removed");
    let half = timed(left.len(), total - sum_of_values(gone.len()), &mut || store.sum());
    ([insert, get, iterate, churn, remove], half)
}

/// In an order that is the same in every run.
fn shuffled<K>(mut keys: Vec<K>) -> Vec<K> {
    for i in (1..keys.len()).rev() {
        keys.swap(i, mix(i as u64) as usize % (i + 1));
    }
    keys
}
