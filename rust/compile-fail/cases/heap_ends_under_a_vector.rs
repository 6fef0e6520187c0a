//! A vector in a heap of its own ends before the heap does.
use allocator_api2::vec::Vec;
use heapsmith::Heap;

fn main() {
    let mut list;
    {
        let heap = Heap::new();
        list = Vec::new_in(&heap); //~ E0597
    }
    list.push(1);
}
