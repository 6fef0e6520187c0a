//! A leaked value cannot outlive its heap.
use heapsmith::{Heap, HeapBox};

fn made() -> &'static mut u32 {
    let heap = Heap::new();
    HeapBox::leak(heap.alloc(1)) //~ E0515
}

fn main() {
    *made() = 2;
}
