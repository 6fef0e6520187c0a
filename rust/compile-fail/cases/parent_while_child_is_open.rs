//! A scope cannot be used while a child of it is open.
use heapsmith::Arena;

fn main() {
    Arena::new().scope(|outer| {
        outer.scope(|inner| { //~ E0502
            inner.alloc(1);
            outer.alloc(2);
        });
    });
}
