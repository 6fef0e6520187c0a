//! Typed pools: rows, handles and indices.

use std::cell::Cell;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use heapsmith::pool::{Growable, Storage};
use heapsmith::{AllocError, FixedPool, Handle, InlinePool, Pool};

/// A row that counts destructors, and panics in its own if it is set to.
#[derive(Clone)]
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

fn counted(ended: &Cell<u32>, n: u32, panicking: u32) -> Pool<Counted<'_>> {
    (0..n).map(|i| Counted { ended, panics: i == panicking }).collect()
}

fn panics(f: impl FnOnce()) -> String {
    let message = catch_unwind(AssertUnwindSafe(f)).expect_err("it should panic");
    message.downcast_ref::<String>().cloned().unwrap_or_else(|| {
        (*message.downcast_ref::<&str>().expect("panics have messages")).to_string()
    })
}

#[test]
fn sizes_are_as_documented() {
    assert_eq!(size_of::<Handle<String>>(), 8);
    assert_eq!(size_of::<Option<Handle<String>>>(), 8);
    assert_eq!(size_of::<InlinePool<u32, 101>>() - size_of::<InlinePool<u32, 1>>(), 800);
    assert_eq!(size_of::<InlinePool<u64, 101>>() - size_of::<InlinePool<u64, 1>>(), 1600);
}

#[test]
fn the_slot_freed_last_is_reused_first() {
    let mut pool: Pool<u32> = (0..4).collect();
    assert_eq!((pool.remove_at(1), pool.remove_at(3)), (Some(1), Some(3)));
    let indices: Vec<u32> = (0..3).map(|row| pool.insert(row).index()).collect();
    assert_eq!(indices, [3, 1, 4]);
}

#[test]
fn stale_handles_are_detected() {
    let mut pool = Pool::new();
    let stale: Vec<_> = (0..10)
        .map(|row| {
            let handle = pool.insert(row);
            assert_eq!(pool.remove(handle), Some(row));
            handle
        })
        .collect();
    let now = pool.insert(10);
    for &handle in &stale {
        assert_eq!(handle.index(), now.index());
        assert!(!pool.contains(handle));
        assert_eq!(pool.get(handle), None);
        assert_eq!(pool.remove(handle), None);
    }
    assert_eq!(now.generation(), 10);
    assert_eq!(
        panics(|| pool[stale[3]] = 1),
        "stale handle: the row of slot 0 in generation 3 was removed"
    );
    assert_eq!(pool.remove(now), Some(10));
}

#[test]
fn foreign_handles_are_detected() {
    let (mut a, mut b) = (Pool::new(), Pool::new());
    let (of_a, of_b) = (a.insert('a'), b.insert('b'));
    assert_eq!((of_a.index(), of_a.generation()), (of_b.index(), of_b.generation()));
    assert_ne!(of_a, of_b);
    assert!(!a.contains(of_b) && !b.contains(of_a));
    let message = panics(|| _ = a[of_b]);
    let (at, id) = (of_b.pool_id(), of_a.pool_id());
    assert_eq!(message, format!("foreign handle: it belongs to pool {at}, and this is pool {id}"));
    assert!(Pool::<char>::new().get(of_a).is_none());
}

#[test]
fn no_integer_is_the_handle_of_a_dead_slot() {
    let mut pool = Pool::new();
    let handle = pool.insert(Box::new(1));
    pool.remove(handle);
    let bits = handle.to_bits().get();
    for generation in 0..4 {
        for id in 0..4096 {
            let forged = (id << 52) | (generation << 32) | (bits & 0xffff_ffff);
            assert!(Handle::from_bits(forged).is_none_or(|h| pool.get(h).is_none()));
        }
    }
    assert!(Handle::<u8>::from_bits(u64::MAX).is_some_and(|h| h.index() == u32::MAX));
}

