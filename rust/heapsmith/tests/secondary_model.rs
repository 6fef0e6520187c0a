//! Random steps on a secondary map beside a pool, compared with a map by index.

use std::collections::BTreeMap;
use std::rc::Rc;

use heapsmith::{Handle, Pool, SecondaryMap};
use proptest::prelude::*;

#[allow(dead_code)] // its model of blocks
mod support;

#[derive(Clone, Debug)]
enum Step {
    /// Inserts a row, or removes one of the live rows.
    InsertRow,
    RemoveRow(usize),
    /// Of any row that there ever was.
    Insert(usize, u32),
    Remove(usize),
    Change(usize, u32),
    GetOrInsert(usize, u32),
    /// Drops the values of removed rows.
    Retain,
    Clear,
    Collect,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let at = any::<usize>;
    let step = prop_oneof![
        8 => Just(Step::InsertRow),
        4 => at().prop_map(Step::RemoveRow),
        12 => (at(), any::<u32>()).prop_map(|(at, value)| Step::Insert(at, value)),
        4 => at().prop_map(Step::Remove),
        4 => (at(), any::<u32>()).prop_map(|(at, value)| Step::Change(at, value)),
        4 => (at(), any::<u32>()).prop_map(|(at, value)| Step::GetOrInsert(at, value)),
        1 => Just(Step::Retain),
        1 => Just(Step::Clear),
        1 => Just(Step::Collect),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 30 } else { 200 })
}

/// The reference count detects missing and double drops.
type Value = Rc<u32>;
type Model = BTreeMap<u32, (Handle<()>, Value)>;

fn value_of(model: &Model, handle: Handle<()>) -> Option<&Value> {
    model.get(&handle.index()).filter(|entry| entry.0 == handle).map(|entry| &entry.1)
}

fn follow(
    step: Step,
    pool: &mut Pool<()>,
    known: &mut Vec<Handle<()>>,
    map: &mut SecondaryMap<(), Value>,
    model: &mut Model,
) {
    let nth = |at: usize| known.get(at % known.len().max(1)).copied();
    match step {
        Step::InsertRow => known.push(pool.insert(())),
        Step::RemoveRow(at) => _ = nth(at).and_then(|handle| pool.remove(handle)),
        Step::Insert(at, value) => {
            let (Some(handle), value) = (nth(at), Rc::new(value)) else { return };
            let old = model.insert(handle.index(), (handle, value.clone()));
            let old = old.filter(|entry| entry.0 == handle).map(|entry| entry.1);
            assert_eq!(map.insert(handle, value), old);
        }
        Step::Remove(at) => {
            let Some(handle) = nth(at) else { return };
            let expected = value_of(model, handle).cloned();
            if expected.is_some() {
                model.remove(&handle.index());
            }
            assert_eq!(map.remove(handle), expected);
        }
        Step::Change(at, value) => {
            let Some(handle) = nth(at).filter(|&handle| map.contains(handle)) else { return };
            map[handle] = Rc::new(value);
            model.insert(handle.index(), (handle, map[handle].clone()));
        }
        Step::GetOrInsert(at, value) => {
            let Some(handle) = nth(at) else { return };
            let ours = map.get_or_insert_with(handle, || Rc::new(value)).clone();
            let theirs = value_of(model, handle).cloned().unwrap_or_else(|| ours.clone());
            assert!(Rc::ptr_eq(&ours, &theirs));
            model.insert(handle.index(), (handle, theirs));
        }
        Step::Retain => {
            map.retain(|handle, _| pool.contains(handle));
            model.retain(|_, entry| pool.contains(entry.0));
        }
        Step::Clear => {
            map.clear();
            model.clear();
        }
        Step::Collect => {
            let same = map.clone().into_iter().rev().collect::<SecondaryMap<_, _>>();
            assert_eq!(same, *map);
            *map = same;
        }
    }
}

proptest! {
    #![proptest_config(support::cases(200))]

    #[test]
    fn a_secondary_map_does_what_a_map_does(steps in steps()) {
        let (mut pool, mut known) = (Pool::new(), Vec::new());
        let (mut map, mut model) = (SecondaryMap::new(), Model::new());
        for step in steps {
            follow(step, &mut pool, &mut known, &mut map, &mut model);
            prop_assert_eq!((map.len(), map.is_empty()), (model.len(), model.is_empty()));
            prop_assert!(map.iter().eq(model.values().map(|(handle, value)| (*handle, value))));
            prop_assert!(map.iter().rev().eq(model.values().rev().map(|(h, value)| (*h, value))));
            for &handle in &known {
                prop_assert_eq!(map.get(handle), value_of(&model, handle));
            }
        }
        for (_, value) in &mut map {
            prop_assert_eq!(Rc::strong_count(value), 2);
        }
        drop(map);
        prop_assert!(model.values().all(|(_, value)| Rc::strong_count(value) == 1));
    }
}

#[test]
#[should_panic(expected = "no value for Handle(0 v0 of pool")]
fn a_row_without_a_value_is_named() {
    let mut pool = Pool::new();
    let handle = pool.insert('a');
    _ = SecondaryMap::<char, u32>::new()[handle];
}

#[test]
fn iterators_meet_in_the_middle() {
    let pool: Pool<u32> = (0..10).collect();
    let map: SecondaryMap<u32, u32> =
        pool.iter().filter(|(_, n)| **n % 3 == 0).map(|(handle, n)| (handle, *n)).collect();
    let mut values = map.into_iter();
    let ends = [values.next_back(), values.next(), values.next_back(), values.next()];
    assert_eq!(ends.map(|end| end.map(|(_, n)| n)), [Some(9), Some(0), Some(6), Some(3)]);
    assert_eq!((values.len(), values.next(), values.next_back()), (0, None, None));
}
