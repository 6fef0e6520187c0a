//! An arena cannot be used while a scope of it is open.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    arena.alloc(1); //~ E0502
    guard.scope().alloc(2);
}
