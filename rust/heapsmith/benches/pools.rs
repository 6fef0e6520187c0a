//! Pools compared with other crates: nanoseconds per row, the minimum of many interleaved rounds.
//!
//! `cargo bench -p heapsmith --features derive --bench pools`
//!
//! The alternatives of docs/decisions/0021-rust-pools.md are measured, too: sparse columns, in
//! which a row's position is its handle's index.

use std::hint::black_box;
use std::time::Instant;

use heapsmith::{Handle, Pool, Soa, SoaPool};
use slab::Slab;
use slotmap::{DefaultKey, DenseSlotMap, SlotMap};

const ROWS: usize = 20_000;
const ROUNDS: usize = 60;

#[derive(Soa, Clone, Copy)]
struct Row {
    key: u64,
    value: u64,
    others: [u64; 4],
}

fn row(key: u64) -> Row {
    Row { key, value: key * 3, others: [key; 4] }
}

/// The operations of each contender.
trait Store: Sized {
    type Key: Copy;
    fn new() -> Self;
    fn insert(&mut self, row: Row) -> Self::Key;
    fn remove(&mut self, key: Self::Key);
    fn value(&self, key: Self::Key) -> u64;
    fn sum(&self) -> u64;
}

macro_rules! store {
    ($name:ty, $key:ty, $new:expr, $insert:ident, $remove:expr, |$store:ident| $sum:expr) => {
        impl Store for $name {
            type Key = $key;
            fn new() -> Self {
                $new
            }
            #[inline]
            fn insert(&mut self, row: Row) -> $key {
                self.$insert(row)
            }
            #[inline]
            fn remove(&mut self, key: $key) {
                let remove: fn(&mut Self, $key) = $remove;
                remove(self, key);
            }
            #[inline]
            fn value(&self, key: $key) -> u64 {
                self.get(key).map_or(0, |row| row.value)
            }
            #[inline]
            fn sum(&self) -> u64 {
                let $store = self;
                $sum
            }
        }
    };
}

store!(
    Pool<Row>,
    Handle<Row>,
    Self::with_capacity(ROWS),
    insert,
    |pool, key| _ = black_box(pool.remove(key)),
    |pool| pool.rows().map(|row| row.value).sum()
);
store!(SlotMap<DefaultKey, Row>, DefaultKey, Self::with_capacity(ROWS), insert,
    |map, key| _ = black_box(map.remove(key)), |map| map.values().map(|row| row.value).sum());
store!(DenseSlotMap<DefaultKey, Row>, DefaultKey, Self::with_capacity(ROWS), insert,
    |map, key| _ = black_box(map.remove(key)), |map| map.values().map(|row| row.value).sum());
store!(
    Slab<Row>,
    usize,
    Self::with_capacity(ROWS),
    insert,
    |slab, key| _ = black_box(slab.try_remove(key)),
    |slab| slab.iter().map(|(_, row)| row.value).sum()
);

impl Store for SoaPool<Row> {
    type Key = Handle<Row>;
    fn new() -> Self {
        Self::with_capacity(ROWS)
    }
    #[inline]
    fn insert(&mut self, row: Row) -> Handle<Row> {
        self.insert(row)
    }
    #[inline]
    fn remove(&mut self, key: Handle<Row>) {
        black_box(self.remove(key));
    }
    #[inline]
    fn value(&self, key: Handle<Row>) -> u64 {
        self.get(key).map_or(0, |row| *row.value)
    }
    #[inline]
    fn sum(&self) -> u64 {
        self.columns().value.iter().sum()
    }
}

/// Sparse columns: a row's position is its slot's index, and dead rows are zero.
struct Sparse {
    slots: Pool<()>,
    keys: Vec<u64>,
    values: Vec<u64>,
    others: Vec<[u64; 4]>,
}

