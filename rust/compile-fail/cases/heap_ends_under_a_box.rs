//! A heap cannot be dropped before a box in it.
use heapsmith::Heap;

fn main() {
    let heap = Heap::new();
    let value = heap.alloc(1);
    drop(heap); //~ E0505
    println!("{value}");
}
