//! A user's program: heapsmith for all that it allocates, for a heap of its own, and an arena.
use heapsmith::{Arena, Heap, HeapBox, Heapsmith};

#[global_allocator]
static A: Heapsmith = Heapsmith;

fn main() {
    let words: Vec<String> = (0..1000).map(|n| format!("word {n}")).collect();
    assert!(heapsmith::stats().in_use_bytes > words.len() * size_of::<String>());
    assert!(words.iter().zip(0..).all(|(word, n)| *word == format!("word {n}")));

    let heap = Heap::new();
    let kept = HeapBox::leak(heap.alloc_slice_copy(&[7u8; 100_000]));
    assert!(heap.stats().large_bytes >= kept.len());

    let mut arena = Arena::new();
    assert_eq!(arena.scope(|scope| scope.alloc_str(&words[999]).len()), 8);
    assert_eq!(heapsmith::version(), "0.1.0");
}
