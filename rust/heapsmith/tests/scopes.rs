//! Scopes: lifetimes, the order of destructors, and panics.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith::{AllocError, Arena, BufferArena};

/// Records its number when it is dropped.
struct Noted<'a>(u32, &'a RefCell<Vec<u32>>);

impl Drop for Noted<'_> {
    fn drop(&mut self) {
        self.1.borrow_mut().push(self.0);
        if self.0 >= 100 {
            panic!("{}", self.0);
        }
    }
}

#[test]
fn destructors_run_latest_first_at_each_scopes_end() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    arena.scope(|outer| {
        outer.alloc_drop(Noted(1, &dropped));
        outer.scope(|inner| {
            inner.alloc_drop(Noted(2, &dropped));
            inner.alloc(7u8);
            inner.alloc_drop(Noted(3, &dropped));
        });
        assert_eq!(*dropped.borrow(), [3, 2]);
        outer.alloc_drop_slice_with(2, |i| Noted(10 + i as u32, &dropped));
    });
    assert_eq!(*dropped.borrow(), [3, 2, 10, 11, 1]);
    assert_eq!(arena.stats().used, 0);
}

#[test]
fn a_parents_values_are_used_while_a_child_is_open() {
    let mut arena = Arena::new();
    let sum = arena.scope(|outer| {
        let kept = outer.alloc(1);
        let name = &*outer.alloc_str("outer");
        outer.scope(|inner| {
            *kept += 1;
            let line = inner.alloc_fmt(format_args!("{name}.inner"));
            let list = inner.alloc_drop(vec![&*kept]); // refers to the parent's
            assert_eq!(line, "outer.inner");
            list.iter().map(|n| **n).sum::<i32>()
        })
    });
    assert_eq!(sum, 2);
}

#[test]
fn values_of_a_scope_may_refer_to_each_other() {
    struct Node<'a> {
        next: Cell<Option<&'a Node<'a>>>,
        number: u32,
    }
    Arena::new().scope(|scope| {
        let a: &Node = scope.alloc(Node { next: Cell::new(None), number: 1 });
        let b: &Node = scope.alloc(Node { next: Cell::new(Some(a)), number: 2 });
        a.next.set(Some(b)); // a ring
        assert_eq!(a.next.get().unwrap().next.get().unwrap().number, 1);
        assert_eq!(b.number, 2);
    });
}

#[test]
fn siblings_use_the_same_memory() {
    let mut arena = Arena::new();
    let first = arena.scope(|s| (s.alloc([1u8; 100]) as *const [u8; 100]).addr());
    let second = arena.scope(|s| (s.alloc([2u8; 100]) as *const [u8; 100]).addr());
    assert_eq!(first, second);
}

#[test]
fn a_full_buffer_still_has_room_for_an_empty_scope() {
    let mut buffer = [core::mem::MaybeUninit::uninit(); 256];
    let mut arena = BufferArena::new(&mut buffer);
    arena.scope(|outer| {
        outer.alloc_slice_fill(outer.remaining(), 1u8);
        outer.scope(|inner| assert!(inner.try_alloc(1u8).is_err()));
        assert_eq!(outer.remaining(), 0);
    });
    assert!(arena.remaining() > 0);
}

#[test]
fn scopes_survive_the_growth_of_their_arena() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    arena.scope(|outer| {
        let first = outer.alloc(41u64);
        outer.scope(|inner| {
            for i in 0..50 {
                inner.alloc_drop(Noted(i, &dropped));
                inner.alloc_slice_fill(10_000, i as u8);
            }
        });
        *first += 1;
        assert_eq!((*first, outer.alloc_slice_fill(10_000, 3u8)[9_999]), (42, 3));
    });
    assert_eq!(*dropped.borrow(), (0..50).rev().collect::<Vec<_>>());
}

#[test]
fn a_guard_ends_its_scope_when_it_is_dropped() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    {
        let mut guard = arena.guard();
        let mut scope = guard.scope();
        let kept = scope.alloc_drop(Noted(1, &dropped));
        {
            let mut inner = scope.guard();
            inner.scope().alloc_drop(Noted(2, &dropped));
        }
        assert_eq!((kept.0, &*dropped.borrow()), (1, &vec![2]));
        guard.scope().alloc_drop(Noted(3, &dropped)); // the same scope again
    }
    assert_eq!(*dropped.borrow(), [2, 3, 1]);
    assert_eq!(arena.stats().used, 0);
}

