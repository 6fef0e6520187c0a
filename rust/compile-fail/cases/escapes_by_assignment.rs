//! What a scope allocated cannot be kept outside of it.
use heapsmith::Arena;

fn main() {
    let mut kept = None;
    Arena::new().scope(|scope| kept = Some(scope.alloc(1))); //~ E0521
    drop(kept);
}
