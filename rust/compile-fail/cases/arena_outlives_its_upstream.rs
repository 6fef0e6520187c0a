//! An arena gives its pieces back when it is dropped, so it must be dropped before its upstream.
use heapsmith::{Arena, Heap};

fn main() {
    let arena;
    let heap = Heap::new();
    arena = Arena::new_in(&heap); //~ E0597
    arena.alloc(1);
}