#[test]
fn handles_are_ordered_like_their_bits() {
    let mut pool = Pool::new();
    let mut handles: Vec<Handle<u8>> = (0..3).map(|row| pool.insert(row)).collect();
    pool.remove(handles[1]);
    handles.push(pool.insert(3));
    let sorted = HashSet::<_>::from_iter(handles.iter().copied());
    assert_eq!(sorted.len(), 4);
    for (a, b) in handles.iter().flat_map(|a| handles.iter().map(move |b| (a, b))) {
        assert_eq!(a.cmp(b), a.to_bits().cmp(&b.to_bits()));
    }
    assert!(format!("{:?}", handles[3]).starts_with("Handle(1 v1 of pool "));
}

#[test]
#[cfg_attr(miri, ignore = "a million rows")]
fn a_slot_retires_when_its_generations_are_used_up() {
    const GENERATIONS: u32 = 1 << 20;
    let mut growing = Pool::with_capacity(16);
    let mut fixed = FixedPool::with_fixed_capacity(1);
    let first = (growing.insert(0), fixed.insert(0));
    for round in 1..GENERATIONS {
        growing.remove_at(0);
        fixed.remove_at(0);
        let (a, b) = (growing.insert(round), fixed.insert(round));
        assert_eq!((a.index(), a.generation(), b.generation()), (0, round, round));
    }
    let capacity = growing.capacity();
    growing.remove_at(0);
    assert_eq!(growing.capacity(), capacity - 1);
    assert_eq!(growing.insert(1).index(), 1);
    growing.remove_at(1);
    growing.shrink_to_fit(); // which must not forget the retired slot
    assert_eq!((growing.capacity(), growing.insert(2).index()), (0, 1));
    assert!(!growing.contains(first.0));
    growing.reserve(31);
    assert_eq!(growing.capacity(), 32);
    // A fixed pool reuses the slot instead of running out of slots, so the first handle is
    // mistaken.
    fixed.remove_at(0);
    assert_eq!(fixed.insert(7), first.1);
}

#[test]
fn shrinking_keeps_stale_handles_stale() {
    let mut pool: Pool<u32> = (0..100).collect();
    let stale: Vec<_> = pool.handles().skip(20).collect();
    pool.retain(|handle, _| handle.index() < 20);
    assert!(pool.remove_at(4).is_some() && pool.remove_at(9).is_some());
    pool.shrink_to_fit();
    assert_eq!((pool.capacity(), pool.end_index()), (20, 20));
    assert_eq!((pool.insert(0).index(), pool.insert(0).index()), (4, 9));
    pool.extend(0..100);
    assert!(stale.iter().all(|&handle| !pool.contains(handle)));
    pool.clear();
    pool.shrink_to_fit();
    assert_eq!((pool.capacity(), pool.end_index()), (0, 0));
}

fn refuses_when_full<S: Storage<String>>(mut pool: Pool<String, S>, n: usize) {
    let handles: Vec<_> = (0..n).map(|i| pool.insert(format!("{i}"))).collect();
    assert_eq!((pool.len(), pool.capacity()), (n, n));
    let full = pool.try_insert("one too many".into()).unwrap_err();
    assert_eq!(full.0, "one too many");
    assert_eq!(full.to_string(), "there is no free slot");
    assert_eq!(panics(|| _ = pool.insert(String::new())), full.to_string());
    assert!(matches!(pool.vacant_entry().err(), Some(AllocError::NoRoom { remaining: 0, .. })));
    assert!(pool.try_reserve(1).is_err() && pool.try_reserve(0).is_ok());
    pool.shrink_to_fit();
    assert_eq!(pool.remove(handles[n - 1]).unwrap(), format!("{}", n - 1));
    assert!(pool.try_reserve(1).is_ok() && pool.try_reserve(2).is_err());
    assert_eq!(pool.insert("again".into()).index() as usize, n - 1);
    assert_eq!(pool.into_iter().rev().map(|(_, row)| row).next().unwrap(), "again");
}

