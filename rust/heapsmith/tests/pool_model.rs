//! Random steps on a pool, compared with maps.

use std::collections::BTreeMap;
use std::rc::Rc;

use heapsmith::pool::Storage;
use heapsmith::{FixedPool, Handle, InlinePool, Pool};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Insert(u32),
    InsertWithHandle(u32),
    /// Of one of the live rows.
    Remove(usize),
    RemoveAt(usize),
    Change(usize, u32),
    Swap(usize, usize),
    /// Keeps the rows that are not multiples of this number.
    Retain(u32),
    /// Takes this many rows out and drops the others.
    Drain(usize),
    Clone,
    Shrink,
    Reserve(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let any_row = any::<usize>;
    let step = prop_oneof![
        20 => (1..1000u32).prop_map(Step::Insert),
        4 => (1..1000u32).prop_map(Step::InsertWithHandle),
        12 => any_row().prop_map(Step::Remove),
        4 => any_row().prop_map(Step::RemoveAt),
        4 => (any_row(), 1..1000u32).prop_map(|(at, row)| Step::Change(at, row)),
        4 => (any_row(), any_row()).prop_map(|(a, b)| Step::Swap(a, b)),
        1 => (2..5u32).prop_map(Step::Retain),
        1 => (0..40usize).prop_map(Step::Drain),
        1 => Just(Step::Clone),
        2 => Just(Step::Shrink),
        1 => (0..100usize).prop_map(Step::Reserve),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 40 } else { 300 })
}

/// The reference count detects missing and double drops.
type Row = Rc<u32>;

struct Model<S: Storage<Row>> {
    pool: Pool<Row, S>,
    live: BTreeMap<Handle<Row>, Row>,
    ended: Vec<Handle<Row>>,
}

impl<S: Storage<Row> + Clone> Model<S> {
    fn nth(&self, at: usize) -> Option<Handle<Row>> {
        self.live.keys().nth(at % self.live.len().max(1)).copied()
    }

    fn insert(&mut self, row: u32, insert: impl FnOnce(&mut Pool<Row, S>, Row) -> Handle<Row>) {
        let row = Rc::new(row);
        let is_full = self.pool.try_reserve(1).is_err();
        if is_full {
            assert_eq!(self.pool.len(), self.pool.capacity());
            assert!(self.pool.try_insert(row).is_err());
            return;
        }
        let handle = insert(&mut self.pool, row.clone());
        assert!(self.live.insert(handle, row).is_none() && !self.ended.contains(&handle));
    }

    fn end(&mut self, handle: Handle<Row>, row: Option<Row>) {
        assert_eq!(self.live.remove(&handle), row);
        self.ended.push(handle);
    }

    fn end_all(&mut self) {
        self.ended.extend(std::mem::take(&mut self.live).into_keys());
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Insert(row) => self.insert(row, |pool, row| pool.insert(row)),
            Step::InsertWithHandle(row) => {
                self.insert(row, |pool, row| pool.insert_with_handle(|_| row));
            }
            Step::Remove(at) => {
                let Some(handle) = self.nth(at) else { return };
                let row = self.pool.remove(handle);
                self.end(handle, row);
            }
            Step::RemoveAt(at) => {
                let Some(handle) = self.nth(at) else { return };
                let row = self.pool.remove_at(handle.index());
                self.end(handle, row);
            }
            Step::Change(at, row) => {
                let (Some(handle), row) = (self.nth(at), Rc::new(row)) else { return };
                self.pool[handle] = row.clone();
                self.live.insert(handle, row);
            }
            Step::Swap(a, b) => self.swap(a, b),
            Step::Retain(n) => {
                self.pool.retain(|_, row| **row % n != 0);
                let gone = self.live.iter().filter(|(_, row)| ***row % n == 0);
                let gone: Vec<_> = gone.map(|(&handle, _)| handle).collect();
                gone.iter().for_each(|handle| _ = self.live.remove(handle));
                self.ended.extend(gone);
            }
            Step::Drain(n) => {
                let taken: Vec<_> = self.pool.drain().take(n).collect();
                assert!(taken.iter().all(|(handle, row)| self.live.get(handle) == Some(row)));
                self.end_all();
            }
            Step::Clone => self.pool = self.pool.clone(),
            Step::Shrink => self.pool.shrink_to_fit(),
            Step::Reserve(n) => {
                if self.pool.try_reserve(n).is_ok() {
                    assert!(self.pool.capacity() - self.pool.len() >= n);
                }
            }
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        let (Some(a), Some(b)) = (self.nth(a), self.nth(b)) else { return };
        match self.pool.get_disjoint_mut([a, b]) {
            Some([x, y]) => {
                std::mem::swap(x, y);
                let (x, y) = (self.live[&b].clone(), self.live[&a].clone());
                self.live.insert(a, x);
                self.live.insert(b, y);
            }
            None => assert_eq!(a, b),
        }
    }

    fn check(&self) {
        assert_eq!(self.pool.len(), self.live.len());
        assert!(self.live.iter().all(|(&handle, row)| self.pool.get(handle) == Some(row)));
        assert!(self.live.values().all(|row| Rc::strong_count(row) == 2));
        assert!(self.ended.iter().all(|&handle| !self.pool.contains(handle)));
        assert!(self.pool.iter().all(|(handle, row)| self.live.get(&handle) == Some(row)));
        assert_eq!(self.pool.iter().count(), self.live.len());
        assert!(self.pool.handles().is_sorted_by_key(Handle::index));
    }
}

fn agree<S: Storage<Row> + Clone>(pool: Pool<Row, S>, steps: &[Step]) {
    let mut model = Model { pool, live: BTreeMap::new(), ended: Vec::new() };
    for step in steps {
        model.take(step);
        model.check();
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(miri) { 2 } else { 64 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_pool_is_a_map(steps in steps()) {
        agree(Pool::new(), &steps);
    }

    #[test]
    fn a_fixed_pool_is_a_map_with_a_limit(steps in steps()) {
        agree(FixedPool::with_fixed_capacity(20), &steps);
        agree(InlinePool::<Row, 20>::inline(), &steps);
    }
}
