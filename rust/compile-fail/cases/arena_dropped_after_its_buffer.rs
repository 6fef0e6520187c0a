//! An arena keeps the headers of its pieces in its buffer, so it must be dropped before the buffer.
use core::mem::MaybeUninit;
use heapsmith::BufferArena;

fn main() {
    let arena;
    let mut buffer = [MaybeUninit::uninit(); 100];
    arena = BufferArena::new(&mut buffer); //~ E0597
    arena.alloc(1);
}
