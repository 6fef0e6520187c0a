//! Values in an arena in a buffer cannot be used after a reset.
use core::mem::MaybeUninit;
use heapsmith::BufferArena;

fn main() {
    let mut buffer = [MaybeUninit::uninit(); 100];
    let mut arena = BufferArena::new(&mut buffer);
    let name = arena.alloc_str("name");
    arena.reset(); //~ E0502
    name.make_ascii_uppercase();
}
