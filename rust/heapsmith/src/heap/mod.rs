//! The general heap of the C++ core: as global allocator, and as heaps of their own.
//!
//! `malloc`'s family knows sizes; Rust speaks of layouts. [`Source`] translates, for the process's
//! heap and for any other.

mod boxed;
mod first_class;
mod global;
mod stats;
mod values;

#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04"))]
mod allocator;

use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::{self, NonNull};

use heapsmith_sys as sys;

pub use boxed::HeapBox;
pub use first_class::Heap;
pub use global::Heapsmith;
pub use stats::{
    HeapStats, Stats, good_size, prefault, purge, set_limit, stats, thread_purge, version,
};

/// Every block is aligned so, whether or not that was asked for.
const BLOCK_ALIGN: usize = 16;

/// Larger blocks begin at slices of 64 KiB or, from 32 MiB on, at OS pages.
const SLAB_BLOCK_MAX: usize = 32 * 1024;

/// Where a block of size 0 lies: at an aligned address that nobody reads.
#[inline]
fn nowhere(layout: Layout) -> NonNull<u8> {
    // SAFETY: an alignment is not 0.
    unsafe { NonNull::new_unchecked(ptr::without_provenance_mut(layout.align())) }
}

/// A heap that is asked by layouts, none of them of size 0. Null: no memory.
trait Source {
    fn malloc(&self, size: usize) -> *mut c_void;
    fn calloc(&self, size: usize) -> *mut c_void;
    fn aligned_alloc(&self, align: usize, size: usize) -> *mut c_void;

    /// Ends a block.
    ///
    /// # Safety
    /// It is live, of this heap, and was asked for or resized with this layout last.
    unsafe fn free(&self, p: *mut u8, layout: Layout);

    #[inline]
    fn allocate(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= BLOCK_ALIGN {
            self.malloc(layout.size()).cast()
        } else {
            self.aligned_alloc(layout.align(), layout.size()).cast()
        }
    }

    /// A block of zeros. Where the kernel has just cleared it, nobody does again.
    #[inline]
    fn allocate_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= BLOCK_ALIGN {
            self.calloc(layout.size()).cast()
        } else {
            self.allocate_zeroed_aligned(layout)
        }
    }

    /// [`allocate_zeroed`](Self::allocate_zeroed) for what `calloc` need not align.
    #[cold]
    fn allocate_zeroed_aligned(&self, layout: Layout) -> *mut u8 {
        if layout.size() > SLAB_BLOCK_MAX {
            let p = self.calloc(layout.size()).cast::<u8>();
            if p.addr() % layout.align() == 0 {
                return p; // which it is up to 64 KiB, or up to an OS page from 32 MiB on
            }
            // SAFETY: the block is ours, and nobody has seen it.
            unsafe { self.free(p, layout) };
        }
        let p = self.allocate(layout);
        if !p.is_null() {
            // SAFETY: the block is so long.
            unsafe { p.write_bytes(0, layout.size()) };
        }
        p
    }

    /// Resizes a block where it is or by moving it within its heap; null: it is as it was.
    ///
    /// # Safety
    /// As for [`free`](Self::free).
    #[inline]
    unsafe fn resize(&self, p: *mut u8, new: Layout) -> *mut u8 {
        // SAFETY: the caller's; and no size is 0, which would free.
        unsafe {
            if new.align() <= BLOCK_ALIGN {
                sys::hs_realloc(p.cast(), new.size()).cast()
            } else {
                sys::hs_aligned_realloc(p.cast(), new.align(), new.size()).cast()
            }
        }
    }
}
