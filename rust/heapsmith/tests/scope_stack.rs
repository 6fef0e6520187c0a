//! The scope stack's own example, and regressions.

use core::mem::MaybeUninit;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith::{AllocError, Arena, BufferArena};

#[path = "../examples/scope_stack.rs"]
mod example;

#[test]
fn the_example_runs() {
    example::main();
}

/// Records its number when it is dropped, and panics if that is 100.
struct Noted<'a>(u32, &'a RefCell<Vec<u32>>);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.1.borrow_mut().push(self.0);
        assert_ne!(self.0, 100);
    }
}

#[test]
fn an_exactly_full_block_has_room_for_empty_scopes_of_each_kind() {
    let mut buffer = [MaybeUninit::uninit(); 256];
    let mut arena = BufferArena::new(&mut buffer);
    let room = arena.remaining();
    arena.scope(|outer| {
        assert_eq!(outer.alloc_slice_fill(room, 1u8).len(), room); // exact fit
        outer.scope(|inner| assert!(inner.try_alloc(1u8).is_err()));
        assert!(outer.guard().scope().try_alloc(1u8).is_err());
        outer.scope(|inner| assert!(inner.try_alloc_drop(()).is_ok()));
    });
    let level = arena.checked_scope();
    level.alloc_slice_fill(room, 1u8);
    let child = level.child();
    assert!(matches!(child.try_alloc(1u8), Err(AllocError::NoRoom { remaining: 0, .. })));
    drop(child);
    drop(level);
    assert_eq!(arena.remaining(), room);
}

#[test]
fn a_value_with_a_destructor_fits_exactly_or_is_dropped() {
    let dropped = RefCell::new(Vec::new());
    let mut buffer = [MaybeUninit::uninit(); 256];
    let mut arena = BufferArena::new(&mut buffer);
    arena.scope(|scope| {
        let header = 4 * size_of::<usize>();
        let needed = header + size_of::<Noted>();
        scope.alloc_slice_fill(scope.remaining() - needed, 1u8);
        scope.alloc_drop(Noted(1, &dropped));
        assert_eq!(scope.remaining(), 0);
        assert!(scope.try_alloc_drop(Noted(2, &dropped)).is_err());
        assert!(scope.try_alloc_drop_slice_with(1, |_| Noted(3, &dropped)).is_err()); // not made
        assert_eq!(*dropped.borrow(), [2]);
    });
    assert_eq!(*dropped.borrow(), [2, 1]);
}

#[test]
fn objects_of_different_alignment_are_packed() {
    #[repr(align(64))]
    struct Wide([u8; 64]);
    Arena::with_capacity(4096).scope(|scope| {
        let before = (&raw const *scope.alloc(1u8)).addr();
        let wide = scope.alloc(Wide([2; 64]));
        let at = (&raw const *wide).addr();
        assert_eq!(at, (before + 1).next_multiple_of(64));
        let after = scope.alloc(3u16);
        assert_eq!((&raw const *after).addr(), at + 64);
        assert_eq!((wide.0[63], *after), (2, 3));
    });
}

#[test]
fn zero_sized_values_are_dropped() {
    thread_local!(static DROPPED: RefCell<u32> = const { RefCell::new(0) });
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPPED.with_borrow_mut(|n| *n += 1);
        }
    }
    Arena::new().scope(|scope| {
        scope.alloc_drop(Nothing);
        scope.alloc_drop_slice_with(10, |_| Nothing);
        scope.alloc_drop_slice_with(0, |_| Nothing);
    });
    assert_eq!(DROPPED.take(), 11);
}

#[test]
fn errors_name_bytes_alignment_and_the_remaining_bytes() {
    let mut buffer = [MaybeUninit::uninit(); 256];
    let mut arena = BufferArena::new(&mut buffer);
    let message = arena.scope(|scope| {
        scope.alloc_slice_fill(scope.remaining() - 20, 1u8);
        scope.try_alloc([0u128; 5]).unwrap_err().to_string()
    });
    let align = align_of::<u128>();
    assert_eq!(message, format!("no room for 80 bytes aligned to {align}: 20 remain"));
}

#[test]
fn siblings_of_a_checked_scope_are_never_open_together() {
    let mut arena = Arena::new();
    let level = arena.checked_scope();
    let first = level.child();
    assert_eq!(level.try_child().err(), Some(AllocError::ChildIsOpen));
    let kept = first.alloc(1);
    assert_eq!(*kept, 1);
    drop(first);
    let second = level.child();
    assert_eq!(*second.alloc(2), 2);
}

/// In each kind of scope, all destructors run and the parent stays usable.
#[test]
fn a_panicking_destructor_does_not_stop_the_others() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    arena.scope(|outer| {
        let guarded = catch_unwind(AssertUnwindSafe(|| {
            let mut guard = outer.guard();
            let scope = guard.scope();
            [1, 100, 2].into_iter().for_each(|n| _ = scope.alloc_drop(Noted(n, &dropped)));
        }));
        assert!(guarded.is_err());
        assert_eq!(dropped.take(), [2, 100, 1]);
        outer.alloc_drop(Noted(3, &dropped));
    });
    assert_eq!(dropped.take(), [3]);

    let level = arena.checked_scope();
    let child = level.child();
    [1, 100, 2].into_iter().for_each(|n| _ = child.alloc_drop(Noted(n, &dropped)));
    assert!(catch_unwind(AssertUnwindSafe(|| drop(child))).is_err());
    assert_eq!(dropped.take(), [2, 100, 1]);
    assert!(!level.has_open_child());
    assert_eq!(*level.alloc(4), 4);
    drop(level);
    assert_eq!(arena.stats().used, 0);
}
