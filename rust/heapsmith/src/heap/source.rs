//! Layouts of Rust as sizes of C.

use core::alloc::Layout;
use core::ffi::c_void;

use heapsmith_sys as sys;

/// Every block has at least this alignment.
const BLOCK_ALIGN: usize = 16;

/// Larger blocks are mostly aligned to slices of 64 KiB or, from 32 MiB on, to OS pages.
const SLAB_BLOCK_MAX: usize = 32 * 1024;

/// A heap that allocates layouts, none of size 0. A null result means out of memory.
pub(super) trait Source {
    fn malloc(&self, size: usize) -> *mut c_void;
    fn calloc(&self, size: usize) -> *mut c_void;
    fn aligned_alloc(&self, align: usize, size: usize) -> *mut c_void;

    /// Frees a block.
    ///
    /// # Safety
    /// The block is live, of this heap, and was last allocated or resized with this layout.
    unsafe fn free(&self, p: *mut u8, layout: Layout);

    #[inline]
    fn allocate(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= BLOCK_ALIGN {
            self.malloc(layout.size()).cast()
        } else {
            self.aligned_alloc(layout.align(), layout.size()).cast()
        }
    }

    /// Allocates zeroed memory. Memory fresh from the kernel is not cleared again.
    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= BLOCK_ALIGN {
            self.calloc(layout.size()).cast()
        } else {
            self.allocate_zeroed_aligned(layout)
        }
    }

    /// [`allocate_zeroed`](Self::allocate_zeroed) with an alignment that `calloc` does not promise.
    #[cold]
    fn allocate_zeroed_aligned(&self, layout: Layout) -> *mut u8 {
        if layout.size() > SLAB_BLOCK_MAX {
            let p = self.calloc(layout.size()).cast::<u8>();
            if p.addr() % layout.align() == 0 {
                return p; // of a span up to 64 KiB, of a direct map up to an OS page
            }
            // SAFETY: the block was just allocated, and nothing uses it.
            unsafe { self.free(p, layout) };
        }
        let p = self.allocate(layout);
        if !p.is_null() {
            // SAFETY: the block has the size of the layout.
            unsafe { p.write_bytes(0, layout.size()) };
        }
        p
    }

    /// Resizes a block in place or moves it within its heap. Null: the block is unchanged.
    ///
    /// # Safety
    /// As for [`free`](Self::free).
    #[inline]
    unsafe fn resize(&self, p: *mut u8, new: Layout) -> *mut u8 {
        // SAFETY: the caller's promise. The size is not 0, which would free the block.
        unsafe {
            if new.align() <= BLOCK_ALIGN {
                sys::hs_realloc(p.cast(), new.size()).cast()
            } else {
                sys::hs_aligned_realloc(p.cast(), new.align(), new.size()).cast()
            }
        }
    }
}
