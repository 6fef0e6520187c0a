//! An arena cannot be shared between threads.
//@require-annotations-for-level: ICE
use heapsmith::Arena;

fn main() {
    let arena = Arena::new();
    std::thread::scope(|threads| {
        threads.spawn(|| arena.alloc(1)); //~ E0277
    });
}
