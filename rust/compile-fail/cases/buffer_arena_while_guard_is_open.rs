//! An arena in a buffer cannot be used while a scope of it is open.
use core::mem::MaybeUninit;
use heapsmith::BufferArena;

fn main() {
    let mut buffer = [MaybeUninit::uninit(); 100];
    let mut arena = BufferArena::new(&mut buffer);
    let mut guard = arena.guard();
    arena.alloc(1); //~ E0502
    guard.scope().alloc(2);
}
