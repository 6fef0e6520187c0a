//! An arena cannot outlive its buffer.
use core::mem::MaybeUninit;
use heapsmith::Arena;

fn main() {
    let arena = {
        let mut buffer = [MaybeUninit::uninit(); 100];
        Arena::in_buffer(&mut buffer) //~ E0597
    };
    arena.alloc(1);
}
