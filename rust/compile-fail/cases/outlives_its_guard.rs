//! A value cannot outlive the guard of its scope.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    let value = guard.scope().alloc(1);
    drop(guard); //~ E0505
    *value += 1;
}
