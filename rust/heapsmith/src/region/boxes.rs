//! Methods that make boxes in a region.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use super::Region;
use crate::error::AllocError;
use crate::fill::{array_layout, fill_slice};
use crate::methods::box_methods;
use crate::owned::{InRegion, Owned, RegionBox};

impl Region<'_> {
    box_methods!(
        RegionBox,
        #[doc = "# let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];"]
        #[doc = "let memory = heapsmith::Region::new(&mut buffer);"]
    );

    #[inline]
    fn block(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.core.allocate(layout)
    }

    #[inline]
    fn memory(&self) -> InRegion<'_> {
        InRegion(&self.core)
    }
}
