//! Arenas: allocating, growing, rewinding and resetting.

use core::mem::{MaybeUninit, align_of_val};
use heapsmith::{AllocError, Arena, BufferArena};

#[repr(align(512))]
#[derive(Clone, Copy, PartialEq, Debug)]
struct Wide([u8; 512]);

fn address<T: ?Sized>(p: &T) -> usize {
    (p as *const T).addr()
}

#[test]
fn blocks_lie_side_by_side() {
    let arena = Arena::with_capacity(4096);
    let (a, b, c) = (arena.alloc(1u8), arena.alloc(2u32), arena.alloc(3u8));
    assert_eq!(address(b), address(a) + 4); // three bytes of padding
    assert_eq!(address(c), address(b) + 4);
    assert_eq!((*a, *b, *c), (1, 2, 3));
}

#[test]
fn every_alignment_is_kept() {
    let arena = Arena::new();
    for _ in 0..50 {
        arena.alloc(0u8);
        let wide = arena.alloc(Wide([7; 512]));
        assert_eq!(address(wide) % align_of_val(wide), 0);
        let huge = arena.alloc(1u128);
        assert_eq!(address(huge) % align_of_val(huge), 0);
        assert_eq!(wide.0, [7; 512]);
    }
}

#[test]
fn zero_sized_values_take_no_memory() {
    let arena = Arena::new();
    arena.alloc(());
    assert_eq!(arena.stats().held, 0);
    assert_eq!(arena.alloc([0u64; 0]).len(), 0);
    let empty: &mut [Wide] = arena.alloc_slice_copy(&[]);
    assert!(empty.is_empty() && address(empty) % align_of::<Wide>() == 0);
    assert_eq!(arena.alloc_slice_fill(1000, ()).len(), 1000);
    assert_eq!(arena.alloc_str(""), "");
}

#[test]
fn a_buffer_is_used_to_the_last_byte() {
    let mut buffer = [MaybeUninit::uninit(); 1024];
    let arena = BufferArena::new(&mut buffer);
    let room = arena.remaining();
    assert!(room >= 1024 - 48 - 16 - 16, "{room}");
    arena.alloc_slice_fill(room, 1u8);
    assert_eq!(arena.remaining(), 0);
    arena.alloc(()); // nothing still fits
    let error = arena.try_alloc(1u8).unwrap_err();
    assert_eq!(error.to_string(), "no room for 1 bytes aligned to 1: 0 remain");
}

#[test]
fn small_buffers_are_not_overrun() {
    for bytes in 0..80 {
        let mut buffer = vec![MaybeUninit::uninit(); bytes];
        let arena = BufferArena::new(&mut buffer);
        let room = arena.remaining();
        assert!(room <= bytes);
        assert!(arena.try_alloc_slice_fill(room, 1u8).is_ok());
        assert!(arena.try_alloc(1u8).is_err());
    }
}

#[test]
fn an_arena_that_starts_in_a_buffer_goes_on_elsewhere() {
    let mut buffer = [MaybeUninit::uninit(); 256];
    let range = buffer.as_ptr_range();
    let range = range.start.addr()..range.end.addr();
    let mut arena = BufferArena::growing(&mut buffer);
    assert!(range.contains(&address(arena.alloc(1u64))));
    assert!(!range.contains(&address(arena.alloc([1u64; 100]))));
    arena.reset();
    assert_eq!(*arena.alloc(2u64), 2);
}

#[test]
fn impossible_layouts_are_refused() {
    let arena = Arena::new();
    assert_eq!(arena.try_alloc_slice_fill(usize::MAX / 2, 0u64), Err(AllocError::TooLarge));
    let most = isize::MAX as usize;
    match arena.try_alloc_slice_fill(most, 0u8) {
        Err(AllocError::NoRoom { layout, .. }) => assert_eq!(layout.size(), most),
        other => panic!("{other:?}"),
    }
    assert_eq!(*arena.alloc(1), 1);
}

#[test]
#[should_panic(expected = "no room for 2048 bytes aligned to 1")]
fn alloc_panics_when_there_is_no_room() {
    BufferArena::new(&mut [MaybeUninit::uninit(); 1024]).alloc([0u8; 2048]);
}

