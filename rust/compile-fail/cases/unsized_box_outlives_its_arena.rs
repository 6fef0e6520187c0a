//! A box of a trait object borrows its arena, as the box that it was made of.
use core::fmt::Display;
use heapsmith::{Arena, ArenaBox, unsize};

fn main() {
    let shown: ArenaBox<'_, dyn Display> = {
        let arena = Arena::new();
        unsize!(arena.alloc_box(1)) //~ E0597
    };
    assert_eq!(shown.to_string(), "1");
}
