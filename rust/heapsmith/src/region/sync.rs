//! Regions that several threads use.

use core::alloc::Layout;
use core::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Region;
use crate::error::AllocError;

/// A region behind a lock. With one of the features `allocator-api2-…`, a `&SyncRegion` is an
/// allocator for collections that can be sent and shared between threads.
///
/// # Examples
///
/// ```
/// use heapsmith::{Region, SyncRegion};
///
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 4096];
/// let region = SyncRegion::new(Region::new(&mut buffer));
/// std::thread::scope(|threads| {
///     for n in 0..4 {
///         let region = &region;
///         threads.spawn(move || region.with(|r| assert_eq!(*r.alloc(n), n)));
///     }
/// });
/// assert_eq!(region.with(|r| r.stats().in_use_bytes), 0);
/// ```
pub struct SyncRegion<'buffers> {
    region: Mutex<Region<'buffers>>,
}

impl<'buffers> SyncRegion<'buffers> {
    /// Puts a region behind a lock.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Region, SyncRegion};
    ///
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// let region = SyncRegion::new(Region::new(&mut buffer));
    /// ```
    pub fn new(region: Region<'buffers>) -> Self {
        Self { region: Mutex::new(region) }
    }

    /// Returns the region without its lock.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let region = shared.into_inner();
    /// assert_eq!(*region.alloc(1), 1);
    /// ```
    pub fn into_inner(self) -> Region<'buffers> {
        self.region.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a function with the region, while other threads wait. Boxes that the function
    /// allocates cannot be returned; raw blocks can.
    ///
    /// If the function panics, the region stays usable.
    ///
    /// # Panics
    ///
    /// Panics or deadlocks if the function uses the `SyncRegion` instead of its argument.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let sum = shared.with(|region| region.alloc_slice_copy(&[1, 2, 3]).iter().sum::<i32>());
    /// assert_eq!(sum, 6);
    /// ```
    pub fn with<R>(&self, body: impl FnOnce(&Region<'buffers>) -> R) -> R {
        body(&self.lock())
    }

    /// [`Region::allocate`], under the lock.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let layout = core::alloc::Layout::new::<u64>();
    /// let block = shared.allocate(layout).unwrap();
    /// // SAFETY: the block was allocated here with this layout.
    /// unsafe { shared.deallocate(block, layout) };
    /// ```
    pub fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.lock().allocate(layout)
    }

    /// [`Region::deallocate`], under the lock, in any thread.
    ///
    /// # Safety
    ///
    /// As for [`Region::deallocate`].
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let layout = core::alloc::Layout::new::<u64>();
    /// let block = shared.allocate(layout).unwrap();
    /// // SAFETY: the block was allocated here with this layout.
    /// unsafe { shared.deallocate(block, layout) };
    /// assert_eq!(shared.with(|region| region.stats().in_use_bytes), 0);
    /// ```
    pub unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { self.lock().deallocate(block, layout) }
    }

    /// [`Region::reallocate`], under the lock.
    ///
    /// # Safety
    ///
    /// As for [`Region::reallocate`].
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// use core::alloc::Layout;
    /// let shared = heapsmith::SyncRegion::new(region);
    /// let (old, new) = (Layout::new::<u64>(), Layout::new::<[u64; 9]>());
    /// let block = shared.allocate(old).unwrap();
    /// // SAFETY: the block was allocated here with the layout `old`.
    /// let grown = unsafe { shared.reallocate(block, old, new).unwrap() };
    /// assert_eq!(grown, block); // the memory behind it was free
    /// ```
    pub unsafe fn reallocate(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        // SAFETY: the caller's promise.
        unsafe { self.lock().reallocate(block, old, new) }
    }

    /// Ends all blocks and keeps the buffers. Values are not dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer);
    /// let mut shared = heapsmith::SyncRegion::new(region);
    /// shared.allocate(core::alloc::Layout::new::<u64>()).unwrap();
    /// shared.reset();
    /// assert_eq!(shared.with(|region| region.stats().in_use_bytes), 0);
    /// ```
    pub fn reset(&mut self) {
        self.region.get_mut().unwrap_or_else(PoisonError::into_inner).reset();
    }

    /// Ignores poisoning: a panic in `with` happens between calls of the region, not inside one.
    fn lock(&self) -> MutexGuard<'_, Region<'buffers>> {
        self.region.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
