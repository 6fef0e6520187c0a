//! Rows end with their pool.
use heapsmith::FixedPool;

fn main() {
    let row = {
        let mut pool = FixedPool::<_, 4>::inline();
        let handle = pool.insert(1);
        pool.get(handle) //~ E0597
    };
    assert_eq!(row, Some(&1));
}
