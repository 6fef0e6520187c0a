//! A checked scope cannot be sent to another thread.
//@require-annotations-for-level: ICE
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let level = arena.checked_scope();
    std::thread::scope(|threads| {
        threads.spawn(|| drop(level)); //~ E0277
    });
}