#[test]
fn strings_and_slices() {
    let arena = Arena::new();
    assert_eq!(arena.alloc_str("häpsmith"), "häpsmith");
    assert_eq!(arena.alloc_fmt(format_args!("{:>5}|{}", 42, "x")), "   42|x");
    assert_eq!(arena.alloc_slice_copy(&[1, 2, 3]), [1, 2, 3]);
    assert_eq!(arena.alloc_slice_with(4, |i| i * i), [0, 1, 4, 9]);
    assert_eq!(arena.alloc_slice_iter([1, 2, 3].map(|i| i * 10)), [10, 20, 30]);
    assert_eq!(arena.alloc_slice_fill(2, 'a'), ['a', 'a']);
}

#[test]
fn a_displayed_value_may_allocate_and_is_formatted_once() {
    struct Busy<'a>(&'a Arena, core::cell::Cell<u32>);
    impl core::fmt::Display for Busy<'_> {
        fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            self.1.set(self.1.get() + 1);
            f.write_str(self.0.alloc_fmt(format_args!("{}nd", self.1.get() + 1)))
        }
    }
    let arena = Arena::new();
    let busy = Busy(&arena, Default::default());
    assert_eq!(arena.alloc_fmt(format_args!("a {busy} time")), "a 2nd time");
    assert_eq!(busy.1.get(), 1);
}

#[test]
#[should_panic(expected = "a formatting trait implementation returned an error")]
fn a_text_that_cannot_be_displayed_is_noticed() {
    struct Sulky;
    impl core::fmt::Display for Sulky {
        fn fmt(&self, _: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
            Err(core::fmt::Error)
        }
    }
    Arena::new().alloc_fmt(format_args!("{Sulky}"));
}

#[test]
fn a_string_without_room_takes_no_memory() {
    let mut buffer = [MaybeUninit::uninit(); 256];
    let arena = BufferArena::new(&mut buffer);
    let room = arena.remaining();
    let error = arena.try_alloc_fmt(format_args!("{:>1$}", 'x', room + 1)).unwrap_err();
    assert!(matches!(error, AllocError::NoRoom { .. }));
    assert_eq!(arena.remaining(), room);
    assert_eq!(arena.alloc_fmt(format_args!("{:>1$}", 'x', room)).len(), room);
}

#[test]
fn making_a_value_may_allocate() {
    let arena = Arena::new();
    let pair = arena.alloc_with(|| (arena.alloc(1), arena.alloc_str("inner")));
    assert_eq!((*pair.0, &*pair.1), (1, "inner"));
}

#[test]
fn growth_keeps_everything() {
    let arena = Arena::new();
    let all: Vec<&mut [u64]> =
        (0..2000).map(|n| arena.alloc_slice_fill(n % 97, n as u64)).collect();
    for (n, slice) in all.iter().enumerate() {
        assert!(slice.len() == n % 97 && slice.iter().all(|&x| x == n as u64));
    }
    let stats = arena.stats();
    assert!(stats.used >= all.iter().map(|s| 8 * s.len()).sum() && stats.used <= stats.held);
}

#[test]
fn filling_and_resetting_in_rounds_settles_on_one_piece() {
    let mut arena = Arena::new();
    let mut held = Vec::new();
    for _ in 0..6 {
        for n in 0..3000u64 {
            assert_eq!(*arena.alloc(n), n);
        }
        arena.reset();
        assert_eq!(arena.stats().used, 0);
        held.push(arena.stats().held);
    }
    assert_eq!(held[4], held[5]);
    assert!(held[5] >= 3000 * 8);
}

#[test]
fn rewinding_frees_later_values_only() {
    let mut arena = Arena::new();
    let start = arena.checkpoint();
    arena.alloc(1u64);
    let one = arena.checkpoint();
    let used = arena.stats().used;
    for _ in 0..5 {
        arena.alloc_slice_fill(100_000, 1u8); // over several pieces
        arena.alloc_slice_fill(10_000, 1u8);
        arena.rewind(one);
        assert_eq!(arena.stats().used, used);
    }
    arena.rewind(start);
    assert_eq!(arena.stats().used, 0);
    let held = arena.stats().held;
    arena.alloc_slice_fill(50_000, 1u8); // from the kept pieces
    assert!(arena.stats().held <= held);
}

