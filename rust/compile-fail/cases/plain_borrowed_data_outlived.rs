//! Nor can a value without a destructor be used when what it refers to has ended.
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
