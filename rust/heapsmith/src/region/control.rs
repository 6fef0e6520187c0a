//! Where the control data of a region is, and the calls that need nothing else.

use core::alloc::Layout;
use core::ptr::NonNull;

use heapsmith_sys as sys;

use super::RegionStats;
use crate::error::AllocError;

/// What every block of a region is aligned to at least.
const MIN_ALIGN: usize = 16;

/// The control data of a region, 16 KiB, for programs that have no other place for it than one of
/// their own: see [`Region::with_control`](crate::Region::with_control).
///
/// ```
/// let control = heapsmith::RegionControl::new();
/// assert_eq!(size_of_val(&control) / 1024, 16);
/// ```
pub struct RegionControl {
    raw: sys::hs_region,
    /// A region was here before: what it left is not zeros.
    is_used: bool,
}

impl RegionControl {
    /// Control data for a region that is yet to be.
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

/// Where a block of no bytes is.
fn nothing_at(align: usize) -> NonNull<u8> {
    // SAFETY: alignments are not zero.
    unsafe { NonNull::new_unchecked(core::ptr::without_provenance_mut(align)) }
}

/// A started region. Not `Sync`, for nothing in it is; `Region` says when it may be sent.
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
    pub(crate) fn boxed() -> Self {
        let layout = Layout::new::<RegionControl>();
        // SAFETY: the layout has a size.
        let zeros = unsafe { alloc::alloc::alloc_zeroed(layout) };
        let Some(control) = NonNull::new(zeros) else { alloc::alloc::handle_alloc_error(layout) };
        Self { control: control.cast(), is_boxed: true } // zeros are what `new` makes
    }

    #[inline(always)]
    pub(crate) fn raw(&self) -> *mut sys::hs_region {
        // SAFETY: the control data outlives this; no reference to it is made.
        unsafe { &raw mut (*self.control.as_ptr()).raw }
    }

    /// Memory of a layout; a dangling pointer for no bytes.
    #[inline]
    pub(crate) fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        let (bytes, align) = (layout.size(), layout.align());
        if bytes == 0 {
            return Ok(nothing_at(align));
        }
        // SAFETY: the region is started, and only this thread is in it.
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
    /// The block came from here with that layout, and nothing refers to it.
    #[inline]
    pub(crate) unsafe fn deallocate(&self, p: NonNull<u8>, layout: Layout) {
        if layout.size() != 0 {
            // SAFETY: the caller's; see `allocate`.
            unsafe { sys::hs_region_free(self.raw(), p.as_ptr().cast()) }
        }
    }

    /// Resizes a block where it is or moves it; the first bytes stay, as many as both have.
    ///
    /// # Safety
    /// The block came from here with the layout `old`, and nothing else refers to it.
    pub(crate) unsafe fn reallocate(
        &self,
        p: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        let is_aligned = p.addr().get() % new.align() == 0;
        if old.size() == 0 || new.size() == 0 || !is_aligned {
            let to = self.allocate(new)?;
            // SAFETY: both have so many bytes; blocks do not overlap.
            unsafe {
                p.copy_to_nonoverlapping(to, old.size().min(new.size()));
                self.deallocate(p, old);
            }
            return Ok(to);
        }
        // SAFETY: the caller's; see `allocate`. The alignment is a power of two.
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
        // SAFETY: the region is started, and the structure has its size.
        RegionStats::written_by(|figures| unsafe { sys::hs_region_stats(self.raw(), figures) })
    }
}

impl Core {
    /// Ends the region. No destructor of its own: that would not tell the compiler that it needs
    /// the buffers.
    ///
    /// # Safety
    /// Nothing refers to blocks of the region, and this is not used again.
    pub(super) unsafe fn end(&mut self) {
        // SAFETY: the caller's.
        unsafe {
            sys::hs_region_destroy(self.raw());
            #[cfg(feature = "alloc")]
            if self.is_boxed {
                drop(alloc::boxed::Box::from_raw(self.control.as_ptr()));
            }
        }
    }
}
