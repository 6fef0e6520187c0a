//! Separate heaps: values, slices, limits, statistics, resets, and sharing between threads.
#![cfg(all(feature = "heap", not(miri)))]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use heapsmith::{AllocError, Heap, HeapBox};

/// Counts drops.
struct Counted<'a>(&'a Cell<u32>);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

#[test]
fn values_end_with_their_owners() {
    let (heap, drops) = (Heap::new(), Cell::new(0));
    let a = heap.alloc(Counted(&drops));
    let b = heap.alloc_with(|| Counted(&drops));
    assert_eq!(heap.stats().in_use_bytes, 32);
    drop(a);
    assert_eq!((drops.get(), heap.stats().in_use_bytes), (1, 16));
    let value = HeapBox::into_inner(b);
    assert_eq!((drops.get(), heap.stats().in_use_bytes), (1, 0));
    drop(value);
    assert_eq!(drops.get(), 2);
}

#[test]
fn leaked_values_stay_and_are_not_dropped() {
    let drops = Cell::new(0);
    {
        let heap = Heap::new();
        let kept = HeapBox::leak(heap.alloc((Counted(&drops), 5)));
        kept.1 += 1;
        assert_eq!((kept.1, heap.stats().in_use_bytes), (6, 16));
    }
    assert_eq!(drops.get(), 0);
}

#[test]
fn zero_sized_values_take_no_memory() {
    #[repr(align(4096))]
    struct Aligned;
    let (heap, drops) = (Heap::new(), Cell::new(0));
    let nothing = heap.alloc(Aligned);
    assert_eq!((&raw const *nothing).addr() % 4096, 0);
    let empty = heap.alloc_slice_with(0, |_| Counted(&drops));
    let many = heap.alloc_slice_with(1000, |_| ());
    assert_eq!((empty.len(), many.len(), heap.stats().held_bytes), (0, 1000, 0));
    drop((nothing, empty, many));
    assert_eq!((&*heap.alloc_str(""), drops.get()), ("", 0));
}

