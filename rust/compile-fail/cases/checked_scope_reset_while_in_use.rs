//! A checked scope cannot be reset while a value in it is used.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut level = arena.checked_scope();
    let value = level.alloc(1);
    level.reset(); //~ E0502
    *value = 2;
}
