//! `heap.h`: separate heaps, whose blocks end at once.
//!
//! Any thread may free a block of a heap with [`hs_free`](crate::hs_free), like one of
//! [`hs_malloc`](crate::hs_malloc). Every function may be called from any thread, but a heap must
//! not be used while it is destroyed.
use core::ffi::{c_int, c_void};

/// A heap beside the process's own.
#[repr(C)]
pub struct hs_heap {
    private: [u8; 0],
}

/// Statistics of a heap, from [`hs_heap_stats`], in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_heap_statistics {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// Allocated blocks, rounded up to their size classes.
    pub in_use_bytes: usize,
    /// Slabs, their free blocks included.
    pub slab_bytes: usize,
    /// Large blocks.
    pub large_bytes: usize,
    /// Direct maps, from 32 MiB on.
    pub direct_bytes: usize,
    /// Slabs, large blocks and direct maps, which the limit applies to.
    pub held_bytes: usize,
    /// The highest `held_bytes` since the heap was created.
    pub peak_bytes: usize,
    /// The limit; 0 means none.
    pub limit_bytes: usize,
}

unsafe extern "C" {
    /// Creates a heap. Returns null if out of memory.
    pub safe fn hs_heap_create() -> *mut hs_heap;
    /// Destroys the heap and ends all its blocks. Ignores null.
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

    /// Limits the bytes that the heap holds; 0 removes the limit.
    pub fn hs_heap_set_limit(heap: *mut hs_heap, bytes: usize);
    /// Fills in `*out`, whose `size` is set: 0, or `EINVAL` if it is too small for a field.
    pub fn hs_heap_stats(heap: *mut hs_heap, out: *mut hs_heap_statistics) -> c_int;
}
