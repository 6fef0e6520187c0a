//! Arenas and scopes as allocators of collections.
//!
//! A collection borrows the arena or scope it is in: while it may grow, no child scope can be open
//! and the arena cannot be reset. What is freed is used again if it was allocated last; a vector
//! that grows at the end grows where it is.

use core::alloc::Layout;
use core::ptr::NonNull;

/// Implements a version of the trait for a type that has a `bump()`.
macro_rules! allocator {
    ($api:ident, [$($generics:lifetime),*], $type:ty) => {
        // SAFETY: blocks stay where they are until the arena is reset or the scope ends, and the
        // shared borrow that this allocator is forbids both.
        unsafe impl<$($generics),*> ::$api::alloc::Allocator for &$type {
            #[inline]
            fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                match self.bump().and_then(|bump| bump.allocate(layout)) {
                    Ok(p) => Ok(NonNull::slice_from_raw_parts(p, layout.size())),
                    Err(_) => Err(::$api::alloc::AllocError),
                }
            }

            #[inline]
            unsafe fn deallocate(&self, p: NonNull<u8>, layout: Layout) {
                if let Ok(bump) = self.bump() {
                    // SAFETY: the caller's. What is not the last stays until all goes.
                    unsafe { bump.resize_last(p, layout.size(), 0) };
                }
            }

            #[inline]
            unsafe fn grow(
                &self,
                p: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                // SAFETY: the caller's.
                match self.bump().and_then(|bump| unsafe { bump.reallocate(p, old, new) }) {
                    Ok(to) => Ok(NonNull::slice_from_raw_parts(to, new.size())),
                    Err(_) => Err(::$api::alloc::AllocError),
                }
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
