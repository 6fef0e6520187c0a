//! A heap cannot end its blocks while an arena has pieces in it.
use heapsmith::{Arena, Heap};

fn main() {
    let mut heap = Heap::new();
    let arena = Arena::new_in(&heap);
    let kept = arena.alloc(1);
    heap.reset(); //~ E0502
    *kept = 2;
}
