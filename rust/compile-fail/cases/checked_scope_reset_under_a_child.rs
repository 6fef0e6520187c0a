//! A checked scope cannot be reset while a child of it is open.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut level = arena.checked_scope();
    let child = level.child();
    level.reset(); //~ E0502
    child.alloc(1);
}
