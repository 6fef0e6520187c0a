//! Boxes in heaps, which find their heap by the address of the block.

use core::alloc::Layout;
use core::ptr::{self, NonNull};

use heapsmith_sys as sys;

use super::{Memory, Owned, sealed};

/// The owner of a value in a [`Heap`](crate::Heap): see [`Owned`].
///
/// A box can be sent to another thread if its value can, and frees the block there.
///
/// # Examples
///
/// ```
/// # use heapsmith::{Heap, HeapBox};
/// let heap = Heap::new();
/// let mut list = heap.alloc(vec![1, 2]);
/// list.push(3);
/// let list: Vec<i32> = HeapBox::into_inner(list); // moved out; the block is free
/// assert_eq!((list.len(), heap.stats().in_use_bytes), (3, 0));
/// ```
pub type HeapBox<'heap, T> = Owned<'heap, T, InHeap>;

/// Marks boxes in a [`Heap`](crate::Heap).
#[derive(Clone, Copy, Debug, Default)]
pub struct InHeap;

impl Memory for InHeap {}

impl sealed::Free for InHeap {
    /// The core finds a block's heap by its address.
    #[inline]
    unsafe fn free(self, block: NonNull<u8>, layout: Layout) {
        if layout.size() != 0 {
            // SAFETY: the caller's promise.
            unsafe { sys::hs_heap_free(ptr::null_mut(), block.as_ptr().cast()) }
        }
    }
}
