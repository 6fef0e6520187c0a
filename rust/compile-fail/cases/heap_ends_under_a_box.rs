//! A value in a heap of its own ends before the heap does.
use heapsmith::Heap;

fn main() {
    let heap = Heap::new();
    let value = heap.alloc(1);
    drop(heap); //~ E0505
    println!("{value}");
}
