//! Arenas and scopes as allocators of collections.
//!
//! A collection borrows the arena or scope it is in: while it may grow, no child scope can be open
//! and the arena cannot be reset. What is freed is used again if it was allocated last; a vector
//! that grows at the end grows where it is.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bump::Bump;
use crate::error::AllocError;

/// Blocks that may be given back or resized, best when they were allocated last.
pub(crate) struct Blocks<'a> {
    pub(crate) bump: &'a Bump,
}

impl Blocks<'_> {
    /// # Safety
    /// The block is this bump's, and nothing refers to it.
    pub(crate) unsafe fn free(&self, p: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { self.bump.resize_last(p, layout.size(), 0) };
    }

    /// Moves a block to a place for `new`, or resizes it where it is; the first bytes stay, as many
    /// as both have.
    ///
    /// # Safety
    /// The block is this bump's, of layout `old`, and nothing else refers to it.
    pub(crate) unsafe fn resize(
        &self,
        p: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        let is_aligned = p.addr().get() % new.align() == 0;
        // SAFETY: the caller's.
        if is_aligned && unsafe { self.bump.resize_last(p, old.size(), new.size()) } {
            return Ok(p);
        }
        if is_aligned && new.size() <= old.size() {
            return Ok(p);
        }
        let to = self.bump.allocate(new)?;
        // SAFETY: both have so many bytes; the new block is nobody else's, so they are apart.
        unsafe { p.copy_to_nonoverlapping(to, old.size().min(new.size())) };
        Ok(to)
    }
}

/// Implements a version of the trait for a type whose `blocks()` are to be had.
macro_rules! allocator {
    ($api:ident, [$($generics:lifetime),*], $type:ty) => {
        // SAFETY: blocks stay where they are until the arena is reset or the scope ends, and the
        // shared borrow that this allocator is forbids both.
        unsafe impl<$($generics),*> ::$api::alloc::Allocator for &$type {
            #[inline]
            fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                let blocks = self.blocks().map_err(|_| ::$api::alloc::AllocError)?;
                let p = blocks.bump.allocate(layout).map_err(|_| ::$api::alloc::AllocError)?;
                Ok(NonNull::slice_from_raw_parts(p, layout.size()))
            }

            #[inline]
            unsafe fn deallocate(&self, p: NonNull<u8>, layout: Layout) {
                if let Ok(blocks) = self.blocks() {
                    // SAFETY: the caller's.
                    unsafe { blocks.free(p, layout) };
                }
            }

            #[inline]
            unsafe fn grow(
                &self,
                p: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                let blocks = self.blocks().map_err(|_| ::$api::alloc::AllocError)?;
                // SAFETY: the caller's.
                let to = unsafe { blocks.resize(p, old, new) };
                let to = to.map_err(|_| ::$api::alloc::AllocError)?;
                Ok(NonNull::slice_from_raw_parts(to, new.size()))
            }

            #[inline]
            unsafe fn shrink(
                &self,
                p: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                // SAFETY: the caller's.
                unsafe { self.grow(p, old, new) }
            }
        }
    };
}

macro_rules! allocators {
    ($feature:literal, $api:ident) => {
        #[cfg(feature = $feature)]
        mod $api {
            use super::*;
            allocator!($api, ['b], crate::Arena<'b>);
            allocator!($api, ['s, 'o], crate::Scope<'s, 'o>);
            allocator!($api, ['a], crate::CheckedScope<'a>);
        }
    };
}

allocators!("allocator-api2-02", allocator_api2_02);
allocators!("allocator-api2-04", allocator_api2_04);
