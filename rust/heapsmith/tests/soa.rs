//! Typed pools in columns, with rows that are tuples.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use heapsmith::soa::{Access, Views};
use heapsmith::{AllocError, Handle, Soa, SoaFixedPool, SoaPool};

type Named = (u32, String);

fn named(numbers: impl IntoIterator<Item = u32>) -> SoaPool<Named> {
    numbers.into_iter().map(|n| (n, format!("row {n}"))).collect()
}

#[test]
fn columns_hold_live_rows_and_nothing_else() {
    let mut pool = named(0..10);
    let handles = pool.handles().to_vec();
    for i in [9, 0, 5] {
        assert_eq!(pool.remove(handles[i]).unwrap().1, format!("row {i}"));
    }
    let (numbers, names) = pool.columns();
    assert_eq!(numbers, [8, 1, 2, 3, 4, 7, 6]);
    assert!(numbers.iter().zip(names).all(|(n, name)| *name == format!("row {n}")));
    for (position, &handle) in pool.handles().iter().enumerate() {
        assert_eq!(
            (pool.position_of(handle), handle),
            (Some(position), handles[numbers[position] as usize])
        );
        assert_eq!(pool.get(handle).unwrap().0, &numbers[position]);
    }
}

#[test]
fn each_column_begins_at_a_cache_line() {
    let mut pool: SoaPool<(u8, u64, [u8; 3], u16)> = SoaPool::new();
    for n in 0..1000 {
        pool.insert((n as u8, n, [n as u8; 3], n as u16));
        let (a, b, c, d) = pool.columns();
        let starts = [a.as_ptr().addr(), b.as_ptr().addr(), c.as_ptr().addr(), d.as_ptr().addr()];
        assert!(starts.iter().all(|start| start % 64 == 0));
        assert!(starts.is_sorted() && starts[3] - starts[0] < 64 * 3 + 12 * pool.capacity());
    }
    assert!(pool.columns().1.iter().copied().eq(0..1000));
}

#[test]
fn columns_keep_large_alignments() {
    #[repr(align(256))]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Wide(u8);
    let pool: SoaPool<_> = (0..100).map(|n| (n, Wide(n))).collect();
    assert_eq!(pool.columns().1.as_ptr().addr() % 256, 0);
    assert!(pool.columns().1.iter().zip(pool.columns().0).all(|(wide, n)| wide.0 == *n));
}

#[test]
fn stale_and_foreign_handles_are_detected() {
    let (mut pool, mut other) = (named(0..4), named(0..4));
    let (handle, foreign) = (pool.handles()[1], other.handles()[1]);
    pool.remove(handle);
    let now = pool.insert((9, "now".into()));
    assert_eq!(now.index(), handle.index());
    for bad in [handle, foreign] {
        assert!(!pool.contains(bad) && pool.position_of(bad).is_none());
        assert!(pool.get(bad).is_none() && pool.get_mut(bad).is_none());
        assert!(pool.remove(bad).is_none() && pool.get_cloned(bad).is_none());
        assert_eq!(pool.replace(bad, (1, "back".into())), Err((1, "back".into())));
    }
    assert!(other.remove(foreign).is_some());
    assert_eq!(pool.replace(now, (8, "new".into())), Ok((9, "now".into())));
    assert_eq!(pool.get_cloned(now), Some((8, "new".into())));
}

#[test]
fn a_field_is_changed_alone() {
    let mut pool = named(0..3);
    let handle = pool.handles()[2];
    *pool.get_mut(handle).unwrap().0 += 40;
    pool.get_mut(handle).unwrap().1.push('!');
    pool.columns_mut().0[0] = 7;
    for (_, (number, name)) in &mut pool {
        name.push_str(&number.to_string());
    }
    assert_eq!(pool.columns().1, ["row 07", "row 11", "row 2!42"]);
}

