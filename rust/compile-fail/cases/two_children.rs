//! Sibling scopes cannot be open together: they would share memory.
use heapsmith::Arena;

fn main() {
    Arena::new().scope(|outer| {
        let mut first = outer.guard();
        let mut second = outer.guard(); //~ E0499
        first.scope().alloc(1);
        second.scope().alloc(2);
    });
}
