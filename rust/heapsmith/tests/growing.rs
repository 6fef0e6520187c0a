//! Vectors, strings and boxes in arenas and scopes.

use core::fmt::Write;
use core::mem::MaybeUninit;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith::{AllocError, Arena, ArenaBox, ArenaString, ArenaVec, BufferArena, CollectIn};

/// Counts live values, and panics when number 100 is dropped.
struct Counted<'a>(u32, &'a Cell<i32>);

impl<'a> Counted<'a> {
    fn new(number: u32, living: &'a Cell<i32>) -> Self {
        living.set(living.get() + 1);
        Self(number, living)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.1.set(self.1.get() - 1);
        assert_ne!(self.0, 100);
    }
}

#[test]
fn a_vector_alone_grows_in_place_and_frees_the_rest() {
    let arena = Arena::with_capacity(100_000);
    let mut v = arena.vec();
    v.push(0u64);
    let first = v.as_ptr();
    (1..1000).for_each(|n| v.push(n));
    assert_eq!(v.as_ptr(), first);
    assert!(v.capacity() > 1000);
    let slice = v.into_slice();
    assert!(slice.iter().copied().eq(0..1000));
    assert_eq!(arena.stats().used, 8000);
    drop(arena.vec_with_capacity::<u64>(77));
    assert_eq!(arena.stats().used, 8000);
}

#[test]
fn vectors_side_by_side_move_and_keep_their_elements() {
    let arena = Arena::new();
    let mut all: [ArenaVec<usize>; 5] = std::array::from_fn(|_| arena.vec());
    for n in 0..1000 {
        all[n % 5].push(n);
    }
    for (i, v) in all.iter_mut().enumerate() {
        v.shrink_to_fit();
        assert!(v.iter().copied().eq((i..1000).step_by(5)));
    }
}

#[test]
fn edits_are_those_of_a_vec() {
    let arena = Arena::new();
    let (mut ours, mut theirs) = (arena.vec(), Vec::new());
    for n in 0..60usize {
        let at = n * 7 % (ours.len() + 1);
        ours.insert(at, n.to_string());
        theirs.insert(at, n.to_string());
    }
    for at in [0, 20, 57] {
        assert_eq!(ours.remove(at), theirs.remove(at));
    }
    for at in [0, 30, 54] {
        assert_eq!(ours.swap_remove(at), theirs.swap_remove(at));
    }
    ours.retain(|s| !s.contains('3'));
    theirs.retain(|s| !s.contains('3'));
    assert_eq!(ours.pop(), theirs.pop());
    ours.truncate(20);
    theirs.truncate(20);
    ours.extend_from_slice(&["x".to_string(), "y".to_string()]);
    theirs.extend_from_slice(&["x".to_string(), "y".to_string()]);
    assert_eq!(ours, theirs);
    assert!(ours.into_iter().rev().eq(theirs.into_iter().rev()));
    assert_eq!(arena.vec::<u8>().pop(), None);
}

#[test]
fn wrong_indices_panic_and_change_nothing() {
    let arena = Arena::new();
    let mut v = arena.vec();
    v.extend([1, 2, 3]);
    assert!(catch_unwind(AssertUnwindSafe(|| v.insert(4, 0))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| v.remove(3))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| v.swap_remove(3))).is_err());
    assert_eq!(v, [1, 2, 3]);
    let mut s = arena.string();
    s.push_str("hä");
    assert!(catch_unwind(AssertUnwindSafe(|| s.insert_str(2, "x"))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| s.truncate(2))).is_err());
    assert_eq!(s, "hä");
}

#[test]
fn every_element_is_dropped_once() {
    let living = Cell::new(0);
    let arena = Arena::new();
    let mut v = arena.vec();
    v.extend((0..20).map(|n| Counted::new(n, &living)));
    drop(v.pop());
    drop(v.remove(3));
    v.truncate(15);
    assert_eq!(living.get(), 15);
    v.retain(|c| c.0 % 2 == 0);
    assert_eq!(living.get(), 8);
    let mut rest = v.into_iter();
    drop((rest.next(), rest.next_back()));
    assert_eq!((living.get(), rest.len()), (6, 6));
    drop(rest);
    assert_eq!(living.get(), 0);

    let mut v = arena.vec();
    v.extend((0..3).map(|n| Counted::new(n, &living)));
    let boxed: ArenaBox<[Counted]> = v.into_boxed_slice();
    assert_eq!((boxed.len(), living.get()), (3, 3));
    drop(boxed);
    assert_eq!(living.get(), 0);
}

#[test]
fn a_panicking_destructor_does_not_stop_the_others() {
    let living = Cell::new(0);
    let arena = Arena::new();
    let mut v = arena.vec();
    v.extend((99..103).map(|n| Counted::new(n, &living)));
    assert!(catch_unwind(AssertUnwindSafe(|| drop(v))).is_err());
    assert_eq!(living.get(), 0);
}

