//! Secondary maps: entries, several values at once, draining.
#![cfg(feature = "alloc")]

use std::rc::Rc;

use heapsmith::pool::SecondaryEntry::{Occupied, Vacant};
use heapsmith::{Handle, Pool, SecondaryMap};

/// Some handles, of which the one at index 1 is stale and shares its slot with the last.
fn handles() -> [Handle<char>; 4] {
    let mut pool = Pool::new();
    let [a, b, c] = ['a', 'b', 'c'].map(|row| pool.insert(row));
    pool.remove(b);
    [a, b, c, pool.insert('d')]
}

#[test]
fn an_entry_is_that_of_one_row_of_a_slot() {
    let [_, old, _, new] = handles();
    let mut map = SecondaryMap::from_iter([(old, Rc::new(1))]);
    let kept = map[old].clone();
    let Vacant(entry) = map.entry(new) else { panic!("the value is that of another row") };
    assert_eq!(**entry.insert(Rc::new(2)), 2);
    assert_eq!((Rc::strong_count(&kept), map.len()), (1, 1)); // the older value was dropped
    assert!(matches!(map.entry(old), Vacant(_)));
    let Occupied(mut entry) = map.entry(new) else { panic!("the row has a value") };
    *entry.get_mut() = Rc::new(3);
    assert_eq!(**entry.get(), 3);
    assert_eq!((*entry.remove(), map.len()), (3, 0));
}

#[test]
fn an_entry_that_is_dropped_inserts_nothing() {
    let [a, ..] = handles();
    let mut map = SecondaryMap::<char, u8>::new();
    assert_eq!(map.entry(a).handle(), a);
    assert_eq!((map.len(), map.capacity()), (0, 0));
    let changed = map.entry(a).and_modify(|_| panic!("there is no value")).or_insert(1);
    assert_eq!(*changed, 1);
    assert_eq!(*map.entry(a).or_insert_with(|| panic!("there is a value")), 1);
}

#[test]
fn several_values_at_once_are_different_ones() {
    let [a, old, c, new] = handles();
    let mut map = SecondaryMap::from_iter([(c, 3), (a, 1), (new, 2)]);
    let [x, y, z] = map.get_disjoint_mut([new, c, a]).unwrap();
    (*x, *y, *z) = (*y, *z, *x);
    assert_eq!((map[a], map[new], map[c]), (2, 3, 1));
    assert_eq!(map.get_disjoint_mut([]), Some([]));
    assert_eq!(map.get_disjoint_mut([old]), None);
    assert_eq!(map.get_disjoint_mut([a, new, a]), None);
    assert_eq!(map.get_disjoint_mut([new, old]), None); // in one slot
    assert_eq!(map.get_disjoint_mut([c, c]), None); // the last slot
    map.remove(c);
    assert_eq!(map.get_disjoint_mut([a, c]), None);
    let far = Handle::from_bits(a.to_bits().get() | 1000).unwrap();
    assert_eq!(map.get_disjoint_mut([a, far]), None);
}

#[test]
fn draining_takes_each_value_once() {
    let [a, _, c, d] = handles();
    let value = Rc::new(());
    let full = || SecondaryMap::from_iter([a, c, d].map(|handle| (handle, value.clone())));
    let mut map = full();
    let mut drain = map.drain();
    assert_eq!((drain.len(), drain.next().map(|(handle, _)| handle)), (3, Some(a)));
    assert_eq!(drain.next_back().map(|(handle, _)| handle), Some(c));
    drop(drain);
    assert_eq!((map.len(), map.iter().count(), Rc::strong_count(&value)), (0, 0, 1));
    map.insert(d, value.clone());
    assert_eq!((map.len(), map.contains(a), Rc::strong_count(&value)), (1, false, 2));
    std::mem::forget(full().drain()); // the map is empty, and drops nothing twice
}

#[test]
fn capacity_is_set_for_indices() {
    let [a, ..] = handles();
    let mut map = SecondaryMap::from_iter([(a, 1)]);
    map.set_capacity(100);
    let capacity = map.capacity();
    assert!(capacity >= 100);
    map.set_capacity(50);
    assert_eq!((map.capacity(), map[a]), (capacity, 1));
    assert!(map.try_set_capacity(usize::MAX).is_err());
    assert!(map.try_set_capacity(isize::MAX as usize / 32).is_err());
    assert_eq!(map[a], 1);
}
