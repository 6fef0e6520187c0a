//! A value cannot be used after its arena was reset.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let value = arena.alloc(1);
    arena.reset(); //~ E0502
    *value += 1;
}
