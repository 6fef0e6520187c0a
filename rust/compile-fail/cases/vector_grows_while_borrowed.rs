//! An element of a vector cannot be borrowed while the vector may move.
use heapsmith::Arena;

fn main() {
    let arena = Arena::new();
    let mut list = arena.vec();
    list.push(1);
    let first = &list[0];
    list.push(2); //~ E0502
    assert_eq!(*first, 1);
}
