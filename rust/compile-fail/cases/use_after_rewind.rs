//! No value can be used after its arena was rewound, whenever it was allocated.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let value = arena.alloc(1);
    let here = arena.checkpoint();
    arena.rewind(here); //~ E0502
    *value += 1;
}
