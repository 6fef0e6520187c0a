//! A scope cannot be sent to another thread.
//@require-annotations-for-level: ICE
use heapsmith::Arena;

fn main() {
    Arena::new().scope(|outer| {
        std::thread::scope(|threads| {
            threads.spawn(|| outer.alloc(1)); //~ E0277
        });
    });
}
