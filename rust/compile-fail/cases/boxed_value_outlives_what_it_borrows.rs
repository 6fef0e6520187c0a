//! A value in a vector cannot outlive the data that it borrows.
use heapsmith::Arena;

fn main() {
    let arena = Arena::new();
    let mut list = arena.vec();
    {
        let text = String::from("gone");
        list.push(text.as_str()); //~ E0597
    }
    list.push("still here");
}
