//! Owners of values in regions.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::control::Core;

/// The owner of a value in a [`Region`](crate::Region): when it ends, the value is dropped and its
/// block is free again.
///
/// It stays in its region's thread, for to drop it is to change the region.
///
/// ```
/// use heapsmith::RegionBox;
///
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
/// let region = heapsmith::Region::new(&mut buffer)?;
/// let text = region.alloc(String::from("moved on"));
/// let text: String = RegionBox::into_inner(text);
/// assert_eq!((text.as_str(), region.stats().in_use_bytes), ("moved on", 0));
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
pub struct RegionBox<'region, T: ?Sized> {
    value: NonNull<T>,
    core: &'region Core,
    owned: PhantomData<T>,
}

impl<'region, T: ?Sized> RegionBox<'region, T> {
    /// # Safety
    /// The value is there, fills a block of the region, and has no other owner.
    #[inline]
    pub(super) unsafe fn new(value: NonNull<T>, core: &'region Core) -> Self {
        Self { value, core, owned: PhantomData }
    }

    /// The value without an owner: nothing drops it, and its block stays taken until the region is
    /// reset or ends.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let kept: &mut u32 = heapsmith::RegionBox::leak(region.alloc(1));
    /// *kept += 1;
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    #[inline]
    pub fn leak(owner: Self) -> &'region mut T
    where
        T: 'region,
    {
        // SAFETY: the value is there as long as the region is borrowed, and this was its owner.
        unsafe { ManuallyDrop::new(owner).value.as_mut() }
    }
}

impl<T> RegionBox<'_, T> {
    /// Takes the value out; its block is free again.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let list = region.alloc(vec![1, 2]);
    /// assert_eq!(heapsmith::RegionBox::into_inner(list), [1, 2]);
    /// assert_eq!(region.stats().in_use_bytes, 0);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    #[inline]
    pub fn into_inner(owner: Self) -> T {
        let owner = ManuallyDrop::new(owner);
        // SAFETY: the value is there and nobody else drops it; then nothing is in the block.
        unsafe {
            let value = owner.value.read();
            owner.core.deallocate(owner.value.cast(), Layout::new::<T>());
            value
        }
    }
}

impl<'region> RegionBox<'region, str> {
    /// # Safety
    /// The bytes are those of a text.
    pub(super) unsafe fn of_text(bytes: RegionBox<'region, [u8]>) -> Self {
        let bytes = ManuallyDrop::new(bytes);
        // By no reference, which would be good for the bytes alone: the block is freed by this pointer.
        // SAFETY: the caller's; the same block, whose owner is given up.
        unsafe { Self::new(NonNull::new_unchecked(bytes.value.as_ptr() as *mut str), bytes.core) }
    }
}

impl<T: ?Sized> Drop for RegionBox<'_, T> {
    #[inline]
    fn drop(&mut self) {
        struct Free<'c>(&'c Core, NonNull<u8>, Layout);
        impl Drop for Free<'_> {
            fn drop(&mut self) {
                // SAFETY: the block is the region's; what was in it is dropped.
                unsafe { self.0.deallocate(self.1, self.2) }
            }
        }
        // SAFETY: the value is there until it is dropped here, by its owner.
        unsafe {
            let layout = Layout::for_value(self.value.as_ref());
            let _even_if_it_panics = Free(self.core, self.value.cast(), layout);
            self.value.drop_in_place();
        }
    }
}

crate::owner::owner_traits!(RegionBox);
