//! Regions that several threads use.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Region;
use crate::error::AllocError;

/// A region behind a lock. With a feature for `allocator-api2`, a `&SyncRegion` is an allocator
/// whose collections may be sent and shared.
///
/// ```
/// use heapsmith::{Region, SyncRegion};
///
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 4096];
/// let region = SyncRegion::new(Region::new(&mut buffer)?);
/// std::thread::scope(|threads| {
///     for n in 0..4 {
///         let region = &region;
///         threads.spawn(move || region.with(|r| assert_eq!(*r.alloc(n), n)));
///     }
/// });
/// assert_eq!(region.with(|r| r.stats().in_use_bytes), 0);
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
pub struct SyncRegion<'buffers> {
    region: Mutex<Region<'buffers>>,
}

impl<'buffers> SyncRegion<'buffers> {
    /// The region, for any number of threads.
    ///
    /// ```
    /// use heapsmith::{Region, SyncRegion};
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// let region = SyncRegion::new(Region::new(&mut buffer)?);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn new(region: Region<'buffers>) -> Self {
        Self { region: Mutex::new(region) }
    }

    /// The region, for one thread again.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let region = shared.into_inner();
    /// assert_eq!(*region.alloc(1), 1);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn into_inner(self) -> Region<'buffers> {
        self.region.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a function with the region, while other threads wait. Values that it allocates cannot
    /// leave it; blocks can.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let sum = shared.with(|region| region.alloc_slice_copy(&[1, 2, 3]).iter().sum::<i32>());
    /// assert_eq!(sum, 6);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Panics
    /// When the function panics; or deadlocks, when it uses this object instead of its argument.
    pub fn with<R>(&self, body: impl FnOnce(&Region<'buffers>) -> R) -> R {
        body(&self.lock())
    }

    /// [`Region::allocate`], under the lock.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let layout = core::alloc::Layout::new::<u64>();
    /// let block = shared.allocate(layout).unwrap();
    /// // SAFETY: the block is this region's, of that layout.
    /// unsafe { shared.deallocate(block, layout) };
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    pub fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.lock().allocate(layout)
    }

    /// [`Region::deallocate`], under the lock, by any thread.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let layout = core::alloc::Layout::new::<u64>();
    /// let block = shared.allocate(layout).unwrap();
    /// // SAFETY: the block is this region's, of that layout.
    /// unsafe { shared.deallocate(block, layout) };
    /// assert_eq!(shared.with(|region| region.stats().in_use_bytes), 0);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Safety
    /// As there.
    pub unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's.
        unsafe { self.lock().deallocate(block, layout) }
    }

    /// [`Region::reallocate`], under the lock.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// use core::alloc::Layout;
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let (old, new) = (Layout::new::<u64>(), Layout::new::<[u64; 9]>());
    /// let block = shared.allocate(old).unwrap();
    /// // SAFETY: the block is this region's, of the layout `old`.
    /// let grown = unsafe { shared.reallocate(block, old, new).unwrap() };
    /// assert_eq!(grown, block); // the memory behind it was free
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Safety
    /// As there.
    pub unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        // SAFETY: the caller's.
        unsafe { self.lock().reallocate(block, old, new) }
    }

    /// A panic of `with` leaves the region whole: it happens between calls of it.
    fn lock(&self) -> MutexGuard<'_, Region<'buffers>> {
        self.region.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
