//! A slice collected in an arena ends with a reset.
use heapsmith::{Arena, CollectIn};

fn main() {
    let mut arena = Arena::new();
    let list: &mut [u32] = (0..3).collect_in(&arena);
    arena.reset(); //~ E0502
    list[0] = 1;
}
