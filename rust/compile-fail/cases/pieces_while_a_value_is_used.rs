//! The memory of an arena cannot be read while a value in it can be written.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let number = arena.alloc(1);
    let bytes = arena.pieces().next(); //~ E0502
    *number = 2;
    drop(bytes);
}