#[test]
fn a_forgotten_guard_forgets_destructors_only() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    arena.scope(|outer| {
        let mut guard = outer.guard();
        guard.scope().alloc_drop(Noted(1, &dropped));
        core::mem::forget(guard);
        outer.alloc_drop(Noted(2, &dropped));
    });
    assert_eq!(*dropped.borrow(), [2]);
    assert_eq!(arena.stats().used, 0);
}

#[test]
fn all_destructors_run_when_the_body_panics() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    let result = catch_unwind(AssertUnwindSafe(|| {
        arena.scope(|scope| {
            scope.alloc_drop(Noted(1, &dropped));
            scope.scope(|inner| {
                inner.alloc_drop(Noted(2, &dropped));
                panic!("body");
            })
        })
    }));
    assert!(result.is_err());
    assert_eq!(*dropped.borrow(), [2, 1]);
    assert_eq!(arena.scope(|s| *s.alloc(5)), 5);
}

#[test]
fn all_destructors_run_when_one_of_them_panics() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    let result = catch_unwind(AssertUnwindSafe(|| {
        arena.scope(|scope| {
            scope.alloc_drop(Noted(1, &dropped));
            scope.alloc_drop(Noted(100, &dropped));
            scope.alloc_drop(Noted(2, &dropped));
        })
    }));
    assert_eq!(result.unwrap_err().downcast_ref::<String>().unwrap(), "100");
    assert_eq!(*dropped.borrow(), [2, 100, 1]);
    assert_eq!(arena.stats().used, 0);
}

#[test]
fn a_value_is_not_dropped_if_make_panics() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    arena.scope(|scope| {
        let value = catch_unwind(AssertUnwindSafe(|| {
            scope.alloc_drop_with::<Noted>(|| panic!("made nothing"));
        }));
        let slice = catch_unwind(AssertUnwindSafe(|| {
            scope.alloc_drop_slice_with(5, |i| match i {
                3 => panic!("made three"),
                _ => Noted(i as u32, &dropped),
            });
        }));
        assert!(value.is_err() && slice.is_err());
        assert_eq!(*dropped.borrow(), [0, 1, 2]);
    });
    assert_eq!(*dropped.borrow(), [0, 1, 2]);
}

#[test]
fn over_aligned_values_with_destructors() {
    #[repr(align(128))]
    struct Wide<'a>(#[expect(dead_code, reason = "only dropped")] Noted<'a>);
    let dropped = RefCell::new(Vec::new());
    Arena::new().scope(|scope| {
        for i in 0..20 {
            scope.alloc(1u8);
            let wide = scope.alloc_drop(Wide(Noted(i, &dropped)));
            assert_eq!((wide as *const Wide).addr() % 128, 0);
            let many = scope.alloc_drop_slice_with(2, |_| Wide(Noted(i, &dropped)));
            assert_eq!((many.as_ptr()).addr() % 128, 0);
        }
    });
    assert_eq!(dropped.borrow().len(), 60);
    assert!(dropped.borrow().is_sorted_by(|a, b| a >= b));
}

#[test]
fn a_checked_scope_refuses_while_a_child_is_open() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    let level = arena.checked_scope();
    level.alloc_drop(Noted(1, &dropped));
    let child = level.child();
    child.alloc_drop(Noted(2, &dropped));
    assert!(level.has_open_child() && !child.has_open_child());
    assert_eq!(level.try_alloc(1), Err(AllocError::ChildIsOpen));
    assert!(level.try_alloc_drop(Noted(50, &dropped)).is_err());
    assert_eq!(level.try_child().err(), Some(AllocError::ChildIsOpen));
    drop(child);
    assert_eq!(*dropped.borrow(), [50, 2]); // 50 is the refused value
    assert_eq!(*level.alloc(1), 1);
    drop(level);
    assert_eq!(*dropped.borrow(), [50, 2, 1]);
    assert_eq!(arena.stats().used, 0);
}

#[test]
#[should_panic(expected = "the scope was used while its child was open")]
fn a_checked_scope_panics_while_a_child_is_open() {
    let mut arena = Arena::new();
    let level = arena.checked_scope();
    let _child = level.child();
    level.alloc(1);
}

