//! Arenas, scopes and regions as allocators of collections.
//!
//! A collection borrows the arena or scope it is in: while it may grow, no child scope can be open
//! and the arena cannot be reset. What is freed is used again if it was allocated last; a vector
//! that grows at the end grows where it is. Regions free and resize blocks in any order.

use core::alloc::Layout;
use core::ptr::NonNull;

/// Implements a version of the trait by methods that the type has under the same names.
macro_rules! allocator {
    ($api:ident, [$($generics:lifetime),*], $type:ty) => {
        // SAFETY: blocks stay where they are until the arena is reset, the scope or region ends, and
        // the shared borrow that this allocator is forbids that.
        unsafe impl<$($generics),*> ::$api::alloc::Allocator for &$type {
            #[inline]
            fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                match <$type>::allocate(self, layout) {
                    Ok(block) => Ok(NonNull::slice_from_raw_parts(block, layout.size())),
                    Err(_) => Err(::$api::alloc::AllocError),
                }
            }

            #[inline]
            unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's.
                unsafe { <$type>::deallocate(self, block, layout) }
            }

            #[inline]
            unsafe fn grow(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                // SAFETY: the caller's.
                match unsafe { <$type>::reallocate(self, block, old, new) } {
                    Ok(to) => Ok(NonNull::slice_from_raw_parts(to, new.size())),
                    Err(_) => Err(::$api::alloc::AllocError),
                }
            }

            #[inline]
            unsafe fn shrink(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                // SAFETY: the caller's.
                unsafe { self.grow(block, old, new) }
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
            #[cfg(feature = "region")]
            allocator!($api, ['b], crate::Region<'b>);
            #[cfg(all(feature = "region", feature = "std"))]
            allocator!($api, ['b], crate::SyncRegion<'b>);
        }
    };
}

allocators!("allocator-api2-02", allocator_api2_02);
allocators!("allocator-api2-04", allocator_api2_04);
