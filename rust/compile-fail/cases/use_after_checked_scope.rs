//! What a checked scope allocated ends with it.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let level = arena.checked_scope();
    let value = level.alloc(1);
    drop(level); //~ E0505
    *value += 1;
}