#[test]
fn fixed_pools_refuse_when_full() {
    refuses_when_full(FixedPool::with_fixed_capacity(5), 5);
    refuses_when_full(InlinePool::<String, 5>::inline(), 5);
    assert!(InlinePool::<String, 0>::default().try_insert(String::new()).is_err());
    assert!(FixedPool::with_fixed_capacity(0).try_insert(1).is_err());
}

#[test]
fn a_fixed_pool_may_be_static() {
    use std::sync::Mutex;
    static NAMES: Mutex<InlinePool<&str, 4>> = Mutex::new(InlinePool::inline());
    let name = NAMES.lock().unwrap().insert("Ada");
    assert_eq!(NAMES.lock().unwrap().get(name), Some(&"Ada"));
}

#[test]
fn a_failed_request_changes_nothing() {
    let mut pool: Pool<u64> = (0..3).collect();
    assert_eq!(pool.try_reserve(usize::MAX), Err(AllocError::TooLarge));
    assert!(pool.try_reserve(1 << 40).is_err());
    assert!(FixedPool::<u8>::try_with_fixed_capacity(1 << 32).is_err());
    assert_eq!((pool.len(), pool.capacity()), (3, 16));
    pool.reserve(14);
    assert_eq!(pool.capacity(), 32);
}

#[test]
fn rows_know_their_handles_before_they_exist() {
    let mut pool = Pool::new();
    let a = pool.insert_with_handle(|me| vec![me.to_bits()]);
    assert_eq!(pool[a], [a.to_bits()]);
    let announced = pool.vacant_entry().unwrap().handle();
    assert!(!pool.contains(announced) && pool.len() == 1);
    assert!(catch_unwind(AssertUnwindSafe(|| pool.insert_with_handle(|_| panic!()))).is_err());
    assert_eq!((pool.len(), pool.insert(Vec::new())), (1, announced));
}

#[test]
fn several_rows_are_changed_together() {
    let mut pool: Pool<String> = ["a", "b", "c"].map(String::from).into_iter().collect();
    let [a, b, c] = <[_; 3]>::try_from(pool.handles().collect::<Vec<_>>()).unwrap();
    let [x, y, z] = pool.get_disjoint_mut([c, a, b]).unwrap();
    std::mem::swap(x, y);
    z.push_str(x);
    assert!(pool.rows().eq(["c", "ba", "a"].iter()));
    assert!(pool.get_disjoint_mut([a, b, a]).is_none());
    pool.remove(b);
    assert!(pool.get_disjoint_mut([a, b]).is_none());
    assert!(pool.get_disjoint_mut([]).is_some());
}

#[test]
fn iterators_agree_from_both_ends() {
    let mut pool: Pool<u32> = (0..20).collect();
    pool.retain(|_, row| *row % 3 != 0);
    let expected: Vec<u32> = (0..20).filter(|row| row % 3 != 0).collect();
    assert!(pool.rows().eq(&expected) && pool.rows().rev().eq(expected.iter().rev()));
    assert_eq!((pool.iter().len(), pool.handles().len()), (13, 13));
    let mut ends = pool.iter_mut();
    let (first, last) = (ends.next().unwrap(), ends.next_back().unwrap());
    std::mem::swap(first.1, last.1);
    assert_eq!((ends.len(), pool[pool.handle_at(1).unwrap()]), (11, 19));
    let mut rest = pool.clone().into_iter();
    assert_eq!((rest.next().unwrap().1, rest.next_back().unwrap().1, rest.len()), (19, 1, 11));
    assert!(rest.rev().all(|(handle, row)| pool[handle] == row));
    let mut spent = pool.rows();
    assert_eq!(spent.by_ref().count(), 13);
    assert_eq!((spent.next_back(), spent.next(), spent.len()), (None, None, 0));
    pool.retain(|_, row| *row == 1);
    assert_eq!(format!("{pool:?}"), format!("{{{:?}: 1}}", pool.handles().next().unwrap()));
}

