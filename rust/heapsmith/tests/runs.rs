//! Runs of values with destructors: the cost of their headers and the order of destructors.

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith::{AllocError, Arena, BufferArena};

/// The size of the header in front of a run.
const HEADER: usize = 4 * size_of::<usize>();

/// Records its number when it is dropped. `A` makes it one of several types.
struct Noted<'a, A>(u32, &'a RefCell<Vec<u32>>, [A; 0]);

impl<A> Drop for Noted<'_, A> {
    fn drop(&mut self) {
        self.1.borrow_mut().push(self.0);
        if self.0 >= 100 {
            panic!("{}", self.0);
        }
    }
}

type Small<'a> = Noted<'a, u8>;
type Aligned<'a> = Noted<'a, u128>;

fn noted<A>(number: u32, dropped: &RefCell<Vec<u32>>) -> Noted<'_, A> {
    Noted(number, dropped, [])
}

#[test]
fn consecutive_values_of_one_type_share_a_header() {
    Arena::with_capacity(1000).scope(|scope| {
        let before = scope.remaining();
        scope.alloc_drop(1u64);
        assert_eq!(before - scope.remaining(), 8, "no destructor, no header");
        for i in 1..=20 {
            scope.alloc_drop(Box::new(i));
            assert_eq!(before - scope.remaining(), 8 + HEADER + i * size_of::<Box<usize>>());
        }
    });
}

#[test]
fn types_may_alternate() {
    let dropped = RefCell::new(Vec::new());
    Arena::new().scope(|scope| {
        for i in 0..20 {
            scope.alloc_drop(noted::<u8>(2 * i, &dropped));
            scope.alloc(i as u8);
            let value: &mut Aligned = scope.alloc_drop(noted(2 * i + 1, &dropped));
            assert!((&raw const *value).addr() % align_of::<Aligned>() == 0);
            scope.alloc_drop_slice_with(2, Box::new);
        }
    });
    let reversed: Vec<u32> = (0..40).rev().collect();
    assert_eq!(*dropped.borrow(), reversed);
}

#[test]
fn runs_continue_in_the_next_piece_and_around_children() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    arena.scope(|scope| {
        for i in 0..50 {
            scope.alloc_drop(Noted(2 * i, &dropped, [0u64; 0]));
            scope.scope(|child| {
                child.alloc_drop(noted::<u8>(50, &dropped));
                child.alloc_slice_fill(300, 0u8);
            });
        }
        assert_eq!(dropped.borrow_mut().drain(..).collect::<Vec<_>>(), [50; 50]);
    });
    let reversed: Vec<u32> = (0..50).rev().map(|i| 2 * i).collect();
    assert_eq!(*dropped.borrow(), reversed);
}

#[test]
fn a_panic_in_the_middle_of_a_run_drops_the_rest() {
    let dropped = RefCell::new(Vec::new());
    let result = catch_unwind(AssertUnwindSafe(|| {
        Arena::new().scope(|scope| {
            scope.alloc_drop(noted::<u128>(1, &dropped));
            for number in [2, 3, 100, 4, 5] {
                scope.alloc_drop(noted::<u8>(number, &dropped));
            }
        })
    }));
    assert_eq!(result.unwrap_err().downcast_ref::<String>().unwrap(), "100");
    assert_eq!(*dropped.borrow(), [5, 4, 100, 3, 2, 1]);
}

#[test]
fn making_a_value_may_make_others() {
    let dropped = RefCell::new(Vec::new());
    Arena::new().scope(|scope| {
        scope.alloc_drop(noted::<u8>(1, &dropped));
        scope.alloc_drop_with(|| {
            scope.alloc_drop(noted::<u8>(2, &dropped));
            scope.alloc_drop_with(|| {
                scope.alloc_drop(noted::<u128>(3, &dropped));
                noted::<u8>(4, &dropped)
            });
            noted::<u8>(5, &dropped)
        });
        scope.alloc_drop(noted::<u8>(6, &dropped));
        scope.alloc_drop_slice_with(2, |i| {
            scope.alloc_drop(noted::<u8>(7 + i as u32, &dropped));
            noted::<u8>(10 + i as u32, &dropped)
        });
    });
    assert_eq!(*dropped.borrow(), [10, 11, 8, 7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn a_panic_in_make_leaves_the_run_unchanged() {
    let dropped = RefCell::new(Vec::new());
    Arena::new().scope(|scope| {
        for number in 0..3 {
            scope.alloc_drop(noted::<u8>(number, &dropped));
            let made = catch_unwind(AssertUnwindSafe(|| {
                scope.alloc_drop_with::<Small>(|| panic!("made nothing"));
            }));
            assert!(made.is_err());
        }
    });
    assert_eq!(*dropped.borrow(), [2, 1, 0]);
}

#[test]
fn a_value_without_room_for_its_header_is_dropped() {
    let dropped = RefCell::new(Vec::new());
    let mut buffer = [MaybeUninit::uninit(); 400];
    BufferArena::new(&mut buffer).scope(|scope| {
        scope.alloc_drop(noted::<u8>(1, &dropped));
        let refused = scope.try_alloc_drop_with(|| {
            scope.alloc_drop(noted::<u8>(2, &dropped));
            scope.alloc_slice_fill(scope.remaining(), 0u8);
            noted::<u8>(3, &dropped)
        });
        assert!(matches!(refused, Err(AllocError::NoRoom { .. })));
        assert_eq!(*dropped.borrow(), [3]);
        let refused = scope.try_alloc_drop_with::<Small>(|| unreachable!("there is no room"));
        assert!(refused.is_err());
    });
    assert_eq!(*dropped.borrow(), [3, 2, 1]);
}

thread_local!(static DROPPED: Cell<usize> = const { Cell::new(0) });

/// Has a destructor and an alignment, but no size.
struct Nothing([u64; 0]);

impl Drop for Nothing {
    fn drop(&mut self) {
        DROPPED.set(DROPPED.get() + 1);
    }
}

#[test]
fn zero_sized_values_are_dropped_once_each() {
    Arena::new().scope(|scope| {
        scope.alloc(1u8);
        for _ in 0..10 {
            let nothing = scope.alloc_drop(Nothing([]));
            assert_eq!((&raw const nothing.0).addr() % align_of::<u64>(), 0);
        }
        assert_eq!(scope.alloc_drop_slice_with(5, |_| Nothing([])).len(), 5);
        assert_eq!(scope.alloc_drop_slice_with(0, |_| Nothing([])).len(), 0);
        assert_eq!(DROPPED.get(), 0);
    });
    assert_eq!(DROPPED.get(), 15);
}
