//! A shorter borrow of a scope does not let it take values whose data ends before the scope.
use heapsmith::{Arena, Scope};

struct Shouts<'a>(&'a str);

impl Drop for Shouts<'_> {
    fn drop(&mut self) {
        println!("{}", self.0);
    }
}

fn keep<'a>(scope: &Scope<'_, 'a>, text: &'a str) {
    scope.alloc_drop(Shouts(text));
}

fn main() {
    let mut arena = Arena::new();
    let mut guard = arena.guard();
    let scope = guard.scope();
    {
        let text = String::from("gone");
        keep(&scope, &text); //~ E0597
    }
    scope.alloc(1);
}
