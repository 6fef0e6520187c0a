//! A scope on an arena: blocks end in reverse order, when the scope closes.

fn count(outer: &mut heapsmith::Scope<'_, '_>, depth: u32) -> usize {
    // [
    outer.scope(|frame| {
        let block = frame.alloc_slice_with(100, |_| 0u8); // instead of a Vec
        // ...
        // ]
        let own = block.len() / 100;
        own + (0..depth).map(|_| count(frame, depth - 1)).sum::<usize>()
        // [
    }) // the blocks end
    // ]
}

#[test]
fn scopes_nest() {
    // [
    let mut memory = heapsmith::Arena::new(); // once, in a caller
    let counted = memory.scope(|outer| count(outer, 3));
    // ]
    assert_eq!(counted, 16);
}