#[test]
#[should_panic(expected = "the checkpoint is another arena's")]
fn a_checkpoint_that_was_rewound_past_is_refused() {
    let mut arena = Arena::new();
    let start = arena.checkpoint();
    arena.alloc(1u64);
    let later = arena.checkpoint();
    arena.rewind(start);
    arena.rewind(later);
}

#[test]
#[should_panic(expected = "the checkpoint is another arena's")]
fn another_arenas_checkpoint_is_refused() {
    let other = Arena::new();
    other.alloc(1);
    Arena::new().rewind(other.checkpoint());
}

#[test]
fn an_arena_may_move_to_another_thread() {
    let mut arena = Arena::new();
    arena.alloc(1);
    std::thread::spawn(move || {
        assert_eq!(*arena.alloc(2), 2);
        arena.reset();
    })
    .join()
    .unwrap();
}

/// The new arena may get the old one's memory, but uses its own pointers to it.
#[test]
fn a_checkpoint_of_a_dropped_arena_is_refused_or_harmless() {
    for _ in 0..100 {
        let ended = Arena::with_capacity(64).checkpoint();
        let mut arena = Arena::with_capacity(64);
        if arena.checkpoint() == ended {
            arena.rewind(ended);
        }
        *arena.alloc(1u64) += 1;
    }
}

#[test]
fn a_failed_value_takes_no_memory() {
    let arena = Arena::with_capacity(1000);
    arena.alloc(1u64);
    let used = arena.stats().used;
    assert_eq!(arena.alloc_try_with(|| Err::<[u64; 9], _>("no")), Err("no"));
    assert_eq!(arena.alloc_slice_try_with(9, |n| if n < 5 { Ok(n) } else { Err(n) }), Err(5));
    assert_eq!(arena.alloc_slice_try_iter([Ok(1u64), Err("late")]), Err("late"));
    assert_eq!(arena.stats().used, used);
    assert_eq!(arena.alloc_try_with(|| Ok::<_, ()>(7u64)), Ok(&mut 7));
    assert_eq!(arena.stats().used, used + 8);
}

/// The error may refer to memory allocated behind that of the value.
#[test]
fn an_error_may_live_in_the_arena() {
    let arena = Arena::new();
    let error = arena.alloc_try_with(|| Err::<u64, _>(arena.alloc_str("why"))).unwrap_err();
    let error_of_slice = arena.alloc_slice_try_with(2, |n| match n {
        0 => Ok(1u64),
        _ => Err(arena.alloc_str("not")),
    });
    arena.alloc_slice_fill(100, 1u8);
    assert_eq!((&*error, &*error_of_slice.unwrap_err()), ("why", "not"));
}

#[test]
fn a_value_is_made_only_if_there_is_room() {
    let mut buffer = [MaybeUninit::uninit(); 64];
    let arena = BufferArena::new(&mut buffer);
    let mut calls = 0;
    let mut make = || {
        calls += 1;
        Ok::<_, ()>([0u64; 20])
    };
    assert!(arena.try_alloc_try_with(&mut make).is_err());
    assert!(arena.try_alloc_slice_try_with(2, |_| make()).is_err());
    assert!(arena.try_alloc_uninit::<[u64; 20]>().is_err());
    assert!(arena.try_alloc_slice_uninit::<u64>(20).is_err());
    assert!(arena.try_alloc_slice_default::<u64>(20).is_err());
    assert!(arena.try_alloc_slice_clone(&[1u64; 20]).is_err());
    assert_eq!(calls, 0);
}

#[test]
fn memory_is_written_later() {
    let arena = Arena::new();
    assert!(arena.alloc_uninit::<String>().write(String::new()).is_empty()); // holds no memory
    let squares = arena.alloc_slice_uninit::<usize>(5);
    squares.iter_mut().enumerate().for_each(|(n, square)| _ = square.write(n * n));
    // SAFETY: all elements were written.
    assert!(squares.iter().enumerate().all(|(n, square)| unsafe { square.assume_init() } == n * n));
    assert!(arena.alloc_slice_uninit::<u64>(0).is_empty());
}