#[test]
fn zero_sized_and_over_aligned_elements() {
    #[repr(align(256))]
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Wide(u8);
    let living = Cell::new(0);
    struct Nothing<'a>(core::marker::PhantomData<&'a ()>);
    thread_local!(static DROPPED: Cell<u32> = const { Cell::new(0) });
    impl Drop for Nothing<'_> {
        fn drop(&mut self) {
            DROPPED.set(DROPPED.get() + 1);
        }
    }
    let arena = Arena::new();
    let mut none = arena.vec();
    none.extend((0..100).map(|_| Nothing(Default::default())));
    none.truncate(90);
    none.shrink_to_fit();
    drop(none.into_iter().nth(4));
    assert_eq!((DROPPED.get(), arena.stats().held), (100, 0));

    let (mut wide, mut bytes) = (arena.vec(), arena.vec());
    for n in 0..30 {
        bytes.push(n);
        wide.push(Wide(n));
        assert_eq!(wide.as_ptr().addr() % 256, 0);
    }
    assert!(wide.iter().map(|w| w.0).eq(bytes));
    drop(arena.alloc_box(Counted::new(1, &living)));
    assert_eq!(living.get(), 0);
}

#[test]
fn a_buffer_is_filled_to_the_last_byte() {
    let mut buffer = [MaybeUninit::uninit(); 1024];
    let mut arena = BufferArena::new(&mut buffer);
    let room = arena.remaining();
    let mut text = arena.string();
    for _ in 0..room {
        text.push('x');
    }
    assert_eq!(
        text.try_push('y').unwrap_err().to_string().split(':').next_back(),
        Some(" 0 remain")
    );
    assert!(write!(text, "y").is_err());
    assert_eq!(text.len(), room);
    drop(text);
    arena.reset();
    let mut v = arena.vec();
    assert!(v.try_extend_from_slice(&vec![1u8; room + 1]).is_err());
    assert!(v.is_empty() && v.try_extend_from_slice(&vec![1u8; room]).is_ok());
    assert!(v.try_push(1).is_err() && v.try_insert(0, 1).is_err());
    assert_eq!(v.into_slice().len(), room);
    assert!(arena.try_alloc_box(1).is_err() && arena.try_vec_with_capacity::<u8>(1).is_err());
}

#[test]
fn large_elements_are_not_reserved_by_four() {
    let arena = Arena::new();
    let (mut small, mut large) = (arena.vec(), arena.vec());
    small.push([0u8; 1024]);
    large.push([0u8; 1025]);
    assert_eq!((small.capacity(), large.capacity()), (4, 1));
    large.push([0; 1025]);
    assert_eq!(large.capacity(), 2);
}

#[test]
fn impossible_sizes_are_refused() {
    let arena = Arena::new();
    let mut v = arena.vec();
    v.push(1u64);
    assert_eq!(v.try_reserve(usize::MAX), Err(AllocError::TooLarge));
    assert_eq!(v.try_reserve_exact(usize::MAX / 8), Err(AllocError::TooLarge));
    assert!(matches!(v.try_reserve(isize::MAX as usize / 8 - 1), Err(AllocError::NoRoom { .. })));
    assert_eq!(v, [1]);
    let mut none = arena.vec();
    none.push(());
    assert_eq!(none.try_reserve(usize::MAX), Err(AllocError::TooLarge));
}

#[test]
fn strings_are_edited_by_characters() {
    let arena = Arena::new();
    let mut text = arena.string();
    text.extend(['h', 'ä', 'p']);
    text.extend(["s", "mith"]);
    text.insert_str(0, "→ ");
    text.insert_str(text.len(), "!");
    write!(text, "{:03}", 7).unwrap();
    assert_eq!(text, "→ häpsmith!007");
    text.truncate(text.len() - 3);
    text.truncate(1000);
    assert_eq!(text.pop(), Some('!'));
    text.make_ascii_uppercase();
    assert_eq!(text.into_str(), "→ HäPSMITH");
    let mut empty = arena.string();
    assert_eq!((empty.pop(), empty.into_str().len()), (None, 0));
}

#[test]
fn a_slice_from_a_vector_lives_as_long_as_its_scope() {
    let living = Cell::new(0);
    let mut arena = Arena::new();
    arena.scope(|outer| {
        let mut v = outer.vec();
        v.extend(0..100);
        let slice = v.into_slice();
        let mut text = outer.string();
        text.push_str("kept");
        let text = text.into_str();
        let boxed = outer.alloc_box(Counted::new(1, &living));
        outer.scope(|inner| {
            let mut v = inner.vec();
            v.extend(slice.iter_mut()); // elements that borrow the parent's
            **v.last_mut().unwrap() += boxed.0 as i32;
            assert_eq!((v.len(), &*text), (100, "kept"));
        });
        assert_eq!((slice[99], living.get()), (100, 1));
    });
    assert_eq!((living.get(), arena.stats().used), (0, 0));
}

