//! Without the counting allocator a test must not pass by counting nothing.
#![cfg(feature = "std")]

#[test]
#[should_panic(expected = "the global allocator is not heapsmith::Counted")]
fn a_program_without_the_counting_allocator_is_told() {
    heapsmith::assert_no_allocation(|| ());
}
