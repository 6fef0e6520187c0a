//! Nor may it be dropped after the buffer, in which it keeps its chunks' headers.
use core::mem::MaybeUninit;
use heapsmith::Arena;

fn main() {
    let arena;
    let mut buffer = [MaybeUninit::uninit(); 100];
    arena = Arena::in_buffer(&mut buffer); //~ E0597
    arena.alloc(1);
}
