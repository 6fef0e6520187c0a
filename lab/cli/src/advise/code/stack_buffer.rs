//! A buffer on the stack, and the heap for larger blocks.

const LIMIT: usize = 64;

fn copied(text: &str) -> usize {
    // [
    let mut buffer = [std::mem::MaybeUninit::<u8>::uninit(); LIMIT];
    let memory = heapsmith::BufferArena::growing(&mut buffer); // larger blocks from the heap
    let copy = memory.alloc_str(text);
    // ]
    copy.len()
}

#[test]
fn long_and_short_texts_are_copied() {
    assert_eq!((copied("short"), copied(&"x".repeat(1000))), (5, 1000));
}
