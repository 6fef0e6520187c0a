//! A box that is sent to another thread drops its value there, so the value must be Send.
use heapsmith::Heap;
use std::rc::Rc;
use std::thread;

fn main() {
    let heap = Heap::new();
    let shared = Rc::new(1);
    let value = heap.alloc(Rc::clone(&shared));
    thread::scope(|scope| {
        scope.spawn(move || drop(value)); //~ E0277
    });
}