#[test]
fn a_limit_counts_all_pieces() {
    let mut arena = Arena::with_capacity(1000);
    let held = arena.stats().held;
    arena.set_limit(Some(held + 1000));
    arena.alloc_slice_fill(arena.remaining(), 0u8);
    assert!(matches!(arena.try_alloc([0u8; 1001]), Err(AllocError::NoRoom { .. })));
    assert!(arena.try_alloc([0u8; 500]).is_ok());
    assert!(arena.stats().held <= held + 1000);
    arena.set_limit(Some(0)); // what it holds is kept
    assert!(arena.try_alloc([0u8; 400]).is_ok());
    assert!(arena.try_alloc([0u8; 400]).is_err());
    arena.reset();
    assert!(arena.try_alloc([0u8; 900]).is_ok());
    arena.set_limit(None);
    assert!(arena.try_alloc([0u8; 10_000]).is_ok());
}

#[test]
fn pieces_hold_everything_in_order() {
    let mut arena = Arena::new();
    for n in 0..5000u32 {
        arena.alloc(n);
    }
    let mut expected = 0..5000u32;
    for piece in arena.pieces() {
        for bytes in piece.chunks_exact(4) {
            let bytes: &[MaybeUninit<u8>; 4] = bytes.try_into().unwrap();
            // SAFETY: a piece is full of numbers, since its size is a multiple of theirs.
            let bytes = bytes.map(|byte| unsafe { byte.assume_init() });
            assert_eq!(expected.next(), Some(u32::from_ne_bytes(bytes)));
        }
    }
    assert!(expected.is_empty());
    assert_eq!(Arena::new().pieces().count(), 0);
    arena.reset();
    assert_eq!(arena.pieces().map(|piece| piece.len()).collect::<Vec<_>>(), [0]);
}

#[test]
fn pieces_end_where_they_were_filled() {
    let mut arena = Arena::new();
    let sizes = [3000usize, 5000, 100, 9000, 1, 20_000];
    for (n, &size) in (1..).zip(&sizes) {
        arena.alloc_slice_fill(size, n as u8);
    }
    let mut lengths = [0usize; 6];
    for byte in arena.pieces().flatten() {
        // SAFETY: slices of bytes have no gaps between them, and nothing else is in the arena.
        lengths[usize::from(unsafe { byte.assume_init() }) - 1] += 1;
    }
    assert_eq!(lengths, sizes);
    assert!(arena.stats().used > sizes.iter().sum());
}

#[test]
fn debug_tells_the_bytes() {
    let mut buffer = [MaybeUninit::uninit(); 256];
    let mut arena = BufferArena::new(&mut buffer);
    arena.alloc(1u64);
    let shown = format!("{arena:?}");
    assert!(shown.starts_with("BufferArena(Arena { stats: ArenaStats { held: "), "{shown}");
    assert!(shown.ends_with("used: 8 }, limit: None })"), "{shown}");
    let remaining = arena.remaining();
    arena.scope(|scope| {
        assert_eq!(format!("{scope:?}"), format!("Scope {{ remaining: {remaining} }}"));
    });
}

#[test]
fn a_formatted_text_takes_its_own_length() {
    let arena = Arena::with_capacity(1000);
    let texts = [7, 64, 65, 300].map(|n| arena.alloc_fmt(format_args!("{:>n$}", n)));
    assert_eq!(arena.stats().used, 7 + 64 + 65 + 300);
    let after = arena.alloc_fmt(format_args!("after {}", 3));
    assert_eq!(texts.map(|text| text.trim_start().to_owned()), ["7", "64", "65", "300"]);
    assert_eq!(after, "after 3");

    let mut memory = [MaybeUninit::uninit(); 90]; // too little for the first block of 64 bytes
    let small = BufferArena::new(&mut memory);
    assert!(small.try_alloc([0u8; 64]).is_err());
    assert_eq!(small.alloc_fmt(format_args!("{} fits", 1)), "1 fits");
    assert!(small.try_alloc_fmt(format_args!("{:>100}", 1)).is_err());
    assert_eq!(small.alloc_fmt(format_args!("{:>20}", 2)).trim_start(), "2");
}
