//! A vector keeps child scopes closed while it may grow, but a slice made from it does not.
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
