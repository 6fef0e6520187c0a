//! A heap cannot be dropped before a vector in it.
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
