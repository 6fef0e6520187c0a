//! An arena in a buffer cannot be shared between threads.
//@require-annotations-for-level: ICE
use core::mem::MaybeUninit;
use heapsmith::BufferArena;

fn main() {
    let mut buffer = [MaybeUninit::uninit(); 100];
    let arena = BufferArena::new(&mut buffer);
    std::thread::scope(|threads| {
        threads.spawn(|| arena.alloc(1)); //~ E0277
    });
}
