//! An arena cannot be reset while a scope of it is open.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    arena.reset(); //~ E0499
    guard.scope().alloc(1);
}
