//! A string that grows in an arena cannot be used after the arena's reset.
use heapsmith::Arena;

fn main() {
    let mut arena = Arena::new();
    let mut text = arena.string();
    arena.reset(); //~ E0502
    text.push('x');
}