#[test]
fn a_childs_destructors_cannot_allocate_in_its_parent() {
    struct Allocates<'a, 'b>(&'a heapsmith::CheckedScope<'b>, &'a Cell<Option<AllocError>>);
    impl Drop for Allocates<'_, '_> {
        fn drop(&mut self) {
            self.1.set(self.0.try_alloc(1u64).err());
        }
    }
    let answer = Cell::new(None);
    let mut arena = Arena::new();
    let level = arena.checked_scope();
    level.child().alloc_drop(Allocates(&level, &answer));
    assert_eq!(answer.get(), Some(AllocError::ChildIsOpen));
}

#[test]
fn a_forgotten_checked_child_blocks_its_parent_until_that_ends() {
    let mut arena = Arena::new();
    {
        let top = arena.checked_scope();
        {
            let level = top.child();
            core::mem::forget(level.child());
            assert_eq!(level.try_alloc(1), Err(AllocError::ChildIsOpen));
        }
        assert_eq!(*top.alloc(2), 2);
    }
    assert_eq!(arena.stats().used, 0);
}

#[test]
fn resetting_runs_destructors_and_keeps_the_memory() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    for round in 0..2 {
        let scope = guard.scope();
        scope.alloc_drop(Noted(2 * round, &dropped));
        scope.alloc_drop(Noted(2 * round + 1, &dropped));
        guard.reset();
    }
    assert_eq!(*dropped.borrow(), [1, 0, 3, 2]);
    guard.scope().alloc_drop(Noted(100, &dropped));
    guard.scope().alloc_drop(Noted(5, &dropped));
    assert!(catch_unwind(AssertUnwindSafe(|| guard.reset())).is_err());
    drop(guard);
    assert_eq!(*dropped.borrow(), [1, 0, 3, 2, 5, 100]);
    assert_eq!(arena.stats().used, 0);
}

#[test]
fn resetting_a_checked_scope_ends_a_forgotten_child() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    let top = arena.checked_scope();
    let mut level = top.child();
    level.alloc_drop(Noted(1, &dropped));
    let before = top.remaining();
    core::mem::forget(level.child());
    assert_eq!(level.try_alloc(1), Err(AllocError::ChildIsOpen));
    level.reset();
    assert_eq!(*dropped.borrow(), [1]);
    assert_eq!(*level.alloc_drop(2), 2);
    assert!(top.remaining() > before && top.try_alloc(3).is_err());
    drop(level);
    assert_eq!(*top.alloc(3), 3);
}

/// `make` allocates a value with a destructor and leaves a child open. The header of that value
/// would lie in the child's memory and end with the child.
#[test]
fn a_child_left_open_by_make_refuses_the_value() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    {
        let level = arena.checked_scope();
        let mut kept = None;
        let made = level.try_alloc_drop_with(|| {
            level.alloc_drop(Noted(1, &dropped));
            kept = Some(level.child());
            Noted(2, &dropped)
        });
        assert_eq!(made.err(), Some(AllocError::ChildIsOpen));
        assert_eq!(*dropped.borrow(), [2]);
        drop(kept.take());
        let made = level.try_alloc_drop_slice_with(2, |n| {
            if n == 1 {
                level.alloc_drop(Noted(3, &dropped));
                kept = Some(level.child());
            }
            Noted(4 + n as u32, &dropped)
        });
        assert_eq!(made.err(), Some(AllocError::ChildIsOpen));
        assert_eq!(*dropped.borrow(), [2, 4, 5]);
        drop(kept);
        level.alloc([u64::MAX; 64]); // where the headers would have been
    }
    assert_eq!(*dropped.borrow(), [2, 4, 5, 3, 1]);
}

#[test]
fn a_child_left_open_by_make_is_harmless_without_other_values() {
    let dropped = RefCell::new(Vec::new());
    let mut arena = Arena::new();
    {
        let level = arena.checked_scope();
        let mut kept = None;
        let value = level.alloc_drop_with(|| {
            kept = Some(level.child());
            Noted(1, &dropped)
        });
        drop(kept);
        level.alloc([u64::MAX; 64]);
        assert_eq!(value.0, 1);
    }
    assert_eq!(*dropped.borrow(), [1]);
}
