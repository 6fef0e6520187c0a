//! A pinned box that is forgotten must not let its memory be used again.
use heapsmith::{Arena, ArenaBox};

fn main() {
    let arena = Arena::new();
    let future = arena.alloc_box(async {}); //~ E0597
    core::mem::forget(ArenaBox::into_pin(future));
}
