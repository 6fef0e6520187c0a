//! Random steps on a vector in an arena, compared with `Vec`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use heapsmith::{Arena, ArenaVec};
use proptest::prelude::*;

#[allow(dead_code)] // its model of blocks
mod support;

#[derive(Clone, Debug)]
enum Step {
    Extend(Vec<u8>),
    /// By an iterator that promises fewer elements than it has.
    ExtendSurprisingly(Vec<u8>),
    ExtendFromSlice(Vec<u8>),
    ExtendFromWithin(usize, usize),
    Append(Vec<u8>),
    SplitOff(usize),
    Resize(usize, u8),
    ResizeWith(usize),
    /// Takes so many from the front and the back of the range.
    Drain(usize, usize, usize, usize),
    /// As above, and whether the iterator of the new elements promises their number.
    Splice(usize, usize, usize, usize, Vec<u8>, bool),
    Dedup,
    DedupByKey,
    Retain(u8),
    Clone,
    /// Something else is allocated, so that the vector has to move.
    Neighbour,
    Shrink,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let values = || prop::collection::vec(0..4u8, 0..20);
    let at = any::<usize>;
    let step = prop_oneof![
        4 => values().prop_map(Step::Extend),
        2 => values().prop_map(Step::ExtendSurprisingly),
        2 => values().prop_map(Step::ExtendFromSlice),
        2 => (at(), at()).prop_map(|(a, b)| Step::ExtendFromWithin(a, b)),
        2 => values().prop_map(Step::Append),
        1 => at().prop_map(Step::SplitOff),
        1 => (0..60usize, 0..4u8).prop_map(|(len, value)| Step::Resize(len, value)),
        1 => (0..60usize).prop_map(Step::ResizeWith),
        3 => (at(), at(), 0..4usize, 0..4usize).prop_map(|(a, b, c, d)| Step::Drain(a, b, c, d)),
        3 => (at(), at(), 0..4usize, 0..4usize, values(), any::<bool>()).prop_map(
            |(a, b, c, d, values, promises)| Step::Splice(a, b, c, d, values, promises)
        ),
        1 => Just(Step::Dedup),
        1 => Just(Step::DedupByKey),
        1 => (0..4u8).prop_map(Step::Retain),
        1 => Just(Step::Clone),
        2 => Just(Step::Neighbour),
        1 => Just(Step::Shrink),
    ];
    prop::collection::vec(step, 0..if cfg!(miri) { 30 } else { 100 })
}

/// The reference count detects missing and double drops.
type Row = Rc<u8>;

fn rows(values: &[u8]) -> Vec<Row> {
    values.iter().copied().map(Rc::new).collect()
}

fn range(a: usize, b: usize, len: usize) -> std::ops::Range<usize> {
    let (a, b) = (a % (len + 1), b % (len + 1));
    a.min(b)..a.max(b)
}

fn follow<'a>(
    arena: &'a Arena,
    list: &mut ArenaVec<'a, 'a, Row>,
    model: &mut Vec<Row>,
    step: Step,
) {
    match step {
        Step::Extend(values) => {
            let more = rows(&values);
            list.extend(more.clone());
            model.extend(more);
        }
        Step::ExtendSurprisingly(values) => {
            let more = rows(&values);
            list.extend(more.iter().filter(|_| true).cloned());
            model.extend(more);
        }
        Step::ExtendFromSlice(values) => {
            let more = rows(&values);
            list.extend_from_slice(&more);
            model.extend(more);
        }
        Step::ExtendFromWithin(a, b) => {
            let range = range(a, b, model.len());
            list.extend_from_within(range.clone());
            model.extend_from_within(range);
        }
        Step::Append(values) => {
            let more = rows(&values);
            let mut other = arena.vec();
            other.extend(more.clone());
            list.append(&mut other);
            assert!(other.is_empty());
            model.extend(more);
        }
        Step::SplitOff(at) => {
            let at = at % (model.len() + 1);
            let (other, expected) = (list.split_off(at), model.split_off(at));
            assert_eq!(other, expected);
        }
        Step::Resize(len, value) => {
            let value = Rc::new(value);
            list.resize(len, value.clone());
            model.resize(len, value);
        }
        Step::ResizeWith(len) => {
            list.resize_with(len, || Rc::new(9));
            model.truncate(len);
            model.extend_from_slice(&list[model.len()..]);
        }
        Step::Drain(a, b, front, back) => {
            let range = range(a, b, model.len());
            let (mut removed, mut expected) = (list.drain(range.clone()), model.drain(range));
            assert_eq!(removed.len(), expected.len());
            for _ in 0..front {
                assert_eq!(removed.next(), expected.next());
            }
            for _ in 0..back {
                assert_eq!(removed.next_back(), expected.next_back());
            }
        }
        Step::Splice(a, b, front, back, values, promises) => {
            let (range, with) = (range(a, b, model.len()), rows(&values));
            let mut hidden = with.iter().filter(|_| true).cloned();
            let mut shown = with.iter().cloned();
            let ours: &mut dyn Iterator<Item = Row> =
                if promises { &mut shown } else { &mut hidden };
            let mut removed = list.splice(range.clone(), ours);
            let mut expected = model.splice(range, with.iter().cloned());
            assert_eq!(removed.len(), expected.len());
            for _ in 0..front {
                assert_eq!(removed.next(), expected.next());
            }
            for _ in 0..back {
                assert_eq!(removed.next_back(), expected.next_back());
            }
        }
        Step::Dedup => {
            list.dedup();
            model.dedup();
        }
        Step::DedupByKey => {
            list.dedup_by_key(|row| **row / 2);
            model.dedup_by_key(|row| **row / 2);
        }
        Step::Retain(value) => {
            list.retain(|row| **row != value);
            model.retain(|row| **row != value);
        }
        Step::Clone => {
            let (clone, expected) = (list.clone(), model.clone());
            assert_eq!(clone, expected);
            assert_eq!(clone.cmp(list), std::cmp::Ordering::Equal);
        }
        Step::Neighbour => {
            arena.alloc(1u8);
        }
        Step::Shrink => list.shrink_to_fit(),
    }
}

