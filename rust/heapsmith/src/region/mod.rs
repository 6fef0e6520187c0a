//! Regions: a malloc over buffers that the caller supplies, in the C++ core.

mod boxes;
mod control;
mod stats;
#[cfg(feature = "std")]
mod sync;

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith_sys as sys;

pub use control::RegionControl;
pub use stats::{RegionError, RegionStats};
#[cfg(feature = "std")]
pub use sync::SyncRegion;

use crate::error::AllocError;
pub(crate) use control::Core;

/// A complete malloc over buffers of yours: blocks of any size and alignment, freed in any order.
///
/// [`alloc`](Self::alloc) and the related methods return a [`RegionBox`](crate::RegionBox);
/// [`allocate`](Self::allocate) returns a raw block. With one of the features `allocator-api2-…`, a
/// `&Region` is an allocator for collections.
///
/// The buffers hold blocks and their headers of 8 bytes. The control data, 16 KiB, is a block of
/// the global allocator ([`new`](Self::new)) or memory of yours
/// ([`with_control`](Self::with_control)).
///
/// The region borrows its buffers for `'buffers`. This lifetime cannot shrink, so that a buffer
/// added later also outlives the region.
///
/// # Thread safety
///
/// A region can be sent to another thread, but not shared between threads:
/// [`SyncRegion`] can.
///
/// # Complexity
///
/// Constant for up to 1016 bytes if a block of the size was freed before; otherwise bounded by the
/// number of bits of a size. A request that finds no memory joins the deferred blocks, a step for
/// each: [`limit_deferred`](Region::limit_deferred) limits them. A request succeeds if any free
/// memory in the buffers is large enough; with an alignment above 16 it looks at 256 free blocks.
///
/// # Examples
///
/// ```
/// use core::mem::MaybeUninit;
/// use heapsmith::Region;
///
/// let mut buffer = [MaybeUninit::uninit(); 4096];
/// let region = Region::new(&mut buffer);
/// let name = region.alloc_str("shared");
/// let list = region.alloc_slice_with(10, |n| n * n);
/// drop(name); // its block is free again
/// assert_eq!(list[3], 9);
/// ```
pub struct Region<'buffers> {
    core: Core,
    /// Invariant. If it could shrink, a buffer that ends too early could be added.
    buffers: PhantomData<fn(&'buffers ()) -> &'buffers ()>,
}

// SAFETY: the control data and the buffers belong to the region alone, and every block borrows the
// region.
unsafe impl Send for Region<'_> {}

impl Drop for Region<'_> {
    fn drop(&mut self) {
        // SAFETY: every block borrows the region, which is not used again.
        unsafe { self.core.end() }
    }
}

impl<'buffers> Region<'buffers> {
    /// Creates a region over a buffer, with its control data in the global allocator.
    ///
    /// # Panics
    ///
    /// Panics if the buffer has no room for a block, or if out of memory for the control data.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut buffer = vec![core::mem::MaybeUninit::uninit(); 1 << 20];
    /// let region = heapsmith::Region::new(&mut buffer);
    /// assert!(region.stats().largest_free_bytes > 1_000_000);
    /// ```
    #[cfg(feature = "alloc")]
    #[track_caller]
    pub fn new(buffer: &'buffers mut [MaybeUninit<u8>]) -> Self {
        Self::try_new(buffer).unwrap_or_else(|e| e.panic())
    }

