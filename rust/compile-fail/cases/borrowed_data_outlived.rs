//! A value with a destructor cannot refer to data that is dropped before its scope ends.
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
    let scope = guard.scope();
    let text = String::from("gone");
    scope.alloc_drop(Shouts(&text)); //~ E0597
}