proptest! {
    #![proptest_config(support::cases(200))]

    #[test]
    fn a_vector_does_what_vec_does(steps in steps()) {
        let arena = Arena::new();
        let mut list = arena.vec();
        let mut model = Vec::new();
        for step in steps {
            follow(&arena, &mut list, &mut model, step);
            prop_assert_eq!(list.as_slice(), model.as_slice());
        }
        // Each row is in both, as often in one as in the other.
        for row in &model {
            let (ours, theirs) = (|it: &&Row| Rc::ptr_eq(it, row), |it: &&Row| Rc::ptr_eq(it, row));
            prop_assert_eq!(list.iter().filter(ours).count(), model.iter().filter(theirs).count());
            prop_assert_eq!(Rc::strong_count(row), 2 * model.iter().filter(theirs).count());
        }
    }
}

/// Panics at the clone of a given number.
struct Fragile {
    number: u32,
    fatal: u32,
    alive: Rc<()>,
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(self.number != self.fatal, "a clone that panics");
        Self { number: self.number, fatal: self.fatal, alive: self.alive.clone() }
    }
}

#[test]
fn a_clone_that_panics_leaves_what_was_cloned_before() {
    let alive = Rc::new(());
    let arena = Arena::new();
    let mut list = arena.vec();
    let from: Vec<Fragile> =
        (0..5).map(|number| Fragile { number, fatal: 3, alive: alive.clone() }).collect();
    catch_unwind(AssertUnwindSafe(|| list.extend_from_slice(&from))).expect_err("it panics");
    assert_eq!(list.iter().map(|it| it.number).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(Rc::strong_count(&alive), 1 + 5 + 3);
    drop(list);
    assert_eq!(Rc::strong_count(&alive), 1 + 5);
}

#[test]
fn elements_of_no_size_need_no_memory() {
    let arena = Arena::new();
    let mut list = arena.vec();
    list.extend([(); 5]);
    list.extend_from_slice(&[(); 5]);
    list.extend_from_within(..2);
    assert_eq!(list.drain(1..).count(), 11);
    list.resize(1000, ());
    assert_eq!((list.len(), arena.stats().used), (1000, 0));
}

#[test]
fn a_leaked_drain_loses_elements_and_no_more() {
    let arena = Arena::new();
    let mut list = arena.vec();
    list.extend([1, 2, 3]);
    std::mem::forget(list.drain(1..2));
    assert_eq!(list, [1]);
}

#[test]
#[should_panic(expected = "range 2..5 is out of bounds (len 3)")]
fn a_range_out_of_bounds_panics() {
    let arena = Arena::new();
    let mut list = arena.vec();
    list.extend([1, 2, 3]);
    list.drain(2..5);
}

#[test]
fn a_splice_that_panics_keeps_the_rest() {
    let alive = Rc::new(());
    let arena = Arena::new();
    let rows = |n: usize| vec![alive.clone(); n];
    let mut list = arena.vec();
    list.extend(rows(5));
    let with = rows(9).into_iter().enumerate().map(|(n, row)| {
        assert!(n < 7, "an iterator that panics");
        row
    });
    catch_unwind(AssertUnwindSafe(|| drop(list.splice(1..3, with)))).expect_err("it panics");
    assert_eq!((list.len(), Rc::strong_count(&alive)), (1 + 7 + 2, 1 + 10));
    list.shrink_to_fit();
    arena.set_limit(Some(0)); // no room for more than the piece has
    let many = std::iter::repeat_with(|| alive.clone()).take(1000);
    catch_unwind(AssertUnwindSafe(|| drop(list.splice(..8, many)))).expect_err("it panics");
    assert!(list.len() >= 2 && Rc::strong_count(&alive) == 1 + list.len());
    drop(list);
    assert_eq!(Rc::strong_count(&alive), 1);
}

#[test]
fn a_splice_of_elements_of_no_size() {
    let arena = Arena::new();
    let mut list = heapsmith::vec![in arena; (); 5];
    assert_eq!(list.splice(1..3, [(); 9]).count(), 2);
    assert_eq!(list.len(), 12);
    std::mem::forget(list.splice(1.., []));
    assert_eq!(list.len(), 1);
}

#[test]
fn a_splice_takes_the_last_room() {
    let mut buffer = [std::mem::MaybeUninit::uninit(); 128];
    let arena = heapsmith::BufferArena::new(&mut buffer);
    let capacity = arena.remaining();
    let mut list = arena.vec_with_capacity(capacity);
    list.extend((0..capacity - 2).map(|n| n as u8));
    list.splice(0..10, [0; 12]); // 10 of them fit in place of the old ones
    assert_eq!((list.len(), list[12]), (capacity, 10));
}
