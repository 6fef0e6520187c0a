//! Nor can the owner of a value in it.
use heapsmith::Arena;

fn main() {
    let mut kept = None;
    Arena::new().scope(|scope| kept = Some(scope.alloc_box(String::new()))); //~ E0521
    drop(kept);
}
