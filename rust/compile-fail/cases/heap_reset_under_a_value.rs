//! A heap cannot be reset while a value in it is used.
use heapsmith::{Heap, HeapBox};

fn main() {
    let mut heap = Heap::new();
    let value = HeapBox::leak(heap.alloc(1));
    heap.reset(); //~ E0502
    *value = 2;
}
