//! Makes a known number of calls of functions that contain only one inlined allocation of a u32, so
//! that callgrind counts the allocation and a return in each.
//!
//! usage: rust-inlined COUNT      at most 65536
//!
//! `nothing` contains only a return, which is subtracted from the others. Every arena is created
//! with the capacity it needs.

use std::hint::black_box;

use bump_scope::BumpBox;
use heapsmith::Arena;

/// A function that allocates, with an unmangled name for the profile.
macro_rules! allocate {
    ($name:ident, $lifetime:lifetime, $arena:ty, $result:ty, $allocate:expr) => {
        #[inline(never)]
        #[unsafe(no_mangle)]
        #[allow(clippy::needless_lifetimes)]
        fn $name<$lifetime>(arena: &$lifetime $arena, value: u32) -> $result {
            let allocate: fn(&$lifetime $arena, u32) -> $result = $allocate;
            allocate(arena, value)
        }
    };
}

allocate!(heapsmith_arena, 'a, Arena, &'a mut u32, |arena, value| arena.alloc(value));
allocate!(bumpalo, 'a, bumpalo::Bump, &'a mut u32, |bump, value| bump.alloc(value));
allocate!(bump_scope, 'a, bump_scope::Bump, BumpBox<'a, u32>, |bump, value| bump.alloc(value));
allocate!(typed_arena, 'a, typed_arena::Arena<u32>, &'a mut u32, |arena, value| arena.alloc(value));
allocate!(blink_alloc, 'a, blink_alloc::Blink, &'a mut u32, |blink, value| blink.put(value));

#[inline(never)]
#[unsafe(no_mangle)]
fn heapsmith_scope<'s>(scope: &heapsmith::Scope<'s, '_>, value: u32) -> &'s mut u32 {
    scope.alloc(value)
}

#[inline(never)]
#[unsafe(no_mangle)]
fn nothing() {
    // SAFETY: the assembly is empty. It keeps the compiler from removing the function.
    unsafe { std::arch::asm!("", options(nomem, nostack, preserves_flags)) };
}

fn main() {
    let count: u32 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    assert!((1..=65536).contains(&count), "usage: rust-inlined COUNT");
    let bytes = 8 * 65536;
    let (arena, mut scoped) = (Arena::with_capacity(bytes), Arena::with_capacity(bytes));
    let bumpalo_bump = bumpalo::Bump::with_capacity(bytes);
    let bump_scope_bump = bump_scope::Bump::with_size(bytes);
    let typed = typed_arena::Arena::with_capacity(count as usize);
    let blink = blink_alloc::Blink::with_chunk_size(bytes);
    let mut guard = scoped.guard();
    let scope = guard.scope();
    for value in 0..count {
        nothing();
        black_box(heapsmith_arena(&arena, value));
        black_box(heapsmith_scope(&scope, value));
        black_box(bumpalo(&bumpalo_bump, value));
        black_box(bump_scope(&bump_scope_bump, value));
        black_box(typed_arena(&typed, value));
        black_box(blink_alloc(&blink, value));
    }
}
