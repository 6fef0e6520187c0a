//! Collections in heaps, through the allocator traits.
#![cfg(all(
    feature = "heap",
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04",
    not(miri)
))]
#![cfg_attr(allocator_api, feature(allocator_api))]

use std::alloc::Layout;
use std::ptr::NonNull;

use heapsmith::{Heap, Heapsmith};

macro_rules! tests {
    ($module:ident, $api:ident) => {
        mod $module {
            use super::*;
            use $api::alloc::Allocator;
            use $api::boxed::Box as HeapsBox;
            use $api::vec::Vec;

            #[test]
            fn vectors_keep_their_elements() {
                let heap = Heap::new();
                let mut all: [Vec<usize, &Heap>; 5] = std::array::from_fn(|_| Vec::new_in(&heap));
                for n in 0..50_000 {
                    all[n % 5].push(n);
                }
                for (i, v) in all.iter_mut().enumerate() {
                    assert!(v.iter().copied().eq((i..50_000).step_by(5)));
                    v.truncate(10);
                    v.shrink_to_fit();
                    assert!(v.iter().copied().eq((i..50).step_by(5)));
                }
                assert_eq!(heap.stats().in_use_bytes, 5 * 80);
                drop(all);
                assert_eq!(heap.stats().in_use_bytes, 0);
            }

            #[test]
            fn boxes_live_in_the_process_heap() {
                let mut bytes = Vec::new_in(Heapsmith);
                bytes.resize(2 << 20, 3u8);
                let large: HeapsBox<[u8], _> = bytes.into_boxed_slice();
                assert!(heapsmith::stats().large_bytes >= 2 << 20);
                assert_eq!(large[50_000], 3);
            }

            fn resizes<A: Allocator>(heap: A) {
                let layout =
                    |size, align| Layout::from_size_align(size, align).expect("no nonsense");
                let first = |p: NonNull<[u8]>| p.cast::<u8>();
                // SAFETY: each block is used with its layout and freed once.
                unsafe {
                    let none = heap.allocate(layout(0, 64)).expect("nothing can be had");
                    assert_eq!((none.len(), first(none).addr().get() % 64), (0, 0));
                    let some = heap.grow_zeroed(first(none), layout(0, 64), layout(100, 64));
                    let some = first(some.expect("100 bytes can be had"));
                    assert!((0..100).all(|i| some.add(i).read() == 0));
                    some.write_bytes(9, 100);
                    let more = heap.grow_zeroed(some, layout(100, 64), layout(70_000, 4096));
                    let more = first(more.expect("so can 70000"));
                    assert_eq!(more.addr().get() % 4096, 0);
                    assert!((0..70_000).all(|i| more.add(i).read() == if i < 100 { 9 } else { 0 }));
                    let less = heap.shrink(more, layout(70_000, 4096), layout(50, 1));
                    let less = first(less.expect("and less"));
                    assert!((0..50).all(|i| less.add(i).read() == 9));
                    let none = heap.shrink(less, layout(50, 1), layout(0, 1)).expect("and nothing");
                    heap.deallocate(first(none), layout(0, 1));
                    let zeros = heap.allocate_zeroed(layout(50, 8)).expect("and zeros");
                    assert!((0..50).all(|i| first(zeros).add(i).read() == 0));
                    heap.deallocate(first(zeros), layout(50, 8));
                    assert!(heap.allocate(layout(1 << 60, 8)).is_err());
                }
            }

            #[test]
            fn blocks_change_size_and_alignment() {
                let heap = Heap::new();
                resizes(&heap);
                assert_eq!(heap.stats().in_use_bytes, 0);
                resizes(Heapsmith);
            }
        }
    };
}

tests!(version_02, allocator_api2_02);
tests!(version_03, allocator_api2_03);
tests!(version_04, allocator_api2_04);
#[cfg(allocator_api)]
tests!(of_std, std);
