//! A value cannot leave the scope in which it was allocated.
use heapsmith::Arena;

fn main() {
    let mut kept = None;
    Arena::new().scope(|scope| kept = Some(scope.alloc(1))); //~ E0521
    drop(kept);
}
