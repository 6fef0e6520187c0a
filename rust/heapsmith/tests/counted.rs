//! Counts of allocations: of nested pieces of code, of several threads, and of a process without the
//! counting allocator.
#![cfg(feature = "std")]

use std::alloc::System;
use std::hint::black_box;
use std::panic::catch_unwind;

use heapsmith::{
    AllocationCounts, Counted, assert_allocations, assert_no_allocation, count_allocations,
};

#[global_allocator]
static A: Counted<System> = Counted::new(System);

#[test]
fn all_kinds_of_calls_are_counted() {
    let (kept, counts) = count_allocations(|| {
        let mut list: Vec<u8> = Vec::with_capacity(10);
        list.reserve_exact(30);
        list.push(1);
        list.shrink_to_fit();
        drop(black_box(vec![0u8; 100])); // zeroed
        list
    });
    let expected = AllocationCounts {
        allocations: 2,
        reallocations: 2,
        deallocations: 1,
        bytes: 10 + 20 + 100,
        peak_bytes: 101,
    };
    assert_eq!((kept.len(), counts), (1, expected));
}

#[test]
fn a_count_inside_another_does_not_disturb_it() {
    let (inner, outer) = count_allocations(|| {
        drop(black_box(vec![1u8; 1000]));
        let (_, inner) = count_allocations(|| drop(black_box(vec![1u8; 10])));
        drop(black_box(vec![1u8; 500]));
        inner
    });
    assert_eq!((inner.allocations, inner.peak_bytes), (1, 10));
    assert_eq!(outer.peak_bytes, 1000);
    assert_eq!(outer.allocations, 3 + 1); // the inner count checks that it counts
}

#[test]
fn threads_are_counted_apart() {
    let (list, counts) = count_allocations(|| {
        let made = std::thread::scope(|scope| {
            scope.spawn(|| count_allocations(|| vec![1u8; 5000])).join().expect("it ends")
        });
        assert_eq!(made.1.allocations, 1);
        made.0
    });
    assert!(counts.peak_bytes < 5000, "{counts:?}"); // what a thread itself needs
    let ((), counts) = count_allocations(|| drop(list));
    assert_eq!((counts.deallocations, counts.peak_bytes), (1, 0));
}

#[test]
fn too_many_allocations_panic() {
    assert_eq!(assert_allocations(1, || vec![1u8; 3]), [1; 3]);
    let refused = catch_unwind(|| assert_allocations(1, || vec![String::from("two")]));
    let message = refused.expect_err("two blocks");
    let message = message.downcast::<String>().expect("a text");
    assert_eq!(*message, "2 allocations of 27 bytes, at most 1 allowed");
    catch_unwind(|| assert_no_allocation(|| black_box(vec![1u8; 3]))).expect_err("a block");
}

#[test]
fn a_piece_that_panics_leaves_counts_in_order() {
    catch_unwind(|| count_allocations(|| panic!("inside"))).expect_err("it panics");
    let (_, counts) = count_allocations(|| drop(black_box(vec![1u8; 7])));
    assert_eq!((counts.allocations, counts.peak_bytes), (1, 7));
}
