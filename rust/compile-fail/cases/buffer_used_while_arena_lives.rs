//! A buffer cannot be used while an arena borrows it.
use core::mem::MaybeUninit;
use heapsmith::BufferArena;

fn main() {
    let mut buffer = [MaybeUninit::uninit(); 100];
    let arena = BufferArena::new(&mut buffer);
    buffer.fill(MaybeUninit::new(1)); //~ E0499
    arena.alloc(1);
}
