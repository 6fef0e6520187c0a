//! The contenders with handles.

use heapsmith::{Handle, Pool, SoaPool};
use slab::Slab;
use slotmap::{DefaultKey, DenseSlotMap, SlotMap};

use crate::Row;
use crate::handles::Store;

macro_rules! store {
    ($name:ty, $key:ty, remove: $remove:ident, |$store:ident, $found:ident| $get:expr, $sum:expr) => {
        impl Store for $name {
            type Key = $key;
            fn with_capacity(rows: usize) -> Self {
                <$name>::with_capacity(rows)
            }
            #[inline]
            fn insert(&mut self, row: Row) -> $key {
                self.insert(row)
            }
            #[inline]
            fn remove(&mut self, key: $key) -> Option<Row> {
                self.$remove(key)
            }
            #[inline]
            fn get(&self, key: $key) -> Option<u64> {
                self.get(key).map(|$found| $get)
            }
            #[inline]
            fn sum(&self) -> u64 {
                let $store = self;
                $sum
            }
        }
    };
}

store!(Pool<Row>, Handle<Row>, remove: remove, |pool, row| row.value,
    pool.rows().map(|row| row.value).sum());
store!(SoaPool<Row>, Handle<Row>, remove: remove, |pool, row| *row.value,
    pool.columns().value.iter().sum());
store!(SlotMap<DefaultKey, Row>, DefaultKey, remove: remove, |map, row| row.value,
    map.values().map(|row| row.value).sum());
store!(DenseSlotMap<DefaultKey, Row>, DefaultKey, remove: remove, |map, row| row.value,
    map.values().map(|row| row.value).sum());
store!(Slab<Row>, usize, remove: try_remove, |slab, row| row.value,
    slab.iter().map(|(_, row)| row.value).sum());

/// An alternative to `SoaPool`: a row's position in the columns is its slot's index, and the columns
/// of dead slots are zero.
pub struct SparseColumns {
    slots: Pool<()>,
    keys: Vec<u64>,
    values: Vec<u64>,
    others: Vec<[u64; 4]>,
}

impl SparseColumns {
    #[inline]
    fn exchange(&mut self, at: usize, row: Row) -> Row {
        let Row { key, value, others } = row;
        Row {
            key: std::mem::replace(&mut self.keys[at], key),
            value: std::mem::replace(&mut self.values[at], value),
            others: std::mem::replace(&mut self.others[at], others),
        }
    }
}

impl Store for SparseColumns {
    type Key = Handle<()>;

    fn with_capacity(rows: usize) -> Self {
        let slots = Pool::with_capacity(rows);
        let (keys, values) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        Self { slots, keys, values, others: Vec::with_capacity(rows) }
    }

    #[inline]
    fn insert(&mut self, row: Row) -> Handle<()> {
        let handle = self.slots.insert(());
        if handle.index() as usize == self.keys.len() {
            self.keys.push(0);
            self.values.push(0);
            self.others.push([0; 4]);
        }
        self.exchange(handle.index() as usize, row);
        handle
    }

    #[inline]
    fn remove(&mut self, key: Handle<()>) -> Option<Row> {
        self.slots.remove(key)?;
        Some(self.exchange(key.index() as usize, Row { key: 0, value: 0, others: [0; 4] }))
    }

    #[inline]
    fn get(&self, key: Handle<()>) -> Option<u64> {
        self.slots.contains(key).then(|| self.values[key.index() as usize])
    }

    #[inline]
    fn sum(&self) -> u64 {
        self.values.iter().sum()
    }
}
