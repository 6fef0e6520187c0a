//! A slice made from a vector cannot leave the vector's scope.
use heapsmith::Arena;

fn main() {
    let mut kept: Option<&mut [u32]> = None;
    Arena::new().scope(|scope| {
        let mut list = scope.vec();
        list.push(1);
        kept = Some(list.into_slice()); //~ E0521
    });
    drop(kept);
}
