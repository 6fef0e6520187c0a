//! Appends to vectors and strings in loops that are compiled into functions of their own, so that
//! callgrind counts the instructions of a step.
//!
//! usage: rust-growing COUNT      at most 65536 steps of each loop
//!
//! Each function begins a collection in an arena that has all the capacity it needs.

use std::hint::black_box;

use allocator_api2::vec::Vec as BlinkVec;
use blink_alloc::Blink;
use bumpalo::Bump;
use bumpalo::collections::{String as BumpString, Vec as BumpVec};
use heapsmith::Arena;

/// The bytes of each arena: room for a collection of all steps, and for the blocks it outgrew.
const CAPACITY: usize = 8 << 20;

/// A function with an unmangled name for the profile.
macro_rules! grow {
    ($name:ident, |$arena:ident: $type:ty| $new:expr, |$list:ident, $count:ident| $body:expr) => {
        #[inline(never)]
        #[unsafe(no_mangle)]
        fn $name($arena: &$type, $count: u32) -> usize {
            let mut $list = $new;
            $body;
            $list.len()
        }
    };
}

/// One number at a time, four at a time, and iterators whose length is known or not.
macro_rules! vectors {
    ([$push:ident, $array:ident, $known:ident, $unknown:ident], |$a:ident: $type:ty| $new:expr) => {
        grow!($push, |$a: $type| $new, |list, count| (0..count).for_each(|n| list.push(n)));
        grow!($array, |$a: $type| $new, |list, count| {
            (0..count).for_each(|n| list.extend([n, n + 1, n + 2, n + 3]));
        });
        grow!($known, |$a: $type| $new, |list, count| list.extend((0..count).map(|n| n ^ 7)));
        grow!($unknown, |$a: $type| $new, |list, count| {
            list.extend((0..count).filter(|n| n % 3 != 0));
        });
    };
}

/// Words and characters, one at a time.
macro_rules! strings {
    ([$word:ident, $character:ident], |$arena:ident: $type:ty| $new:expr) => {
        grow!($word, |$arena: $type| $new, |text, count| {
            (0..count).for_each(|_| text.push_str(black_box("word ")));
        });
        grow!($character, |$arena: $type| $new, |text, count| {
            (0..count).for_each(|n| text.push(char::from(n as u8)));
        });
    };
}

vectors!([heapsmith_push, heapsmith_array, heapsmith_known, heapsmith_unknown], |arena: Arena| {
    arena.vec::<u32>()
});
strings!([heapsmith_word, heapsmith_character], |arena: Arena| arena.string());

vectors!([bumpalo_push, bumpalo_array, bumpalo_known, bumpalo_unknown], |bump: Bump| {
    BumpVec::<u32>::new_in(bump)
});
strings!([bumpalo_word, bumpalo_character], |bump: Bump| BumpString::new_in(bump));

vectors!([blink_push, blink_array, blink_known, blink_unknown], |blink: Blink| {
    BlinkVec::<u32, _>::new_in(blink.allocator())
});

fn main() {
    let count: u32 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    assert!((1..=65536).contains(&count), "usage: rust-growing COUNT");
    let on_vectors = [heapsmith_push, heapsmith_array, heapsmith_known, heapsmith_unknown];
    for run in on_vectors.into_iter().chain([heapsmith_word, heapsmith_character]) {
        black_box(run(&Arena::with_capacity(CAPACITY), count));
    }
    let on_vectors = [bumpalo_push, bumpalo_array, bumpalo_known, bumpalo_unknown];
    for run in on_vectors.into_iter().chain([bumpalo_word, bumpalo_character]) {
        black_box(run(&Bump::with_capacity(CAPACITY), count));
    }
    for run in [blink_push, blink_array, blink_known, blink_unknown] {
        black_box(run(&Blink::with_chunk_size(CAPACITY), count));
    }
}
