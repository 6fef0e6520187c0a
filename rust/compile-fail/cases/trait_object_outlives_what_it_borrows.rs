//! A box of a trait object cannot outlive what its value borrows.
use core::fmt::Display;
use heapsmith::{Arena, ArenaBox, unsize};

fn main() {
    let arena = Arena::new();
    let shown: ArenaBox<'_, dyn Display> = {
        let name = String::from("name");
        unsize!(arena.alloc_box(name.as_str())) //~ E0597
    };
    assert_eq!(shown.to_string(), "name");
}
