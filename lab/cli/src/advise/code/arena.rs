//! An arena: blocks end all at once.

struct Node<'a> {
    next: Option<&'a Node<'a>>,
    value: u32,
}

#[test]
fn nodes_end_together() {
    // [
    let mut memory = heapsmith::Arena::new(); // once
    // ]
    for _ in 0..3 {
        let mut first: Option<&Node> = None;
        for value in 0..100 {
            // [
            let node = memory.alloc(Node { next: first, value }); // instead of Box::new
            // ...
            // ]
            first = Some(node);
        }
        let nodes = std::iter::successors(first, |node| node.next);
        assert_eq!(nodes.map(|node| node.value).sum::<u32>(), 4950);
        // [
        memory.reset(); // where all blocks end
        // ]
    }
}
