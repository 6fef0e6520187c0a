//! The process's heap as Rust's global allocator.

use core::alloc::{GlobalAlloc, Layout};
use core::ffi::c_void;

use heapsmith_sys as sys;

use super::Source;

/// The process's heap, for `#[global_allocator]` and for collections that take an allocator.
///
/// Blocks may be freed by any thread. Sizes are handed back with them; growing and shrinking works
/// in place where it can, whatever the alignment; zeroed memory is cleared only if it was used
/// before. Code in other languages that calls `malloc` keeps the heap it had.
///
/// The variables of the environment that the C library knows work here, too: with
/// `HEAPSMITH_STATS=1` the process ends with a report, `HEAPSMITH_LIMIT_BYTES=1G` limits it.
///
/// Errors: null without memory, so that `try_reserve` fails and `Box::new` calls the handler of
/// allocation errors. A block that is freed twice or does not exist stops the process with one line
/// on stderr, where that is noticed.
///
/// Complexity: constant for small blocks, where the thread has a free one of the size.
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
        // Both sizes name the same block: which of the two functions is called need not depend on
        // the alignment.
        // SAFETY: the caller's.
        unsafe { sys::hs_free_sized(p.cast(), layout.size()) }
    }
}

// SAFETY: blocks are as long and aligned as asked, and stay until they are freed. Nothing here
// panics.
unsafe impl GlobalAlloc for Heapsmith {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.allocate(layout)
    }

    #[inline]
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { self.free(p, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.allocate_zeroed(layout)
    }

    #[inline]
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's: the size, rounded up to the alignment, is no more than isize::MAX.
        unsafe { self.resize(p, Layout::from_size_align_unchecked(size, layout.align())) }
    }
}
