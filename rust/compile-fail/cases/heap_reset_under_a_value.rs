//! A heap is reset when nobody has a value in it.
use heapsmith::{Heap, HeapBox};

fn main() {
    let mut heap = Heap::new();
    let value = HeapBox::leak(heap.alloc(1));
    heap.reset(); //~ E0502
    *value = 2;
}
