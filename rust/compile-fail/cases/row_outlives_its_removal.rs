//! A reference to a row cannot be used after the row was removed.
use heapsmith::Pool;

fn main() {
    let mut pool = Pool::new();
    let handle = pool.insert(String::from("row"));
    let row = &pool[handle];
    pool.remove(handle); //~ E0502
    assert_eq!(row, "row");
}
