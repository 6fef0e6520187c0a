//! A heap of their own: blocks come and go, and those that are left end all at once.

// [
use heapsmith::{Heap, HeapBox};
// ]

#[test]
fn lines_that_are_left_end_together() {
    // [
    let mut memory = Heap::new(); // once
    // ]
    for _ in 0..3 {
        let mut lines: Vec<Option<HeapBox<[u8]>>> = Vec::new();
        lines.resize_with(100, || None);
        for i in 0..300 {
            // [
            let line = memory.alloc_slice_copy(&[7; 20]); // instead of Box::new or vec!
            // ...
            // ]
            lines[i % 100] = Some(line); // the line before it ends
        }
        // [
        lines.into_iter().for_each(std::mem::forget); // instead of a drop of each
        memory.reset(); // where all blocks end
        // ]
    }
    assert_eq!(memory.stats().in_use_bytes, 0);
}
