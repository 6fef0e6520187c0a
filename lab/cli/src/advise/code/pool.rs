//! A pool for rows of one type.

#[test]
fn rows_come_and_go() {
    let node = String::from("node");
    // [
    let mut pool = heapsmith::Pool::new();
    let handle = pool.insert(node); // instead of Box::new(node)
    // ...
    // ]
    assert_eq!(pool.len(), 1);
    // [
    pool.remove(handle); // instead of drop
    // ]
    assert!(pool.is_empty());
}
