//! A boxed value with a destructor cannot refer to data that is dropped before it.
use heapsmith::Heap;

struct Prints<'a>(&'a str);

impl Drop for Prints<'_> {
    fn drop(&mut self) {
        println!("{}", self.0);
    }
}

fn main() {
    let heap = Heap::new();
    let mut value = heap.alloc(Prints("static"));
    let text = String::from("ends first");
    value.0 = &text; //~ E0597
}
