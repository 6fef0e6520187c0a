//! A box becomes a box of another type only where its value is one.
use heapsmith::{Arena, ArenaBox, unsize};

fn main() {
    let arena = Arena::new();
    let _: ArenaBox<'_, u32> = unsize!(arena.alloc_box(1u64)); //~ E0308
}
