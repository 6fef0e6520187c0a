//! Regions, and blocks of any layout in them.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use heapsmith_sys as sys;

use super::control::{Core, RegionControl};
use super::{RegionError, RegionStats};
use crate::error::AllocError;

/// A complete malloc over buffers of yours: blocks of any size and alignment, freed in any order.
///
/// Values are allocated by [`alloc`](Self::alloc) and its relatives, which return their owners; raw
/// blocks by [`allocate`](Self::allocate). With a feature for `allocator-api2`, a `&Region` is an
/// allocator for collections.
///
/// The buffers hold blocks and their headers of 8 bytes and nothing else. The control data, 16 KiB,
/// is in a block of the global allocator ([`new`](Self::new)) or in memory of yours
/// ([`with_control`](Self::with_control)).
///
/// `'buffers` is the time for which all buffers are the region's. It cannot be made shorter, so that
/// every buffer that is added stays as long as the region.
///
/// Complexity: constant for a block below 1 KiB when one of that size was freed before; else
/// bounded by the number of bits of a size. No request fails while some place in the buffers is
/// large enough, and aligned as asked.
///
/// Thread safety: may be sent to another thread, not shared with one;
/// [`SyncRegion`](crate::SyncRegion) may.
///
/// ```
/// use core::mem::MaybeUninit;
/// use heapsmith::Region;
///
/// let mut buffer = [MaybeUninit::uninit(); 4096];
/// let region = Region::new(&mut buffer)?;
/// let name = region.alloc_str("shared");
/// let list = region.alloc_slice_with(10, |n| n * n);
/// drop(name); // its block is free again
/// assert_eq!(list[3], 9);
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
pub struct Region<'buffers> {
    pub(super) core: Core,
    /// Invariant: a shared borrow that could be shortened would let in buffers that end too early.
    buffers: PhantomData<fn(&'buffers ()) -> &'buffers ()>,
}

// SAFETY: the control data and the buffers are the region's alone, and everything that was
// allocated borrows it.
unsafe impl Send for Region<'_> {}

impl Drop for Region<'_> {
    fn drop(&mut self) {
        // SAFETY: all that was allocated borrowed the region; this is its end.
        unsafe { self.core.end() }
    }
}

impl<'buffers> Region<'buffers> {
    /// A region over a buffer, with control data in a block of the global allocator.
    ///
    /// ```
    /// let mut buffer = vec![core::mem::MaybeUninit::uninit(); 1 << 20];
    /// let region = heapsmith::Region::new(&mut buffer)?;
    /// assert!(region.stats().largest_free_bytes > 1_000_000);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    #[cfg(feature = "alloc")]
    pub fn new(buffer: &'buffers mut [MaybeUninit<u8>]) -> Result<Self, RegionError> {
        Self::start(Core::boxed(), buffer)
    }

    /// A region over a buffer that keeps its control data where the caller wants it.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// use heapsmith::{Region, RegionControl};
    ///
    /// let mut control = RegionControl::new();
    /// let mut buffer = [MaybeUninit::uninit(); 100];
    /// let region = Region::with_control(&mut control, &mut buffer)?;
    /// let (ten, forty) = (region.alloc([0u8; 10]), region.alloc([0u8; 40]));
    /// # assert_eq!(ten.len() + forty.len(), 50);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn with_control(
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

