//! Random steps on a pool in columns, compared with a map.

use std::collections::BTreeMap;
use std::rc::Rc;

use heapsmith::pool::Storage;
use heapsmith::{Handle, SoaFixedPool, SoaPool};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Insert(u32),
    /// Of one of the live rows.
    Remove(usize),
    Replace(usize, u32),
    /// Adds to one field of each row.
    Column(u32),
    /// Sorts by the number, divided by this.
    Sort(u32),
    Swap(usize, usize),
    /// Adds to one field of two rows, of a range, of two parts, and of many parts.
    Parts(usize, usize, u8),
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
        24 => (1..1000u32).prop_map(Step::Insert),
        16 => any_row().prop_map(Step::Remove),
        4 => (any_row(), 1..1000u32).prop_map(|(at, n)| Step::Replace(at, n)),
        2 => (1..5u32).prop_map(Step::Column),
        2 => (1..100u32).prop_map(Step::Sort),
        2 => (any_row(), any_row()).prop_map(|(a, b)| Step::Swap(a, b)),
        2 => (any_row(), any_row(), 1..9u8).prop_map(|(a, b, n)| Step::Parts(a, b, n)),
        1 => (2..5u32).prop_map(Step::Retain),
        1 => (0..40usize).prop_map(Step::Drain),
        1 => Just(Step::Clone),
        2 => Just(Step::Shrink),
        1 => (0..100usize).prop_map(Step::Reserve),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 40 } else { 300 })
}

/// A small field, one that detects missing and double drops, and one of odd size.
type Row = (u8, Rc<u32>, [u16; 3]);

fn row(n: u32) -> Row {
    (n as u8, Rc::new(n), [n as u16; 3])
}

fn same(a: (&u8, &Rc<u32>, &[u16; 3]), b: &Row) -> bool {
    *a.0 == b.0 && Rc::ptr_eq(a.1, &b.1) && *a.2 == b.2
}

struct Model<S: Storage<u32>> {
    pool: SoaPool<Row, S>,
    live: BTreeMap<Handle<Row>, Row>,
    ended: Vec<Handle<Row>>,
}

