//! The scope of a guard cannot be reset while a value in it is used.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    let value = guard.scope().alloc(1);
    guard.reset(); //~ E0499
    *value = 2;
}
