//! A row cannot outlive its pool.
use heapsmith::InlinePool;

fn main() {
    let row = {
        let mut pool = InlinePool::<_, 4>::inline();
        let handle = pool.insert(1);
        pool.get(handle) //~ E0597
    };
    assert_eq!(row, Some(&1));
}
