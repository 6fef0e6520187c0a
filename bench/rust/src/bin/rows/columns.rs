//! Two million rows are appended, and one column is added up. It takes 16 MB, more than the caches
//! of a core. `limit` has a vector for each field.

use std::hint::black_box;
use std::time::Instant;

use heapsmith::SoaPool;
use heapsmith_bench::{Report, Request, expect};
use soa_rs::{Soa, Soars};

use crate::{report_medians, sum_of_values};

/// For soa-rs, whose macro writes types of the same names as that of heapsmith.
#[derive(Soars)]
pub struct Row {
    key: u64,
    value: u64,
    others: [u64; 4],
}

/// A contender with a column for each field.
pub trait Columns {
    fn with_capacity(rows: usize) -> Self;
    fn append(&mut self, row: crate::Row);
    fn values(&self) -> &[u64];
    fn clear(&mut self);
}

pub fn run<C: Columns>(request: &Request, report: &mut Report) {
    let (rows, rounds) = (request.choose(2_000_000, 2_000_000, 2_000), request.choose(11, 3, 1));
    let mut table = C::with_capacity(rows);
    let mut round = || {
        table.clear();
        let begin = Instant::now();
        (0..rows as u64).for_each(|key| table.append(crate::Row::new(key)));
        let appended = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let sum = black_box(table.values().iter().sum::<u64>());
        let added_up = begin.elapsed().as_secs_f64();
        expect(sum == sum_of_values(rows), "the sum over the column is wrong");
        [appended, added_up].map(|seconds| seconds * 1e9 / rows as f64)
    };
    round(); // brings the memory
    report_medians(report, ["alloc_ns", "iterate_ns"], rounds, round);
    report.answer(sum_of_values(rows));
}

impl Columns for SoaPool<crate::Row> {
    fn with_capacity(rows: usize) -> Self {
        SoaPool::with_capacity(rows)
    }
    #[inline]
    fn append(&mut self, row: crate::Row) {
        self.insert(row);
    }
    fn values(&self) -> &[u64] {
        self.columns().value
    }
    fn clear(&mut self) {
        self.clear();
    }
}

impl Columns for Soa<Row> {
    fn with_capacity(rows: usize) -> Self {
        Soa::with_capacity(rows)
    }
    #[inline]
    fn append(&mut self, crate::Row { key, value, others }: crate::Row) {
        self.push(Row { key, value, others });
    }
    fn values(&self) -> &[u64] {
        self.value()
    }
    fn clear(&mut self) {
        self.clear();
    }
}

pub struct Vectors {
    keys: Vec<u64>,
    values: Vec<u64>,
    others: Vec<[u64; 4]>,
}

impl Columns for Vectors {
    fn with_capacity(rows: usize) -> Self {
        let (keys, values) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        Self { keys, values, others: Vec::with_capacity(rows) }
    }
    #[inline]
    fn append(&mut self, crate::Row { key, value, others }: crate::Row) {
        self.keys.push(key);
        self.values.push(value);
        self.others.push(others);
    }
    fn values(&self) -> &[u64] {
        &self.values
    }
    fn clear(&mut self) {
        self.keys.clear();
        self.values.clear();
        self.others.clear();
    }
}