    /// Adds a buffer. It becomes one with those it adjoins.
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// # use heapsmith::Region;
    /// let (mut small, mut large) = ([MaybeUninit::uninit(); 100], [MaybeUninit::uninit(); 1000]);
    /// let region = Region::new(&mut small)?;
    /// let first = region.alloc(1u64);
    /// assert!(region.try_alloc([0u8; 500]).is_err());
    /// region.add_memory(&mut large)?;
    /// assert!(region.try_alloc([0u8; 500]).is_ok());
    /// # assert_eq!(*first, 1);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn add_memory(&self, buffer: &'buffers mut [MaybeUninit<u8>]) -> Result<(), RegionError> {
        // SAFETY: the buffer is borrowed for as long as the region may be used. A block may lie across
        // two that adjoin: the core treats both as memory, not as objects of the language.
        let error = unsafe {
            sys::hs_region_add_memory(self.core.raw(), buffer.as_mut_ptr().cast(), buffer.len())
        };
        RegionError::of(error)
    }

    /// Memory of a layout, uninitialised, which stays the caller's until it is deallocated or the
    /// region ends. Of no bytes it is a place that nothing occupies.
    ///
    /// ```
    /// # use core::mem::MaybeUninit;
    /// use core::alloc::Layout;
    /// # let mut buffer = [MaybeUninit::uninit(); 4096];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let layout = Layout::from_size_align(100, 64)?;
    /// let block = region.allocate(layout)?;
    /// assert_eq!(block.addr().get() % 64, 0);
    /// // SAFETY: the block is this region's, of that layout.
    /// unsafe { region.deallocate(block, layout) };
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.core.allocate(layout)
    }

    /// Ends a block. A pointer that is not the start of a live block stops the process, unless it
    /// is one of the few that look like it.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let layout = core::alloc::Layout::new::<u64>();
    /// let block = region.allocate(layout).unwrap();
    /// // SAFETY: the block is this region's, of that layout.
    /// unsafe { region.deallocate(block, layout) };
    /// assert_eq!(region.stats().in_use_bytes, 0);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Safety
    /// The block was allocated by this region with that layout, and nothing refers to it.
    #[inline]
    pub unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { self.core.deallocate(block, layout) }
    }

    /// Resizes a block, where it is if the memory behind it is free; else moves it. Contents stay,
    /// as many bytes as both layouts have. After an error the block is as it was.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// use core::alloc::Layout;
    /// let (old, new) = (Layout::new::<[u8; 10]>(), Layout::new::<[u8; 500]>());
    /// let block = region.allocate(old).unwrap();
    /// // SAFETY: the block is this region's, of the layout `old`.
    /// let grown = unsafe { region.reallocate(block, old, new).unwrap() };
    /// assert_eq!(grown, block); // the memory behind it was free
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Safety
    /// The block was allocated by this region with the layout `old`, and nothing else refers to it.
    pub unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        // SAFETY: the caller's.
        unsafe { self.core.reallocate(block, old, new) }
    }

    /// Whether a pointer leads into one of the buffers.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let inside = region.alloc(1);
    /// assert!(region.owns(&*inside) && !region.owns(&region));
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn owns<T: ?Sized>(&self, p: *const T) -> bool {
        // SAFETY: the region is started; any pointer will do.
        unsafe { sys::hs_region_owns(self.core.raw(), p.cast()) != 0 }
    }

    /// Ends all blocks. That nothing is in use the exclusive borrow shows.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let mut region = heapsmith::Region::new(&mut buffer)?;
    /// heapsmith::RegionBox::leak(region.alloc([0u8; 900]));
    /// region.reset();
    /// assert!(region.try_alloc([0u8; 900]).is_ok());
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn reset(&mut self) {
        // SAFETY: nothing refers to blocks of the region.
        unsafe { sys::hs_region_reset(self.core.raw()) }
    }

    /// Joins deferred blocks with their free neighbours. Returns the largest size that a request
    /// can now have.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// drop([region.alloc([0u8; 400]), region.alloc([0u8; 400])]);
    /// assert!(region.defragment() > 900);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn defragment(&self) -> usize {
        // SAFETY: the region is started.
        unsafe { sys::hs_region_defragment(self.core.raw()) }
    }

    /// Lets at most so many bytes of freed blocks be deferred. 0: each joins its free neighbours
    /// when it is freed, and no call has to do so for others.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// region.limit_deferred(0);
    /// drop(region.alloc(1));
    /// assert_eq!(region.stats().deferred_bytes, 0);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn limit_deferred(&self, bytes: usize) {
        // SAFETY: the region is started.
        unsafe { sys::hs_region_limit_deferred(self.core.raw(), bytes) }
    }

    /// How full the region is.
    ///
    /// Complexity: one step for each bit of the largest free block's size.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let value = region.alloc([0u8; 100]);
    /// let stats = region.stats();
    /// assert_eq!(stats.buffer_bytes, 1024);
    /// assert_eq!(stats.in_use_bytes, 112); // the block's header is 8 bytes, its end a multiple of 16
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn stats(&self) -> RegionStats {
        self.core.stats()
    }

    /// Looks at every block and every list and compares them. An error names what is broken, as
    /// only writing beyond a block can do it.
    ///
    /// Complexity: linear in the number of blocks.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// assert_eq!(region.check(), Ok(()));
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn check(&self) -> Result<(), &'static str> {
        // SAFETY: the region is started; names live forever and are plain text.
        unsafe {
            match sys::hs_region_check(self.core.raw()) {
                0 => Ok(()),
                broken => Err(core::ffi::CStr::from_ptr(sys::hs_region_invariant(broken))
                    .to_str()
                    .unwrap_or("a rule without a name")),
            }
        }
    }
}
