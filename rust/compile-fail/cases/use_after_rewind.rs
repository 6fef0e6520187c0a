//! So does going back to a checkpoint, whatever was allocated when.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let value = arena.alloc(1);
    let here = arena.checkpoint();
    arena.rewind(here); //~ E0502
    *value += 1;
}
