//! A vector that may grow keeps child scopes from being opened.
use allocator_api2::vec::Vec;
use heapsmith::Arena;

fn main() {
    Arena::new().scope(|outer| {
        let mut list = Vec::new_in(&*outer);
        outer.scope(|inner| *inner.alloc(1)); //~ E0502
        list.push(1);
    });
}