    /// Like [`new`](Self::new), but returns an error instead of panicking.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Region, RegionError};
    ///
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 20];
    /// assert_eq!(Region::try_new(&mut buffer).err(), Some(RegionError::TooSmall));
    /// ```
    #[cfg(feature = "alloc")]
    pub fn try_new(buffer: &'buffers mut [MaybeUninit<u8>]) -> Result<Self, RegionError> {
        Self::start(Core::boxed()?, buffer)
    }

    /// Creates a region over a buffer, with its control data in memory of yours.
    ///
    /// # Panics
    ///
    /// Panics if the buffer has no room for a block.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use heapsmith::{Region, RegionControl};
    ///
    /// let mut control = RegionControl::new();
    /// let mut buffer = [MaybeUninit::uninit(); 100];
    /// let region = Region::with_control(&mut control, &mut buffer);
    /// let (ten, forty) = (region.alloc([0u8; 10]), region.alloc([0u8; 40]));
    /// # assert_eq!(ten.len() + forty.len(), 50);
    /// ```
    #[track_caller]
    pub fn with_control(
        control: &'buffers mut RegionControl,
        buffer: &'buffers mut [MaybeUninit<u8>],
    ) -> Self {
        Self::try_with_control(control, buffer).unwrap_or_else(|e| e.panic())
    }

    /// Like [`with_control`](Self::with_control), but returns an error if the buffer has no room
    /// for a block.
    pub fn try_with_control(
        control: &'buffers mut RegionControl,
        buffer: &'buffers mut [MaybeUninit<u8>],
    ) -> Result<Self, RegionError> {
        Self::start(Core::borrowing(control), buffer)
    }

    fn start(core: Core, buffer: &'buffers mut [MaybeUninit<u8>]) -> Result<Self, RegionError> {
        let region = Self { core, buffers: PhantomData };
        region.add_memory(buffer)?;
        Ok(region)
    }

    /// Adds a buffer, which is joined with those it adjoins.
    ///
    /// # Errors
    ///
    /// Returns an error if the buffer has no room for a block, or if the region has its maximum of
    /// 64 buffers.
    ///
    /// # Examples
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// # use heapsmith::Region;
    /// let (mut small, mut large) = ([MaybeUninit::uninit(); 100], [MaybeUninit::uninit(); 1000]);
    /// let region = Region::new(&mut small);
    /// let first = region.alloc(1u64);
    /// assert!(region.try_alloc([0u8; 500]).is_err());
    /// region.add_memory(&mut large)?;
    /// assert!(region.try_alloc([0u8; 500]).is_ok());
    /// # assert_eq!(*first, 1);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn add_memory(&self, buffer: &'buffers mut [MaybeUninit<u8>]) -> Result<(), RegionError> {
        // SAFETY: the buffer is borrowed for as long as the region may be used. A block may span
        // two adjoining buffers: the core treats them as memory, not as objects of the language.
        let error = unsafe {
            sys::hs_region_add_memory(self.core.raw(), buffer.as_mut_ptr().cast(), buffer.len())
        };
        RegionError::of(error)
    }

    /// Allocates uninitialized memory, which the caller may use until it is deallocated, or the
    /// region is reset or dropped. A block of size 0 takes no memory.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::alloc::Layout;
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 4096];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let layout = Layout::from_size_align(100, 64)?;
    /// let block = region.allocate(layout)?;
    /// assert_eq!(block.addr().get() % 64, 0);
    /// // SAFETY: the block was allocated here with this layout.
    /// unsafe { region.deallocate(block, layout) };
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.core.allocate(layout)
    }

    /// Frees a block. Aborts the process if the pointer is not the start of a live block, unless
    /// the memory in front of it looks like a block's header.
    ///
    /// # Safety
    ///
    /// The block was allocated by this region with this layout and is not used any more.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let layout = core::alloc::Layout::new::<u64>();
    /// let block = region.allocate(layout).unwrap();
    /// // SAFETY: the block was allocated here with this layout.
    /// unsafe { region.deallocate(block, layout) };
    /// assert_eq!(region.stats().in_use_bytes, 0);
    /// ```
    #[inline]
    pub unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.core.deallocate(block, layout) }
    }

    /// Resizes a block: in place if the memory behind it is free, otherwise by moving it. The
    /// contents are kept up to the smaller of the two sizes.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no room. The block is unchanged then.
    ///
    /// # Safety
    ///
    /// The block was allocated by this region with the layout `old`, and no other pointer to it is
    /// used.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// use core::alloc::Layout;
    /// let (old, new) = (Layout::new::<[u8; 10]>(), Layout::new::<[u8; 500]>());
    /// let block = region.allocate(old).unwrap();
    /// // SAFETY: the block was allocated here with the layout `old`.
    /// let grown = unsafe { region.reallocate(block, old, new).unwrap() };
    /// assert_eq!(grown, block); // the memory behind it was free
    /// ```
    pub unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        // SAFETY: the caller's promise.
        unsafe { self.core.reallocate(block, old, new) }
    }

    /// Returns `true` if a pointer points into one of the buffers.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let inside = region.alloc(1);
    /// assert!(region.owns(&*inside) && !region.owns(&region));
    /// ```
    pub fn owns<T: ?Sized>(&self, p: *const T) -> bool {
        // SAFETY: the region is initialized. Any pointer is allowed.
        unsafe { sys::hs_region_owns(self.core.raw(), p.cast()) != 0 }
    }

    /// Ends all blocks and keeps the buffers. Values are not dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let mut region = heapsmith::Region::new(&mut buffer);
    /// heapsmith::RegionBox::leak(region.alloc([0u8; 900]));
    /// region.reset();
    /// assert!(region.try_alloc([0u8; 900]).is_ok());
    /// ```
    pub fn reset(&mut self) {
        // SAFETY: every block borrows the region, and the exclusive borrow proves that none is used
        // any more.
        unsafe { sys::hs_region_reset(self.core.raw()) }
    }

    /// Joins deferred blocks with their free neighbours. Returns the largest size that can be
    /// allocated now.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// drop([region.alloc([0u8; 400]), region.alloc([0u8; 400])]);
    /// assert!(region.defragment() > 900);
    /// ```
    pub fn defragment(&self) -> usize {
        // SAFETY: the region is initialized.
        unsafe { sys::hs_region_defragment(self.core.raw()) }
    }

    /// Limits the bytes of freed blocks that are deferred, that is, not joined with their free
    /// neighbours yet. With 0, every block is joined when it is freed, so no other call has to do
    /// it later.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// region.limit_deferred(0);
    /// drop(region.alloc(1));
    /// assert_eq!(region.stats().deferred_bytes, 0);
    /// ```
    pub fn limit_deferred(&self, bytes: usize) {
        // SAFETY: the region is initialized.
        unsafe { sys::hs_region_limit_deferred(self.core.raw(), bytes) }
    }

    /// Returns the region's statistics.
    ///
    /// # Complexity
    ///
    /// Linear in the number of bits of the largest free block's size.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let value = region.alloc([0u8; 100]);
    /// let stats = region.stats();
    /// assert_eq!(stats.buffer_bytes, 1024);
    /// assert_eq!(stats.in_use_bytes, 112); // with the header of 8 bytes, rounded up to 16
    /// ```
    pub fn stats(&self) -> RegionStats {
        self.core.stats()
    }

    /// Checks every block and every list against each other.
    ///
    /// # Errors
    ///
    /// Returns the name of a broken invariant. Only a write outside of a block can break one.
    ///
    /// # Complexity
    ///
    /// Linear in the number of blocks.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// assert_eq!(region.check(), Ok(()));
    /// ```
    pub fn check(&self) -> Result<(), &'static str> {
        // SAFETY: the region is initialized. The names are static and ASCII.
        unsafe {
            match sys::hs_region_check(self.core.raw()) {
                0 => Ok(()),
                broken => Err(core::ffi::CStr::from_ptr(sys::hs_region_invariant(broken))
                    .to_str()
                    .unwrap_or("an invariant without a name")),
            }
        }
    }
}
