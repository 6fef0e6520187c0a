//! The negative control: every `OVERLAP_PERIOD`-th row takes the place of the one before it. Without
//! that variable, it is correct.

use crate::Row;
use crate::columns::Columns;
use crate::handles::Store;

pub struct Overlapping {
    period: usize,
    inserted: usize,
    rows: Vec<Option<Row>>,
    values: Vec<u64>,
}

impl Overlapping {
    /// Whether the next row takes the place of the last one.
    fn overlaps(&mut self) -> bool {
        self.inserted += 1;
        self.period != 0 && self.inserted % self.period == 0
    }

    fn new() -> Self {
        let period = std::env::var("OVERLAP_PERIOD").ok().and_then(|period| period.parse().ok());
        Self { period: period.unwrap_or(0), inserted: 0, rows: Vec::new(), values: Vec::new() }
    }
}

impl Store for Overlapping {
    type Key = usize;

    fn with_capacity(_: usize) -> Self {
        Self::new()
    }
    fn insert(&mut self, row: Row) -> usize {
        if self.overlaps() {
            self.rows.pop();
        }
        self.rows.push(Some(row));
        self.rows.len() - 1
    }
    fn remove(&mut self, key: usize) -> Option<Row> {
        self.rows.get_mut(key)?.take()
    }
    fn get(&self, key: usize) -> Option<u64> {
        Some(self.rows.get(key)?.as_ref()?.value)
    }
    fn sum(&self) -> u64 {
        self.rows.iter().flatten().map(|row| row.value).sum()
    }
}

impl Columns for Overlapping {
    fn with_capacity(_: usize) -> Self {
        Self::new()
    }
    fn append(&mut self, row: Row) {
        if self.overlaps() {
            self.values.pop();
        }
        self.values.push(row.value);
    }
    fn values(&self) -> &[u64] {
        &self.values
    }
    fn clear(&mut self) {
        self.values.clear();
    }
}
