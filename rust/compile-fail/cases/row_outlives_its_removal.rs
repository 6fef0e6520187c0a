//! A row cannot be looked at while it is removed.
use heapsmith::Pool;

fn main() {
    let mut pool = Pool::new();
    let handle = pool.insert(String::from("row"));
    let row = &pool[handle];
    pool.remove(handle); //~ E0502
    assert_eq!(row, "row");
}
