//! A buffer of each thread that is used again.

// [
use std::cell::RefCell;

thread_local! {
    static BUFFER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) }; // keeps its memory
}
// ]

fn filled(n: usize) -> usize {
    // [
    BUFFER.with_borrow_mut(|buffer| {
        buffer.clear();
        buffer.resize(n, 0);
        // ...
        // ]
        buffer.len()
        // [
    })
    // ]
}

#[test]
fn the_buffer_has_any_size() {
    assert_eq!((filled(5000), filled(10_000), filled(10)), (5000, 10_000, 10));
}
