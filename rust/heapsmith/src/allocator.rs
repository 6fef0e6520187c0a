//! Arenas, scopes and regions as allocators for collections.
//!
//! A collection borrows its arena or scope, so that no child scope can be opened and the arena
//! cannot be reset while the collection may grow. An arena reuses a freed block, and resizes one in
//! place, only if it is the last block; a region does so in any order.

use core::alloc::Layout;
use core::ptr::NonNull;

/// Implements one version of the trait with the methods of the same names of the type, or of the
/// type that it dereferences to.
macro_rules! allocator {
    ($api:ident, [$($generics:tt)*], $type:ty) => {
        allocator!($api, [$($generics)*], $type, $type);
    };
    ($api:ident, [$($generics:tt)*], $type:ty, $target:ty) => {
        // SAFETY: blocks live until the arena is reset, or the scope or region ends, which this
        // allocator, a shared borrow, prevents.
        unsafe impl<$($generics)*> ::$api::alloc::Allocator for &$type {
            #[inline]
            fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                match <$target>::allocate(self, layout) {
                    Ok(block) => Ok(NonNull::slice_from_raw_parts(block, layout.size())),
                    Err(_) => Err(::$api::alloc::AllocError),
                }
            }

            #[inline]
            unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's promise.
                unsafe { <$target>::deallocate(self, block, layout) }
            }

            #[inline]
            unsafe fn grow(
                &self,
                block: NonNull<u8>,
                old: Layout,
                new: Layout,
            ) -> Result<NonNull<[u8]>, ::$api::alloc::AllocError> {
                // SAFETY: the caller's promise.
                match unsafe { <$target>::reallocate(self, block, old, new) } {
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
                // SAFETY: the caller's promise.
                unsafe { self.grow(block, old, new) }
            }
        }
    };
}

macro_rules! allocators {
    ($condition:meta, $api:ident) => {
        #[cfg($condition)]
        mod $api {
            use super::*;
            allocator!($api, [], crate::Arena);
            allocator!($api, ['b], crate::BufferArena<'b>, crate::Arena);
            allocator!($api, ['up, U: crate::Upstream], crate::UpstreamArena<'up, U>, crate::Arena);
            allocator!($api, ['s, 'o], crate::Scope<'s, 'o>);
            allocator!($api, ['a], crate::CheckedScope<'a>);
            #[cfg(feature = "region")]
            allocator!($api, ['b], crate::Region<'b>);
            #[cfg(all(feature = "region", feature = "std"))]
            allocator!($api, ['b], crate::SyncRegion<'b>);
        }
    };
}

allocators!(feature = "allocator-api2-02", allocator_api2_02);
allocators!(feature = "allocator-api2-03", allocator_api2_03);
allocators!(feature = "allocator-api2-04", allocator_api2_04);
allocators!(allocator_api, alloc);