#[test]
fn a_checked_scopes_vector_grows_only_while_no_child_is_open() {
    let mut arena = Arena::new();
    let level = arena.checked_scope();
    let mut v = level.vec();
    v.extend([1, 2, 3, 4]);
    v.shrink_to_fit();
    let child = level.child();
    assert_eq!(v.try_push(5), Err(AllocError::ChildIsOpen));
    assert_eq!(level.vec::<u8>().try_push(1), Err(AllocError::ChildIsOpen));
    let used = child.remaining();
    drop(level.vec_with_capacity::<u8>(0));
    v.shrink_to_fit(); // changes nothing
    let mut theirs = child.vec();
    theirs.extend([7, 8]);
    drop(theirs);
    assert_eq!(child.remaining(), used);
    drop(child);
    v.push(5);
    assert_eq!(v.into_slice(), [1, 2, 3, 4, 5]);
}

#[test]
fn a_forgotten_child_leaves_later_vectors_of_the_arena_alone() {
    let mut arena = Arena::new();
    core::mem::forget(arena.checked_scope());
    let mut v = arena.vec();
    v.extend(0..100);
    assert_eq!(v.into_slice().len(), 100);
}

#[test]
fn a_box_may_go_to_another_thread_and_change_hands() {
    let arena = Arena::new();
    let name = arena.alloc_box(String::from("name"));
    let name = std::thread::scope(|s| s.spawn(move || ArenaBox::into_inner(name)).join().unwrap());
    assert_eq!(name, "name");
    let leaked: &mut u32 = ArenaBox::leak(arena.alloc_box(1));
    *leaked += 1;
    assert_eq!(*leaked, 2);
}

#[test]
fn boxes_are_compared_and_hashed_by_value() {
    use std::collections::{BTreeSet, HashSet};
    let (arena, other) = (Arena::new(), Arena::new());
    let names = |arena| ["b", "a", "c"].map(|name| Arena::alloc_box(arena, String::from(name)));
    let sorted: BTreeSet<ArenaBox<String>> = names(&arena).into_iter().collect();
    assert!(sorted.iter().map(|name| name.as_str()).eq(["a", "b", "c"]));
    let known: HashSet<ArenaBox<String>> = names(&arena).into_iter().collect();
    assert!(names(&other).iter().all(|name| known.contains(name)));
    let [b, a, _] = names(&other);
    assert!(a < b && format!("{a:?}{b}") == "\"a\"b");
}

#[test]
fn bytes_are_written_to_like_a_file() {
    use std::io::Write;
    let arena = Arena::new();
    let mut bytes = arena.vec();
    bytes.write_all(b"abc").unwrap();
    write!(bytes, "{}", 1).unwrap();
    assert_eq!(bytes, b"abc1");
    let mut buffer = [MaybeUninit::uninit(); 100];
    let small = BufferArena::new(&mut buffer);
    let error = small.vec().write_all(&[0; 200]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::OutOfMemory);
}

#[test]
fn macros_work_in_each_kind_of_memory() {
    let mut buffer = [MaybeUninit::uninit(); 1000];
    let mut arena = BufferArena::new(&mut buffer);
    assert_eq!(heapsmith::vec![in &arena; 1, 2, 3], [1, 2, 3]);
    assert_eq!(heapsmith::vec![in arena; 1, 2, 3,].capacity(), 3);
    let text = arena.scope(|scope| {
        let list: &mut [&str] = heapsmith::vec![in scope; "a", scope.alloc_str("b")].into_slice();
        let text: &str = heapsmith::format!(in scope, "{list:?} {}", 1).into_str();
        scope.scope(|inner| text.len() + heapsmith::vec![in inner; 'x'; 3].len())
    });
    assert_eq!(text, r#"["a", "b"] 1"#.len() + 3);
    let level = arena.checked_scope();
    assert_eq!(heapsmith::format!(in level, "{:>3}", 7), "  7");
}

#[test]
fn iterators_are_collected_in_each_kind_of_memory() {
    let mut arena = Arena::new();
    arena.scope(|scope| {
        let squares: &mut [u32] = (0..100).map(|n| n * n).collect_in(&*scope);
        let names: ArenaBox<'_, [String]> = (0..3).map(|n| n.to_string()).collect_in(&*scope);
        scope.scope(|inner| {
            let sums: ArenaVec<'_, '_, u32> = squares.iter().map(|n| n + 1).collect_in(&*inner);
            assert_eq!((sums[99], names[2].as_str()), (99 * 99 + 1, "2"));
        });
    });
    let level = arena.checked_scope();
    let text: ArenaString<'_, '_> = "abc".chars().rev().collect_in(&level);
    assert_eq!(text, "cba");
}

#[test]
fn collecting_stops_at_the_first_failure() {
    let arena = Arena::new();
    let mut taken = 0;
    let items = [Ok(1), Err("first"), Ok(2), Err("second")];
    let all: Result<ArenaVec<'_, '_, i32>, &str> =
        items.into_iter().inspect(|_| taken += 1).collect_in(&arena);
    assert_eq!((all.err(), taken), (Some("first"), 2));
    let all: Option<&mut [i32]> = [Some(1), Some(2)].into_iter().collect_in(&arena);
    assert_eq!(all, Some(&mut [1, 2][..]));
    let all: Option<&mut [i32]> = [Some(1), None].into_iter().collect_in(&arena);
    assert_eq!(all, None);
}