impl<S: Storage<u32> + Clone> Model<S> {
    fn nth(&self, at: usize) -> Option<Handle<Row>> {
        self.live.keys().nth(at % self.live.len().max(1)).copied()
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Insert(n) => {
                let row = row(n);
                match self.pool.try_insert(row.clone()) {
                    Ok(handle) => assert!(self.live.insert(handle, row).is_none()),
                    Err(full) => {
                        assert!(full.0 == row && self.pool.len() == self.pool.capacity());
                    }
                }
            }
            Step::Remove(at) => {
                let Some(handle) = self.nth(at) else { return };
                assert_eq!(self.pool.remove(handle), self.live.remove(&handle));
                self.ended.push(handle);
            }
            Step::Replace(at, n) => {
                let (Some(handle), row) = (self.nth(at), row(n)) else { return };
                let old = self.pool.replace(handle, row.clone()).ok();
                assert_eq!(old, self.live.insert(handle, row));
            }
            Step::Column(n) => {
                self.pool.columns_mut().0.iter_mut().for_each(|x| *x = x.wrapping_add(n as u8));
                self.live.values_mut().for_each(|row| row.0 = row.0.wrapping_add(n as u8));
            }
            Step::Sort(n) => {
                let key = |row: &Rc<u32>| **row / n;
                let mut expected = self.pool.handles().to_vec();
                expected.sort_by_key(|handle| key(&self.live[handle].1));
                self.pool.sort_by(|a, b| key(a.1).cmp(&key(b.1)));
                assert_eq!(self.pool.handles(), expected);
            }
            Step::Swap(a, b) if !self.live.is_empty() => {
                let (a, b) = (a % self.live.len(), b % self.live.len());
                let mut expected = self.pool.handles().to_vec();
                expected.swap(a, b);
                self.pool.swap_rows(a, b);
                assert_eq!(self.pool.handles(), expected);
            }
            Step::Swap(..) => assert!(self.pool.is_empty()),
            Step::Parts(a, b, n) => self.change_parts(a, b, n),
            Step::Retain(n) => {
                self.pool.retain(|_, (_, row, _)| **row % n != 0);
                let gone = self.live.iter().filter(|(_, row)| *row.1 % n == 0);
                let gone: Vec<_> = gone.map(|(&handle, _)| handle).collect();
                gone.iter().for_each(|handle| _ = self.live.remove(handle));
                self.ended.extend(gone);
            }
            Step::Drain(n) => {
                let taken: Vec<_> = self.pool.drain().take(n).collect();
                assert!(taken.iter().all(|(handle, row)| self.live.get(handle) == Some(row)));
                self.ended.extend(std::mem::take(&mut self.live).into_keys());
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

    /// Adds to the first field of rows: of a range, of two parts, of many parts, of two rows.
    fn change_parts(&mut self, a: usize, b: usize, n: u8) {
        let len = self.live.len();
        let (a, b) = (a % (len + 1), b % (len + 1));
        let (a, b) = (a.min(b), a.max(b));
        let mut added = vec![0; len];
        let add = |fields: &mut [u8], n: u8| {
            fields.iter_mut().for_each(|field| *field = field.wrapping_add(n));
        };
        let (range, odd) = (self.pool.columns_in_mut(a..b), self.live.len() % 2 == 0);
        assert_eq!((range.0.len(), range.2.len()), (b - a, b - a));
        add(range.0, n);
        add(&mut added[a..b], n);
        let (left, right) = self.pool.split_columns_mut(b);
        assert_eq!((left.1.len(), right.1.len()), (b, len - b));
        add(left.0, 1);
        add(right.0, u8::from(odd));
        add(&mut added[..b], 1);
        add(&mut added[b..], u8::from(odd));
        let size = usize::from(n);
        let parts: Vec<_> = self.pool.split_columns_by_mut(size).map(|part| part.0).collect();
        assert_eq!(parts.len(), added.chunks(size).len());
        for (number, (ours, theirs)) in parts.into_iter().zip(added.chunks_mut(size)).enumerate() {
            assert_eq!(ours.len(), theirs.len());
            add(ours, number as u8);
            add(theirs, number as u8);
        }
        let handles = self.pool.handles().to_vec();
        if let (Some(&first), Some(&second)) = (handles.get(a), handles.get(b)) {
            match self.pool.get_disjoint_mut([first, second]) {
                Some([first, second]) => std::mem::swap(first.0, second.0),
                None => assert_eq!(a, b),
            }
            let (x, y) = (self.live[&first].0, self.live[&second].0);
            let (x, y) = (x.wrapping_add(added[a]), y.wrapping_add(added[b]));
            (added[a], added[b]) =
                (y.wrapping_sub(self.live[&first].0), x.wrapping_sub(self.live[&second].0));
        }
        for (handle, added) in handles.iter().zip(added) {
            add(std::slice::from_mut(&mut self.live.get_mut(handle).unwrap().0), added);
        }
    }

    fn check(&self) {
        assert_eq!(self.pool.len(), self.live.len());
        for (&handle, row) in &self.live {
            assert!(self.pool.get(handle).is_some_and(|found| same(found, row)));
            assert_eq!(Rc::strong_count(&row.1), 2);
        }
        assert!(self.ended.iter().all(|&handle| !self.pool.contains(handle)));
        assert!(self.pool.iter().all(|(handle, row)| same(row, &self.live[&handle])));
        let (small, shared, odd) = self.pool.columns();
        for (at, handle) in self.pool.handles().iter().enumerate() {
            assert!(same((&small[at], &shared[at], &odd[at]), &self.live[handle]));
        }
        assert_eq!((small.len(), odd.len()), (self.live.len(), self.live.len()));
    }
}

fn agree<S: Storage<u32> + Clone>(pool: SoaPool<Row, S>, steps: &[Step]) {
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
    fn a_pool_in_columns_is_a_map(steps in steps()) {
        agree(SoaPool::new(), &steps);
        agree(SoaFixedPool::with_fixed_capacity(20), &steps);
    }
}
