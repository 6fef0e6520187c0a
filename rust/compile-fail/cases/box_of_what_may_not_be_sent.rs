//! A box can be sent to another thread only if its value can.
//@require-annotations-for-level: ICE
use heapsmith::Arena;
use std::rc::Rc;

fn main() {
    let arena = Arena::new();
    let shared = arena.alloc_box(Rc::new(1));
    std::thread::scope(|threads| {
        threads.spawn(move || drop(shared)); //~ E0277
    });
}
