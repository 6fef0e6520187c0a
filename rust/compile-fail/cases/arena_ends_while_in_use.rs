//! An arena cannot be dropped while a value in it is used.
use heapsmith::Arena;

fn main() {
    let arena = Arena::new();
    let value = arena.alloc(1);
    drop(arena); //~ E0505
    *value += 1;
}
