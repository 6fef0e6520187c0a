//! Arenas, scopes and regions as upstreams.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::Upstream;

/// Implements the trait with the methods `allocate` and `deallocate` of a type.
macro_rules! upstream {
    ([$($life:lifetime),*], $type:ty) => {
        // SAFETY: blocks live until the allocator is reset or ends, which a borrow prevents.
        unsafe impl<$($life),*> Upstream for $type {
            fn allocate_piece(&self, layout: Layout) -> Option<NonNull<u8>> {
                self.allocate(layout).ok()
            }

            unsafe fn deallocate_piece(&self, piece: NonNull<u8>, layout: Layout) {
                // SAFETY: the caller's promise.
                unsafe { self.deallocate(piece, layout) }
            }
        }
    };
}

upstream!([], crate::Arena);
upstream!(['b], crate::BufferArena<'b>);
upstream!(['s, 'o], crate::Scope<'s, 'o>);
upstream!(['a], crate::CheckedScope<'a>);
#[cfg(feature = "region")]
upstream!(['b], crate::Region<'b>);
#[cfg(all(feature = "region", feature = "std"))]
upstream!(['b], crate::SyncRegion<'b>);
