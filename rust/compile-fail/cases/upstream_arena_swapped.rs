//! An arena in a heap cannot be exchanged for one that outlives the heap.
use heapsmith::{Arena, Heap};

fn main() {
    let heap = Heap::new();
    let mut in_heap = Arena::new_in(&heap);
    in_heap.reset();
    let inner: &mut Arena = &mut in_heap; //~ E0596
    core::mem::swap(&mut Arena::new(), inner);
}