#[test]
fn iterators_agree_from_both_ends() {
    let mut pool = named(0..10);
    let forth: Vec<_> = pool.iter().map(|(handle, (n, _))| (handle, *n)).collect();
    let mut back: Vec<_> = pool.iter().rev().map(|(handle, (n, _))| (handle, *n)).collect();
    back.reverse();
    assert_eq!(forth, back);
    let mut ends = pool.iter_mut();
    let (first, last) = (ends.next().unwrap().1, ends.next_back().unwrap().1);
    std::mem::swap(first.1, last.1);
    assert_eq!((ends.len(), ends.rev().count()), (8, 8));
    assert_eq!((&*pool.columns().1[0], &*pool.columns().1[9]), ("row 9", "row 0"));
}

#[test]
fn iterators_skip_rows() {
    let mut pool = named(0..100);
    let expected: Vec<u32> = (0..100).skip(3).step_by(7).collect();
    assert!(pool.iter().skip(3).step_by(7).map(|(_, (n, _))| *n).eq(expected.iter().copied()));
    assert!(pool.iter_mut().skip(3).step_by(7).map(|(_, (n, _))| *n).eq(expected));
    let handles = pool.handles().to_vec();
    let mut rows = pool.iter();
    let both = (rows.nth(10).unwrap(), rows.nth_back(10).unwrap());
    assert_eq!((both.0.0, both.1.0, rows.len()), (handles[10], handles[89], 78));
    assert_eq!((*both.0.1.0, *both.1.1.0, rows.nth(78), rows.len()), (10, 89, None, 0));
    let mut rows = pool.iter_mut();
    let both = (rows.nth(10).unwrap(), rows.nth_back(10).unwrap());
    std::mem::swap(both.0.1.0, both.1.1.0);
    assert_eq!((both.0.0, both.1.0, rows.len()), (handles[10], handles[89], 78));
    assert_eq!((rows.nth_back(78), rows.next(), rows.len()), (None, None, 0));
    assert_eq!((pool.columns().0[10], pool.columns().0[89]), (89, 10));
}

#[test]
fn rows_leave_with_their_handles() {
    let mut pool = named(0..10);
    pool.remove(pool.handles()[0]);
    let (handles, expected) = (pool.handles().to_vec(), pool.columns().0.to_vec());
    let mut rows = pool.clone().into_iter();
    let last = rows.next_back().unwrap();
    assert_eq!((last.0, last.1.0, rows.len()), (handles[8], expected[8], 8));
    let (taken, left): (Vec<_>, Vec<_>) = rows.map(|(handle, (n, _))| (handle, n)).unzip();
    assert_eq!((&taken[..], &left[..]), (&handles[..8], &expected[..8]));
    pool.truncate(9);
    pool.truncate(2);
    assert_eq!((pool.columns().0, pool.handles()), (&[9, 1][..], &handles[..2]));
    assert!(handles[2..].iter().all(|&handle| !pool.contains(handle)));
    assert_eq!((pool.remove_row(2), pool.remove_row(0).map(|row| row.0)), (None, Some(9)));
    assert_eq!((pool.position_of(handles[1]), pool.pop().map(|row| row.0)), (Some(0), Some(1)));
    assert_eq!((pool.pop(), pool.into_iter().next()), (None, None));
    assert_eq!(SoaFixedPool::<Named>::with_fixed_capacity(3).into_iter().len(), 0);
}

#[test]
fn parts_cover_all_rows() {
    let pool = named(0..10);
    for rows in [1, 3, 5, 10, 11, usize::MAX] {
        let parts: Vec<_> = pool.split_columns_by(rows).map(|(numbers, _)| numbers).collect();
        assert_eq!(parts.concat(), pool.columns().0);
        assert!(parts.iter().rev().skip(1).all(|part| part.len() == rows));
        assert!(pool.split_columns_by(rows).rev().map(|part| part.0).eq(parts.into_iter().rev()));
    }
    for at in 0..=10 {
        let (left, right) = pool.split_columns(at);
        assert_eq!((left, right), (pool.columns_in(..at), pool.columns_in(at..)));
    }
    assert!(catch_unwind(|| pool.split_columns(11)).is_err());
    assert!(catch_unwind(|| pool.split_columns_by(0).len()).is_err());
    assert_eq!(SoaPool::<Named>::new().split_columns_by(1).len(), 0);
}

