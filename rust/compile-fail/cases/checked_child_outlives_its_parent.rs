//! A checked child scope cannot outlive its parent.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let outer = arena.checked_scope();
    let inner = outer.child();
    drop(outer); //~ E0505
    inner.alloc(1);
}
