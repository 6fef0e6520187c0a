//! A value with a destructor cannot refer to its own scope, whose later values are dropped first.
use heapsmith::Arena;

struct Shouts<'a>(&'a str);

impl Drop for Shouts<'_> {
    fn drop(&mut self) {
        println!("{}", self.0);
    }
}

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    let scope = guard.scope(); //~ E0597
    let text: &str = scope.alloc_str("mine");
    scope.alloc_drop(Shouts(text));
}
