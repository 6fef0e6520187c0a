//! The process's heap as Rust's global allocator.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;

use heapsmith_sys as sys;

use super::source::Source;

/// The process's heap, as `#[global_allocator]` and as the allocator of a collection.
///
/// Any thread may free a block. Growing and shrinking work in place where possible, whatever the
/// alignment. Zeroed memory is cleared only if it was used before. Code in other languages that
/// calls `malloc` keeps its own heap.
///
/// The environment variables of the C library work here, too: with `HEAPSMITH_STATS=1` the process
/// prints a report when it ends, and `HEAPSMITH_LIMIT_BYTES=1G` limits its memory. A program sets
/// the same with [`settings!`](crate::settings).
///
/// # Errors
///
/// If out of memory, the allocator returns null, so `try_reserve` returns an error and `Box::new`
/// calls [`handle_alloc_error`](https://doc.rust-lang.org/alloc/alloc/fn.handle_alloc_error.html).
/// If a block is freed twice or was never allocated, and the heap detects it, the process aborts
/// with one line on stderr.
///
/// # Complexity
///
/// Constant for a small block if the thread has a free one of its size.
///
/// # Examples
///
/// ```standalone_crate
/// use heapsmith::Heapsmith;
///
/// #[global_allocator]
/// static A: Heapsmith = Heapsmith;
///
/// let words: Vec<String> = "all of it is heapsmith's".split(' ').map(String::from).collect();
/// assert!(heapsmith::stats().in_use_bytes > words.len() * size_of::<String>());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heapsmith;

impl Source for Heapsmith {
    #[inline]
    fn malloc(&self, size: usize) -> *mut c_void {
        sys::hs_malloc(size)
    }

    #[inline]
    fn calloc(&self, size: usize) -> *mut c_void {
        sys::hs_calloc(1, size)
    }

    #[inline]
    fn aligned_alloc(&self, align: usize, size: usize) -> *mut c_void {
        sys::hs_aligned_alloc(align, size)
    }

    #[inline]
    unsafe fn free(&self, p: *mut u8, layout: Layout) {
        // The size alone finds the size class, whichever function has allocated the block.
        // SAFETY: the caller's promise.
        unsafe { sys::hs_free_sized(p.cast(), layout.size()) }
    }
}

// SAFETY: blocks have the requested size and alignment and live until they are freed. Nothing here
// panics.
unsafe impl GlobalAlloc for Heapsmith {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.allocate(layout)
    }

    #[inline]
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.free(p, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.allocate_zeroed(layout)
    }

    #[inline]
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise: the size, rounded up to the alignment, is no more than
        // isize::MAX.
        unsafe { self.resize(p, Layout::from_size_align_unchecked(size, layout.align())) }
    }
}
