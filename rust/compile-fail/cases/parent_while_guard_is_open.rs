//! A scope cannot be used while the guard of a child exists.
use heapsmith::Arena;

fn main() {
    Arena::new().scope(|outer| {
        let mut guard = outer.guard();
        let inner = guard.scope();
        outer.alloc(1); //~ E0502
        inner.alloc(2);
    });
}
