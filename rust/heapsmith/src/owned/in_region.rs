//! Boxes in regions, which refer to their region.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::{Memory, Owned, sealed};
use crate::region::Core;

/// The owner of a value in a [`Region`](crate::Region): see [`Owned`].
///
/// A box stays in its region's thread, since dropping it changes the region.
///
/// # Examples
///
/// ```
/// use heapsmith::RegionBox;
///
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
/// let region = heapsmith::Region::new(&mut buffer);
/// let text = region.alloc(String::from("moved on"));
/// let text: String = RegionBox::into_inner(text);
/// assert_eq!((text.as_str(), region.stats().in_use_bytes), ("moved on", 0));
/// ```
pub type RegionBox<'region, T> = Owned<'region, T, InRegion<'region>>;

/// Marks boxes in a [`Region`](crate::Region), and refers to it.
#[derive(Clone, Copy)]
pub struct InRegion<'region>(pub(crate) &'region Core);

impl Memory for InRegion<'_> {}

impl sealed::Free for InRegion<'_> {
    #[inline]
    unsafe fn free(self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.0.deallocate(block, layout) }
    }
}
