//! What a guard's scope allocated ends with the guard.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    let value = guard.scope().alloc(1);
    drop(guard); //~ E0505
    *value += 1;
}
