//! `heap.h`: heaps of their own, whose blocks end at once.
//!
//! Their blocks are blocks of [`hs_malloc`](crate::hs_malloc)'s in all else:
//! [`hs_free`](crate::hs_free) takes them, in any thread. Every function may be called from any
//! thread, but while a heap is destroyed nobody may use it.
use core::ffi::{c_int, c_void};

/// A heap beside the process's own.
#[repr(C)]
pub struct hs_heap {
    private: [u8; 0],
}

/// What [`hs_heap_stats`] tells, in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_heap_statistics {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// Blocks handed out, in their size classes.
    pub in_use_bytes: usize,
    /// Slabs, with their free blocks.
    pub slab_bytes: usize,
    /// Large blocks.
    pub large_bytes: usize,
    /// Direct maps, from 32 MiB on.
    pub direct_bytes: usize,
    /// Slabs, large blocks and direct maps together: what the limit is for.
    pub held_bytes: usize,
    /// The highest of that in the heap's life.
    pub peak_bytes: usize,
    /// The limit; 0: none.
    pub limit_bytes: usize,
}

unsafe extern "C" {
    /// Makes a heap; null without memory.
    pub safe fn hs_heap_create() -> *mut hs_heap;
    /// Ends the heap with all its blocks; null: nothing.
    pub fn hs_heap_destroy(heap: *mut hs_heap);
    /// Ends all blocks; the heap stays.
    pub fn hs_heap_reset(heap: *mut hs_heap);

    /// As [`hs_malloc`](crate::hs_malloc), from `heap`.
    pub fn hs_heap_malloc(heap: *mut hs_heap, size: usize) -> *mut c_void;
    /// As [`hs_calloc`](crate::hs_calloc), from `heap`.
    pub fn hs_heap_calloc(heap: *mut hs_heap, count: usize, size: usize) -> *mut c_void;
    /// As [`hs_aligned_alloc`](crate::hs_aligned_alloc), from `heap`.
    pub fn hs_heap_aligned_alloc(heap: *mut hs_heap, alignment: usize, size: usize) -> *mut c_void;
    /// As [`hs_realloc`](crate::hs_realloc), of a block of `heap`.
    pub fn hs_heap_realloc(heap: *mut hs_heap, p: *mut c_void, size: usize) -> *mut c_void;
    /// As [`hs_free`](crate::hs_free), and faster for a block of `heap`.
    pub fn hs_heap_free(heap: *mut hs_heap, p: *mut c_void);

    /// The heap may hold `bytes` at most; 0: no limit.
    pub fn hs_heap_set_limit(heap: *mut hs_heap, bytes: usize);
    /// Fills in `*out`, whose `size` is set: 0, or `EINVAL` if it is too small for a field.
    pub fn hs_heap_stats(heap: *mut hs_heap, out: *mut hs_heap_statistics) -> c_int;
}