#[test]
fn alignments_are_kept() {
    #[repr(align(64))]
    struct Line([u8; 64]);
    #[repr(align(65536))]
    struct Slice(#[expect(dead_code, reason = "it is there for its size")] [u8; 65536]);
    let heap = Heap::new();
    let lines: Vec<_> = (0..100).map(|n| heap.alloc(Line([n; 64]))).collect();
    assert!(lines.iter().all(|line| (&raw const **line).addr() % 64 == 0));
    assert!(lines.iter().zip(0..).all(|(line, n)| line.0 == [n; 64]));
    let slice = heap.alloc_with(|| Slice([0; 65536]));
    assert_eq!((&raw const *slice).addr() % 65536, 0);
}

#[test]
fn slices_are_made_in_order() {
    let heap = Heap::new();
    let words = heap.alloc_slice_with(100, |n| n.to_string());
    assert!(words.iter().zip(0..).all(|(word, n)| *word == n.to_string()));
    let copy = heap.alloc_slice_copy(&[1u16, 2, 3]);
    assert_eq!((&*copy, &*heap.alloc_str("text")), (&[1, 2, 3][..], "text"));
}

#[test]
fn a_panic_drops_the_elements_made() {
    let (heap, drops) = (Heap::new(), Cell::new(0));
    let make = |n| {
        assert!(n < 7, "as planned");
        Counted(&drops)
    };
    let ended = catch_unwind(AssertUnwindSafe(|| drop(heap.alloc_slice_with(10, make))));
    assert!(ended.is_err());
    assert_eq!((drops.get(), heap.stats().in_use_bytes), (7, 0));
    let ended = catch_unwind(AssertUnwindSafe(|| drop(heap.alloc_with::<u8>(|| panic!("again")))));
    assert!(ended.is_err());
    assert_eq!(heap.stats().in_use_bytes, 0);
}

#[test]
fn a_panicking_destructor_frees_the_block() {
    struct Fails(#[expect(dead_code, reason = "it is there for its size")] u64);
    impl Drop for Fails {
        fn drop(&mut self) {
            panic!("as planned");
        }
    }
    let heap = Heap::new();
    let fails = heap.alloc(Fails(1));
    assert!(catch_unwind(AssertUnwindSafe(|| drop(fails))).is_err());
    assert_eq!(heap.stats().in_use_bytes, 0);
}

#[test]
fn a_limit_refuses_with_an_error() {
    let heap = Heap::new();
    heap.set_limit(Some(1 << 20));
    let kept = heap.alloc_slice_copy(&[7u8; 1000]);
    match heap.try_alloc_slice_with(2 << 20, |_| 0u8) {
        Err(AllocError::OutOfMemory { layout }) => assert_eq!(layout.size(), 2 << 20),
        _ => panic!("more than the limit"),
    }
    assert!(matches!(heap.try_alloc_slice_with(usize::MAX, |_| 0u64), Err(AllocError::TooLarge)));
    assert_eq!(heap.stats().limit_bytes, 1 << 20);
    heap.set_limit(None);
    assert_eq!(heap.try_alloc_slice_with(2 << 20, |_| 0u8).map(|s| s.len()), Ok(2 << 20));
    assert_eq!(*kept, [7; 1000]);
}

#[test]
#[should_panic = "out of memory for 2097152 bytes aligned to 1"]
fn a_refusal_panics_where_nobody_tries() {
    let heap = Heap::new();
    heap.set_limit(Some(1 << 20));
    heap.alloc_slice_with(2 << 20, |_| 0u8);
}

#[test]
fn a_heap_is_used_again_after_a_reset() {
    let mut heap = Heap::new();
    for round in 0..5u8 {
        let slices: Vec<_> =
            (0..3000).map(|_| HeapBox::leak(heap.alloc_slice_copy(&[round; 100]))).collect();
        assert!(slices.iter().all(|slice| slice.iter().all(|&byte| byte == round)));
        assert!(heap.stats().in_use_bytes >= 300_000);
        heap.reset();
        assert_eq!(heap.stats().held_bytes, 0);
    }
    assert!(heap.stats().peak_bytes >= 300_000);
}

#[test]
fn threads_share_a_heap_and_free_each_others_blocks() {
    let heap = Heap::new();
    let made: Vec<Vec<HeapBox<'_, [u64]>>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..4u64)
            .map(|t| {
                let heap = &heap;
                scope.spawn(move || {
                    (0..2000)
                        .map(|n| heap.alloc_slice_with((n % 50) as usize, |_| t * 2000 + n))
                        .collect()
                })
            })
            .collect();
        workers.into_iter().map(|w| w.join().expect("no thread fails")).collect()
    });
    thread::scope(|scope| {
        for (t, slices) in (0..).zip(made) {
            scope.spawn(move || {
                for (n, slice) in (0..).zip(slices) {
                    assert!(slice.iter().all(|&value| value == t * 2000 + n));
                }
            });
        }
    });
    heapsmith::thread_purge();
    assert!(heap.stats().in_use_bytes < 1 << 20, "{heap:?}");
}

#[test]
fn a_heap_moves_with_its_owner() {
    let heap = Heap::new();
    HeapBox::leak(heap.alloc([1u8; 100]));
    let heap = thread::spawn(move || {
        HeapBox::leak(heap.alloc([2u8; 100]));
        heap
    })
    .join()
    .expect("no thread fails");
    assert_eq!(heap.stats().in_use_bytes, 2 * heapsmith::good_size(100));
}

#[test]
fn a_name_is_copied_and_kept_apart() {
    let mut text = String::from("tenant 17");
    let mut heap = Heap::with_name(&text);
    text.clear();
    assert_eq!((heap.name(), heap.stats().in_use_bytes), (Some("tenant 17"), 0));
    heap.reset();
    assert_eq!(heap.name(), Some("tenant 17"));
    assert_eq!(Heap::with_name("").name(), Some(""));
    assert!(format!("{heap:?}").contains("tenant 17"));
    let long = "x".repeat(1 << 20);
    for _ in 0..100 {
        assert_eq!(Heap::with_name(&long).name(), Some(&*long));
    }
    assert!(heapsmith::stats().large_bytes < 50 << 20); // with those of the other tests
}
