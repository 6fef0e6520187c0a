//! A value without a destructor cannot be used after the data it refers to was dropped.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    let scope = guard.scope();
    let kept: &mut &str;
    {
        let text = String::from("gone");
        kept = scope.alloc(&*text); //~ E0597
    }
    assert_eq!(*kept, "gone");
}