#[test]
fn fixed_pools_refuse_when_full() {
    let mut pool = SoaFixedPool::with_fixed_capacity(3);
    let handles = [1, 2, 3].map(|n| pool.insert((n, Rc::new(n))));
    assert_eq!((pool.len(), pool.capacity()), (3, 3));
    let row = (4, Rc::new(4));
    let full = pool.try_insert(row.clone()).unwrap_err();
    assert!(Rc::ptr_eq(&full.0.1, &row.1));
    assert!(matches!(pool.try_reserve(1), Err(AllocError::NoRoom { remaining: 0, .. })));
    assert!(catch_unwind(AssertUnwindSafe(|| pool.insert(row))).is_err());
    pool.remove(handles[0]);
    pool.shrink_to_fit();
    assert_eq!((pool.capacity(), pool.clone().capacity()), (3, 3));
    assert!(pool.try_insert((5, Rc::new(5))).is_ok());
    assert!(SoaFixedPool::<(u8,)>::try_with_fixed_capacity(1 << 32).is_err());
}

#[test]
fn shrinking_frees_memory() {
    let mut pool = named(0..1000);
    let stale = pool.handles()[999];
    pool.retain(|_, (n, _)| *n < 10);
    pool.shrink_to_fit();
    assert_eq!((pool.len(), pool.capacity()), (10, 10));
    pool.extend(named(0..1000).drain().map(|(_, row)| row));
    assert!(!pool.contains(stale) && pool.len() == 1010);
    pool.clear();
    pool.shrink_to_fit();
    assert_eq!(pool.capacity(), 0);
    assert_eq!(pool.try_reserve(usize::MAX), Err(AllocError::TooLarge));
    assert!(pool.try_reserve(1 << 56).is_err());
    assert_eq!(pool.insert((1, String::new())).generation(), 2);
}

#[test]
fn zero_sized_rows_have_handles() {
    let mut pool = SoaPool::new();
    let handles: Vec<Handle<((), [u64; 0])>> = (0..100).map(|_| pool.insert(((), []))).collect();
    assert_eq!(pool.columns().0.len(), 100);
    assert!(handles.iter().rev().all(|&handle| pool.remove(handle).is_some()));
    pool.shrink_to_fit();
    assert!(pool.is_empty() && handles.iter().all(|&handle| !pool.contains(handle)));
}

#[test]
fn a_clone_has_the_same_handles() {
    let mut pool = named(0..9);
    pool.remove(pool.handles()[3]);
    let mut copy = pool.clone();
    assert!(pool.iter().eq(copy.iter()));
    assert_eq!(format!("{pool:?}"), format!("{copy:?}"));
    copy.remove(pool.handles()[0]);
    assert_eq!((pool.len(), copy.len()), (8, 7));
    let one = named([5]);
    assert_eq!(format!("{one:?}"), format!("{{{:?}: (5, \"row 5\")}}", one.handles()[0]));
}

/// A field that counts destructors, and panics in its own if it is set to.
struct Counted<'a> {
    ended: &'a Cell<u32>,
    panics: bool,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.ended.set(self.ended.get() + 1);
        assert!(!self.panics, "as told");
    }
}

fn counted(ended: &Cell<u32>, panicking: u32) -> SoaPool<(Counted<'_>, u8, Counted<'_>)> {
    let field = |panics| Counted { ended, panics };
    (0..10).map(|n| (field(n == panicking), n as u8, field(false))).collect()
}

#[test]
fn each_destructor_runs_once() {
    let ended = Cell::new(0);
    let mut pool = counted(&ended, 99);
    drop(pool.remove(pool.handles()[3]));
    pool.retain(|_, (_, n, _)| *n != 5);
    assert_eq!(ended.get(), 4);
    assert_eq!(pool.drain().take(2).count(), 2);
    assert_eq!((ended.get(), pool.len()), (20, 0));
    let mut pool = counted(&ended, 99);
    std::mem::forget(pool.drain());
    assert_eq!((ended.get(), pool.len()), (20, 10));
    pool.reserve(1000);
    assert_eq!(ended.get(), 20);
    drop(pool);
    assert_eq!(ended.get(), 40);
}

