//! The same for the arena's own vectors; what they become is free of that.
use heapsmith::Arena;

fn main() {
    Arena::new().scope(|outer| {
        let mut list = outer.vec();
        list.push(1);
        outer.scope(|inner| *inner.alloc(1)); //~ E0502
        let list = list.into_slice();
        outer.scope(|inner| *inner.alloc(list[0]));
    });
}
