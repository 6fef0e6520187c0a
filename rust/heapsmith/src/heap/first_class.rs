//! Heaps of their own, whose blocks end with them.

use core::alloc::Layout;
use core::ffi::c_void;
use core::fmt;
use core::ptr::NonNull;

use heapsmith_sys as sys;

use super::stats::{HeapStats, limit_in_c};
use super::{Source, nowhere};
use crate::error::AllocError;

/// A general-purpose heap beside the process's own: its blocks share no OS page with those of
/// others, are counted and limited apart, and all end with it, at no cost for each.
///
/// Its blocks have owners, [`HeapBox`](crate::HeapBox), or none, after
/// [`leak`](crate::HeapBox::leak); with one of the features `allocator-api2-…` a `&Heap` is an
/// allocator for collections. All of them borrow the heap, so nothing outlives it. What has no owner
/// when the heap ends is not dropped.
///
/// Thread safety: any number of threads may allocate from one heap, and free blocks of each other.
///
/// Complexity: that of the process's heap; each thread that uses the heap has a part of it, of about
/// 6 KiB. To end the heap takes a step for each slab of 64 KiB, not for each block.
///
/// ```
/// use heapsmith::{Heap, HeapBox};
///
/// struct Node<'h> {
///     value: u32,
///     next: Option<&'h Node<'h>>,
/// }
///
/// let heap = Heap::new();
/// heap.set_limit(Some(16 << 20)); // for this request, say
/// let mut list = None;
/// for value in 0..1000 {
///     let node: &Node = HeapBox::leak(heap.alloc(Node { value, next: list }));
///     list = Some(node);
/// }
/// let last = list.map(|node| (node.value, node.next.is_some()));
/// assert_eq!(last, Some((999, true)));
/// drop(heap); // and all nodes, without a walk
/// ```
pub struct Heap {
    raw: NonNull<sys::hs_heap>,
}

// SAFETY: any thread may use a heap, and whoever ends it has it alone.
unsafe impl Send for Heap {}
// SAFETY: as above.
unsafe impl Sync for Heap {}

impl Heap {
    /// A heap without blocks.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// assert_eq!(heap.stats().in_use_bytes, 0);
    /// ```
    ///
    /// # Panics
    /// When there is no memory for it.
    #[track_caller]
    pub fn new() -> Self {
        Self::try_new().unwrap_or_else(|e| e.panic())
    }

    /// [`new`](Self::new), or an error when there is no memory for it.
    pub fn try_new() -> Result<Self, AllocError> {
        let raw = NonNull::new(sys::hs_heap_create());
        Ok(Self { raw: raw.ok_or(AllocError::OutOfMemory { layout: Layout::new::<Self>() })? })
    }

    /// Ends all blocks at once; the heap, its limit and its peak stay.
    ///
    /// Complexity: linear in slabs, large blocks and the threads that used the heap.
    ///
    /// ```
    /// # use heapsmith::{Heap, HeapBox};
    /// let mut heap = Heap::new();
    /// HeapBox::leak(heap.alloc([7u8; 100_000]));
    /// heap.reset();
    /// assert_eq!(heap.stats().held_bytes, 0);
    /// ```
    pub fn reset(&mut self) {
        // SAFETY: whatever is in the heap borrowed it, and does no more.
        unsafe { sys::hs_heap_reset(self.raw()) }
    }

    /// The heap may hold at most so many bytes in slabs, large blocks and direct maps; `None`: no
    /// limit. What it holds already stays.
    ///
    /// ```
    /// # use heapsmith::Heap;
    /// let heap = Heap::new();
    /// heap.set_limit(Some(1 << 20));
    /// assert!(heap.try_alloc_slice_with(2 << 20, |_| 0u8).is_err());
    /// ```
    pub fn set_limit(&self, bytes: Option<usize>) {
        // SAFETY: the heap is there.
        unsafe { sys::hs_heap_set_limit(self.raw(), limit_in_c(bytes)) }
    }

    /// How much the heap holds, as exact as [`stats`](crate::stats).
    ///
    /// Complexity: a walk over the heap's slabs.
    ///
    /// ```
    /// # use heapsmith::Heap;
    /// let heap = Heap::new();
    /// let block = heap.alloc(0u64);
    /// assert_eq!(heap.stats().in_use_bytes, 16); // blocks are multiples of that
    /// ```
    pub fn stats(&self) -> HeapStats {
        // SAFETY: the heap is there, and so is the structure, whose size is set.
        HeapStats::written_by(|out| unsafe { sys::hs_heap_stats(self.raw(), out) })
    }

    fn raw(&self) -> *mut sys::hs_heap {
        self.raw.as_ptr()
    }

    /// A block of any layout; of size 0, just an address.
    #[inline]
    pub(super) fn place_for(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        if layout.size() == 0 {
            return Ok(nowhere(layout));
        }
        NonNull::new(self.allocate(layout)).ok_or(AllocError::OutOfMemory { layout })
    }
}

impl Source for Heap {
    #[inline]
    fn malloc(&self, size: usize) -> *mut c_void {
        // SAFETY: the heap is there, here and below.
        unsafe { sys::hs_heap_malloc(self.raw(), size) }
    }

    #[inline]
    fn calloc(&self, size: usize) -> *mut c_void {
        // SAFETY: as above.
        unsafe { sys::hs_heap_calloc(self.raw(), 1, size) }
    }

    #[inline]
    fn aligned_alloc(&self, align: usize, size: usize) -> *mut c_void {
        // SAFETY: as above.
        unsafe { sys::hs_heap_aligned_alloc(self.raw(), align, size) }
    }

    #[inline]
    unsafe fn free(&self, p: *mut u8, _: Layout) {
        // SAFETY: the caller's.
        unsafe { sys::hs_heap_free(self.raw(), p.cast()) }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: as in reset(); nobody has this handle any more.
        unsafe { sys::hs_heap_destroy(self.raw()) }
    }
}

impl Default for Heap {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Heap").field("stats", &self.stats()).finish()
    }
}
