//! The control data of a region, and the calls that need nothing else.

use core::alloc::Layout;
use core::ptr::NonNull;

use heapsmith_sys as sys;

#[cfg(feature = "alloc")]
use super::RegionError;
use super::RegionStats;
use crate::error::AllocError;
use crate::fill::dangling;

/// The least alignment of a block.
const MIN_ALIGN: usize = 16;

/// The control data of a region, 16 KiB, in memory of yours: for
/// [`Region::with_control`](crate::Region::with_control).
///
/// # Examples
///
/// ```
/// let control = heapsmith::RegionControl::new();
/// assert_eq!(size_of_val(&control) / 1024, 16);
/// ```
pub struct RegionControl {
    raw: sys::hs_region,
    /// Whether a region was here before, so that the data is not zero.
    is_used: bool,
}

impl RegionControl {
    /// Creates control data for a region.
    ///
    /// # Examples
    ///
    /// ```
    /// static CONTROL: std::sync::Mutex<heapsmith::RegionControl> =
    ///     std::sync::Mutex::new(heapsmith::RegionControl::new());
    /// ```
    pub const fn new() -> Self {
        Self { raw: sys::hs_region::zeroed(), is_used: false }
    }
}

impl Default for RegionControl {
    fn default() -> Self {
        Self::new()
    }
}

/// An initialized region. It is neither `Send` nor `Sync`; `Region` is `Send`.
pub(crate) struct Core {
    control: NonNull<RegionControl>,
    #[cfg(feature = "alloc")]
    is_boxed: bool,
}

impl Core {
    pub(crate) fn borrowing(control: &mut RegionControl) -> Self {
        if control.is_used {
            *control = RegionControl::new();
        }
        control.is_used = true;
        Self {
            control: NonNull::from(control),
            #[cfg(feature = "alloc")]
            is_boxed: false,
        }
    }

    #[cfg(feature = "alloc")]
    pub(crate) fn boxed() -> Result<Self, RegionError> {
        // SAFETY: the layout has a size.
        let zeros = unsafe { alloc::alloc::alloc_zeroed(Layout::new::<RegionControl>()) };
        let control = NonNull::new(zeros).ok_or(RegionError::OutOfMemory)?;
        Ok(Self { control: control.cast(), is_boxed: true }) // zeroed, as by `RegionControl::new`
    }

    #[inline(always)]
    pub(crate) fn raw(&self) -> *mut sys::hs_region {
        // SAFETY: the control data outlives this, and no reference to it exists.
        unsafe { &raw mut (*self.control.as_ptr()).raw }
    }

    /// Allocates memory; a block of size 0 is a dangling pointer.
    #[inline]
    pub(crate) fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        let (bytes, align) = (layout.size(), layout.align());
        if bytes == 0 {
            return Ok(dangling(layout));
        }
        // SAFETY: the region is initialized, and no other thread uses it.
        let p = unsafe {
            if align <= MIN_ALIGN {
                sys::hs_region_malloc(self.raw(), bytes)
            } else {
                sys::hs_region_aligned_alloc(self.raw(), align, bytes)
            }
        };
        NonNull::new(p.cast()).ok_or_else(|| self.no_room(layout))
    }

    #[cold]
    fn no_room(&self, layout: Layout) -> AllocError {
        AllocError::NoRoom { layout, remaining: self.stats().largest_free_bytes }
    }

    /// # Safety
    /// The block was allocated here with this layout and is not used any more.
    #[inline]
    pub(crate) unsafe fn deallocate(&self, p: NonNull<u8>, layout: Layout) {
        if layout.size() != 0 {
            // SAFETY: the caller's promise, and as in `allocate`.
            unsafe { sys::hs_region_free(self.raw(), p.as_ptr().cast()) }
        }
    }

    /// Resizes a block in place or moves it, and keeps its contents.
    ///
    /// # Safety
    /// The block was allocated here with the layout `old`, and no other pointer to it is used.
    pub(crate) unsafe fn reallocate(
        &self,
        p: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        let is_aligned = p.addr().get() % new.align() == 0;
        if old.size() == 0 || new.size() == 0 || !is_aligned {
            let to = self.allocate(new)?;
            // SAFETY: both have so many bytes, and blocks do not overlap.
            unsafe {
                p.copy_to_nonoverlapping(to, old.size().min(new.size()));
                self.deallocate(p, old);
            }
            return Ok(to);
        }
        // SAFETY: the caller's promise, and as in `allocate`. The alignment is a power of two.
        let to = unsafe {
            sys::hs_region_aligned_realloc(
                self.raw(),
                p.as_ptr().cast(),
                new.align().max(MIN_ALIGN),
                new.size(),
            )
        };
        NonNull::new(to.cast()).ok_or_else(|| self.no_room(new))
    }

    pub(crate) fn stats(&self) -> RegionStats {
        // SAFETY: the region is initialized, and the size of the structure is set.
        RegionStats::written_by(|out| unsafe { sys::hs_region_stats(self.raw(), out) })
    }

    /// Ends the region. This is not a destructor: the compiler would not know that one needs the
    /// buffers.
    ///
    /// # Safety
    /// No block of the region is used any more, and this is not used again.
    pub(super) unsafe fn end(&mut self) {
        // SAFETY: the caller's promise.
        unsafe {
            sys::hs_region_destroy(self.raw());
            #[cfg(feature = "alloc")]
            if self.is_boxed {
                drop(alloc::boxed::Box::from_raw(self.control.as_ptr()));
            }
        }
    }
}
