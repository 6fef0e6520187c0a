//! Two rows must be mutably borrowed together, since two handles may refer to the same row.
use heapsmith::Pool;

fn main() {
    let mut pool = Pool::new();
    let (a, b) = (pool.insert(1), pool.insert(2));
    let first = pool.get_mut(a);
    let second = pool.get_mut(b); //~ E0499
    assert_ne!(first, second);
}
