//! A value cannot outlive the checked scope in which it was allocated.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let level = arena.checked_scope();
    let value = level.alloc(1);
    drop(level); //~ E0505
    *value += 1;
}
