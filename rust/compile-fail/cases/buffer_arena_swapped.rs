//! An arena in a buffer cannot be exchanged for one that outlives the buffer.
use core::mem::MaybeUninit;
use heapsmith::{Arena, BufferArena};

fn main() {
    let mut buffer = [MaybeUninit::uninit(); 100];
    let mut in_buffer = BufferArena::new(&mut buffer);
    in_buffer.reset();
    let inner: &mut Arena = &mut in_buffer; //~ E0596
    core::mem::swap(&mut Arena::new(), inner);
}
