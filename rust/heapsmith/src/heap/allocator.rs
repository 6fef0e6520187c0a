//! Heaps as allocators for collections.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::source::Source;
use super::{Heap, Heapsmith};
use crate::fill::dangling;

/// A block as the trait returns it. A null `p` means out of memory.
fn slice(p: *mut u8, layout: Layout) -> Option<NonNull<[u8]>> {
    NonNull::new(p).map(|p| NonNull::slice_from_raw_parts(p, layout.size()))
}

/// Blocks of any layout, size 0 included.
trait Blocks: Source {
    #[inline]
    fn block(&self, layout: Layout) -> Option<NonNull<[u8]>> {
        let is_empty = layout.size() == 0;
        slice(if is_empty { dangling(layout).as_ptr() } else { self.allocate(layout) }, layout)
    }

    #[inline]
    fn zeroed_block(&self, layout: Layout) -> Option<NonNull<[u8]>> {
        let is_empty = layout.size() == 0;
        slice(
            if is_empty { dangling(layout).as_ptr() } else { self.allocate_zeroed(layout) },
            layout,
        )
    }

    /// # Safety
    /// As for [`Source::free`].
    #[inline]
    unsafe fn end_block(&self, p: NonNull<u8>, layout: Layout) {
        if layout.size() != 0 {
            // SAFETY: the caller's promise.
            unsafe { self.free(p.as_ptr(), layout) }
        }
    }

    /// # Safety
    /// As for [`Source::free`], with the old layout.
    #[inline]
    unsafe fn resized_block(
        &self,
        p: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Option<NonNull<[u8]>> {
        if old.size() == 0 || new.size() == 0 {
            let block = self.block(new)?;
            // SAFETY: the caller's promise. One of the two has no bytes to copy.
            unsafe { self.end_block(p, old) };
            return Some(block);
        }
        // SAFETY: the caller's promise.
        slice(unsafe { self.resize(p.as_ptr(), new) }, new)
    }
}

impl<S: Source> Blocks for S {}

/// Implements one version of the trait for a heap.
macro_rules! allocator {
    ($api:ident, $type:ty) => {
        // SAFETY: blocks live until they are freed or the heap ends. The process's heap never ends,
        // and the borrow keeps a separate heap alive. Copies of the allocator are the same heap.
        unsafe impl ::$api::alloc::Allocator for $type {
            #[inline]
            fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                self.block(layout).ok_or(::$api::alloc::AllocError)
            }

            #[inline]
            fn allocate_zeroed(
                &self,
                layout: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                self.zeroed_block(layout).ok_or(::$api::alloc::AllocError)
            }

            #[inline]
            unsafe fn deallocate(&self, p: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's promise.
                unsafe { self.end_block(p, layout) }
            }

            #[inline]
            unsafe fn grow(
                &self,
                p: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                // SAFETY: the caller's promise.
                unsafe { self.resized_block(p, old, new) }.ok_or(::$api::alloc::AllocError)
            }

            #[inline]
            unsafe fn grow_zeroed(
                &self,
                p: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                // SAFETY: the caller's promise. The block has the size of the new layout.
                unsafe {
                    let block = self.grow(p, old, new)?;
                    let added = block.cast::<u8>().add(old.size());
                    added.write_bytes(0, new.size() - old.size());
                    Ok(block)
                }
            }

            #[inline]
            unsafe fn shrink(
                &self,
                p: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                // SAFETY: the caller's promise.
                unsafe { self.resized_block(p, old, new) }.ok_or(::$api::alloc::AllocError)
            }
        }
    };
}

macro_rules! allocators {
    ($condition:meta, $api:ident) => {
        #[cfg($condition)]
        mod $api {
            use super::*;
            allocator!($api, Heapsmith);
            allocator!($api, &Heap);
        }
    };
}

allocators!(feature = "allocator-api2-02", allocator_api2_02);
allocators!(feature = "allocator-api2-03", allocator_api2_03);
allocators!(feature = "allocator-api2-04", allocator_api2_04);
allocators!(allocator_api, alloc);
