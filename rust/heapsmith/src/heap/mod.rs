//! The general-purpose heap of the C++ core, as the global allocator and as separate heaps.
//!
//! The functions of C take sizes, while Rust passes layouts. [`Source`] translates between them,
//! for the process's heap and for separate ones.

mod first_class;
mod global;
mod name;
mod settings;
mod source;
mod stats;

#[cfg(any(
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04",
    allocator_api
))]
mod allocator;

use core::alloc::Layout;
use core::ptr::NonNull;

pub use first_class::Heap;
pub use global::Heapsmith;
pub use stats::{
    HeapStats, Stats, good_size, prefault, purge, set_limit, stats, thread_purge, version,
};

use source::Source;

/// Implements [`Upstream`](crate::Upstream) for a heap.
macro_rules! upstream {
    ($($type:ty),+) => {
        // SAFETY: blocks live until they are freed or the heap ends, which a borrow prevents.
        $(unsafe impl crate::Upstream for $type {
            fn allocate_piece(&self, layout: Layout) -> Option<NonNull<u8>> {
                NonNull::new(self.allocate(layout))
            }

            unsafe fn deallocate_piece(&self, piece: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's promise.
                unsafe { self.free(piece.as_ptr(), layout) }
            }
        })+
    };
}

upstream!(Heap, Heapsmith);
