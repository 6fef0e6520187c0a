//! A user's program: heapsmith as the global allocator, a separate heap, an arena and a pool.
use heapsmith::{Arena, Heap, HeapBox, Heapsmith, Soa, SoaPool};

#[global_allocator]
static A: Heapsmith = Heapsmith;

#[derive(Soa)]
struct Word {
    text: String,
    letters: usize,
}

fn main() {
    let words: Vec<String> = (0..1000).map(|n| format!("word {n}")).collect();
    assert!(heapsmith::stats().in_use_bytes > words.len() * size_of::<String>());
    assert!(words.iter().zip(0..).all(|(word, n)| *word == format!("word {n}")));

    let heap = Heap::new();
    let kept = HeapBox::leak(heap.alloc_slice_copy(&[7u8; 100_000]));
    assert!(heap.stats().large_bytes >= kept.len());

    let mut arena = Arena::new();
    assert_eq!(arena.scope(|scope| scope.alloc_str(&words[999]).len()), 8);

    let pool: SoaPool<Word> =
        words.into_iter().map(|text| Word { letters: text.len(), text }).collect();
    assert_eq!(pool.columns().letters.iter().sum::<usize>(), 10 * 6 + 90 * 7 + 900 * 8);
    assert_eq!(pool.get(pool.handles()[42]).unwrap().text, "word 42");
    assert_eq!(heapsmith::version(), "0.1.0");
}
