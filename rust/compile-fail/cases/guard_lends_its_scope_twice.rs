//! A guard lends its scope to one user at a time.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    let one = guard.scope();
    let two = guard.scope(); //~ E0499
    one.alloc(1);
    two.alloc(2);
}
