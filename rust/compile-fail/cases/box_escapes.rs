//! A box cannot leave the scope in which it was allocated.
use heapsmith::Arena;

fn main() {
    let mut kept = None;
    Arena::new().scope(|scope| kept = Some(scope.alloc_box(String::new()))); //~ E0521
    drop(kept);
}