#[test]
fn next_and_fold_see_the_same_rows() {
    for (len, divisor) in
        [(0, 1), (1, 1), (20, 1), (64, 2), (65, 2), (300, 3), (300, 64), (300, 301)]
    {
        let mut pool: Pool<u32> = (0..len).collect();
        pool.retain(|_, row| (*row + 1) % divisor == 0);
        let mut found = Vec::new();
        for (handle, row) in &pool {
            found.push((handle, *row));
        }
        for skipped in 0..found.len().min(3) {
            let mut rest = pool.iter();
            assert_eq!(rest.by_ref().take(skipped).count(), skipped);
            assert_eq!(rest.next_back().map(|(handle, row)| (handle, *row)), found.last().copied());
            let mut folded = Vec::new();
            rest.for_each(|(handle, row)| folded.push((handle, *row)));
            assert_eq!(folded, found[skipped..(found.len() - 1).max(skipped)]);
        }
        pool.rows_mut().for_each(|row| *row += 1);
        assert!(found.iter().all(|&(handle, row)| pool[handle] == row + 1));
    }
}

#[test]
fn zero_sized_rows_have_handles() {
    let mut pool = Pool::new();
    let handles: Vec<_> = (0..100).map(|_| pool.insert(())).collect();
    assert!(handles.iter().all(|&handle| pool.remove(handle).is_some()));
    assert!(handles.iter().all(|&handle| pool.remove(handle).is_none()));
}

#[test]
fn a_clone_has_the_same_handles() {
    let mut pool: Pool<Rc<u32>> = (0..9).map(Rc::new).collect();
    pool.retain(|_, row| **row != 4);
    let mut copy = pool.clone();
    assert!(pool.iter().eq(copy.iter()));
    let handle = copy.handle_at(5).unwrap();
    assert_eq!(Rc::strong_count(&pool[handle]), 2);
    copy.remove(handle);
    assert!(pool.contains(handle) && !copy.contains(handle));
    let fixed = FixedPool::<u8>::with_fixed_capacity(7);
    assert_eq!(fixed.clone().capacity(), 7);
}

#[test]
fn each_destructor_runs_once() {
    let ended = Cell::new(0);
    let mut pool = counted(&ended, 10, u32::MAX);
    drop(pool.remove_at(3));
    pool.retain(|handle, _| handle.index() != 5);
    assert_eq!(ended.get(), 2);
    assert_eq!(pool.drain().take(2).count(), 2);
    assert_eq!((ended.get(), pool.len()), (10, 0));
    pool.extend((0..10).map(|_| Counted { ended: &ended, panics: false }));
    std::mem::forget(pool.drain());
    assert_eq!((ended.get(), pool.len()), (10, 10));
    drop(pool.into_iter().nth(4));
    assert_eq!(ended.get(), 20);
}

#[test]
fn destructors_run_when_another_panics() {
    let ended = Cell::new(0);
    let mut pool = counted(&ended, 10, 4);
    assert_eq!(panics(|| pool.clear()), "as told");
    assert_eq!((ended.get(), pool.len()), (10, 0));
    let pool = counted(&ended, 10, 4);
    assert_eq!(panics(|| drop(pool)), "as told");
    assert_eq!(ended.get(), 20);
    let mut pool = counted(&ended, 10, 4);
    assert_eq!(panics(|| pool.retain(|_, _| false)), "as told");
    assert_eq!(pool.len(), 5); // the others live on
    drop(pool);
    assert_eq!(ended.get(), 30);
}

#[test]
fn pools_are_sent_and_shared_with_their_rows() {
    fn is_send_and_sync<P: Send + Sync>() {}
    is_send_and_sync::<Pool<String>>();
    is_send_and_sync::<Handle<Rc<u8>>>();
    is_send_and_sync::<InlinePool<u8, 4>>();
    let _: fn() -> Pool<u8, Growable<u8>> = Pool::<u8>::default;
}