#[test]
fn destructors_run_when_another_panics() {
    let ended = Cell::new(0);
    let mut pool = counted(&ended, 4);
    assert!(catch_unwind(AssertUnwindSafe(|| pool.clear())).is_err());
    assert_eq!((ended.get(), pool.len(), pool.columns().1.len()), (20, 0, 0));
    let pool = counted(&ended, 4);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(pool))).is_err());
    assert_eq!(ended.get(), 40);
    let mut rows = counted(&ended, 4).into_iter();
    assert!(rows.next().is_some() && rows.next_back().is_some());
    assert_eq!(ended.get(), 44);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(rows))).is_err());
    assert_eq!(ended.replace(40), 60);
    let mut pool = counted(&ended, 0);
    assert!(catch_unwind(AssertUnwindSafe(|| pool.retain(|_, _| false))).is_err());
    assert_eq!((pool.len(), ended.get()), (9, 42));
}

/// A field that panics when it is cloned too often.
struct Fragile(Rc<Cell<u32>>);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        self.0.set(self.0.get() - 1);
        assert!(self.0.get() > 0, "as told");
        Self(self.0.clone())
    }
}

#[test]
fn finished_clones_are_dropped_when_another_clone_panics() {
    let budget = Rc::new(Cell::new(5));
    let pool: SoaPool<_> = (0..10).map(|n| (Fragile(budget.clone()), n)).collect();
    assert!(catch_unwind(AssertUnwindSafe(|| pool.clone())).is_err());
    assert_eq!(Rc::strong_count(&budget), 11);
}

/// A row with an implementation by hand, one column of which is not a field.
struct Celsius(f64);

impl<'a> Views<'a> for Celsius {
    type Ref = &'a f64;
    type Mut = &'a mut f64;
    type Slices = &'a [f64];
    type SlicesMut = &'a mut [f64];
}

impl Soa for Celsius {
    type Fields = (f64,);

    fn into_fields(self, _: Access<Self>) -> (f64,) {
        (self.0 + 273.15,)
    }
    fn from_fields((kelvin,): (f64,), _: Access<Self>) -> Self {
        Self(kelvin - 273.15)
    }
    fn name_refs<'a>((kelvin,): (&'a f64,), _: Access<Self>) -> &'a f64
    where
        Self: 'a,
    {
        kelvin
    }
    fn name_muts<'a>((kelvin,): (&'a mut f64,), _: Access<Self>) -> &'a mut f64
    where
        Self: 'a,
    {
        kelvin
    }
    fn name_slices<'a>((kelvin,): (&'a [f64],), _: Access<Self>) -> &'a [f64]
    where
        Self: 'a,
    {
        kelvin
    }
    fn name_slices_mut<'a>((kelvin,): (&'a mut [f64],), _: Access<Self>) -> &'a mut [f64]
    where
        Self: 'a,
    {
        kelvin
    }
}

#[test]
fn soa_may_be_implemented_by_hand() {
    let mut pool = SoaPool::new();
    let zero = pool.insert(Celsius(0.0));
    assert_eq!((pool.columns(), pool.get(zero)), (&[273.15][..], Some(&273.15)));
    assert!(pool.remove(zero).is_some_and(|row| row.0 == 0.0));
}

#[test]
fn pools_are_sent_and_shared_with_their_rows() {
    fn is_send_and_sync<P: Send + Sync>() {}
    is_send_and_sync::<SoaPool<Named>>();
    is_send_and_sync::<heapsmith::soa::IterMut<Named>>();
    static EMPTY: SoaPool<(u8, u64)> = SoaPool::new();
    assert!(EMPTY.columns().0.is_empty());
}
