//! An arena cannot outlive its buffer.
use core::mem::MaybeUninit;
use heapsmith::BufferArena;

fn main() {
    let arena = {
        let mut buffer = [MaybeUninit::uninit(); 100];
        BufferArena::new(&mut buffer) //~ E0597
    };
    arena.alloc(1);
}