impl Store for Sparse {
    type Key = Handle<()>;
    fn new() -> Self {
        Self {
            slots: Pool::with_capacity(ROWS),
            keys: Vec::new(),
            values: Vec::new(),
            others: Vec::new(),
        }
    }
    #[inline]
    fn insert(&mut self, row: Row) -> Handle<()> {
        let handle = self.slots.insert(());
        let position = handle.index() as usize;
        if position == self.keys.len() {
            self.keys.push(0);
            self.values.push(0);
            self.others.push([0; 4]);
        }
        (self.keys[position], self.values[position], self.others[position]) =
            (row.key, row.value, row.others);
        handle
    }
    #[inline]
    fn remove(&mut self, key: Handle<()>) {
        if self.slots.remove(key).is_some() {
            let position = key.index() as usize;
            black_box((self.keys[position], self.values[position], self.others[position]));
            (self.keys[position], self.values[position], self.others[position]) = (0, 0, [0; 4]);
        }
    }
    #[inline]
    fn value(&self, key: Handle<()>) -> u64 {
        if self.slots.contains(key) { self.values[key.index() as usize] } else { 0 }
    }
    #[inline]
    fn sum(&self) -> u64 {
        self.values.iter().sum()
    }
}

/// A permutation that is the same in every run.
fn shuffled<K: Copy>(keys: &[K]) -> Vec<K> {
    let (mut keys, mut state) = (keys.to_vec(), 1u64);
    for i in (1..keys.len()).rev() {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        keys.swap(i, (state >> 33) as usize % (i + 1));
    }
    keys
}

const TASKS: [&str; 6] = ["insert", "get", "sum", "churn", "remove half", "sum half"];

type Round = fn() -> [f64; TASKS.len()];

/// One round: nanoseconds per row in each task.
fn round<S: Store>() -> [f64; TASKS.len()] {
    let mut spent = [0.0; TASKS.len()];
    let mut timed = |task: usize, rows: usize, run: &mut dyn FnMut() -> u64, expected: u64| {
        let start = Instant::now();
        let sum = black_box(run());
        spent[task] = start.elapsed().as_secs_f64() * 1e9 / rows as f64;
        assert_eq!(sum, expected, "{}", TASKS[task]);
    };
    let n = ROWS as u64;
    let total = 3 * n * (n - 1) / 2;
    let mut store = S::new();
    let mut keys = Vec::with_capacity(ROWS);
    timed(
        0,
        ROWS,
        &mut || {
            keys.extend((0..n).map(|key| store.insert(row(key))));
            0
        },
        0,
    );
    let mut keys = shuffled(&keys);
    timed(1, ROWS, &mut || keys.iter().map(|&key| store.value(key)).sum(), total);
    timed(2, ROWS, &mut || store.sum(), total);
    let churn = &mut || {
        for (i, key) in keys.iter_mut().enumerate() {
            store.remove(*key);
            *key = store.insert(row(i as u64));
        }
        0
    };
    timed(3, ROWS, churn, 0);
    let (gone, left) = keys.split_at(ROWS / 2);
    timed(
        4,
        ROWS / 2,
        &mut || {
            gone.iter().for_each(|&key| store.remove(key));
            0
        },
        0,
    );
    let half = left.iter().map(|&key| store.value(key)).sum();
    timed(5, ROWS / 2, &mut || store.sum(), half);
    spent
}

fn main() {
    let contenders: [(&str, Round); 6] = [
        ("slotmap SlotMap", round::<SlotMap<DefaultKey, Row>>),
        ("slab Slab", round::<Slab<Row>>),
        ("heapsmith Pool", round::<Pool<Row>>),
        ("heapsmith SoaPool", round::<SoaPool<Row>>),
        ("sparse columns", round::<Sparse>),
        ("slotmap DenseSlotMap", round::<DenseSlotMap<DefaultKey, Row>>),
    ];
    let mut least = [[f64::INFINITY; TASKS.len()]; 6];
    for _ in 0..ROUNDS {
        for (least, (_, round)) in least.iter_mut().zip(contenders) {
            let spent = round();
            least.iter_mut().zip(spent).for_each(|(least, spent)| *least = least.min(spent));
        }
    }
    println!("{:22}{}", "", TASKS.map(|task| format!("{task:>12}")).concat());
    for ((name, _), least) in contenders.iter().zip(least) {
        println!("{name:22}{}", least.map(|spent| format!("{spent:12.2}")).concat());
    }
}
