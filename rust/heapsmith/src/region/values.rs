//! Values in regions.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::{Region, RegionBox};
use crate::error::AllocError;
use crate::methods::array_layout;

impl<'buffers> Region<'buffers> {
    /// Moves a value into a block of its own.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let list = region.alloc(vec![1, 2, 3]);
    /// assert_eq!(list.len(), 3);
    /// drop(list); // drops the vector, then frees its block
    /// assert_eq!(region.stats().in_use_bytes, 0);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Panics
    /// When there is no room; [`try_alloc`](Self::try_alloc) returns an error instead.
    #[inline]
    #[track_caller]
    pub fn alloc<T>(&self, value: T) -> RegionBox<'_, T> {
        self.try_alloc(value).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc`](Self::alloc), or an error when there is no room; the value is dropped then.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// assert!(region.try_alloc([0u8; 900]).is_ok());
    /// assert!(region.try_alloc([0u8; 1024]).is_err());
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    #[inline]
    pub fn try_alloc<T>(&self, value: T) -> Result<RegionBox<'_, T>, AllocError> {
        self.try_alloc_with(|| value)
    }

    /// Makes a value where it is to live. The function may allocate here itself; if it panics, the
    /// block is free again.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let large = region.alloc_with(|| [0u8; 900]); // made where it is to live
    /// assert_eq!(large.len(), 900);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Panics
    /// When there is no room, or the function panics.
    #[inline]
    #[track_caller]
    pub fn alloc_with<T>(&self, make: impl FnOnce() -> T) -> RegionBox<'_, T> {
        self.try_alloc_with(make).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc_with`](Self::alloc_with), or an error when there is no room, and then the function
    /// is not called.
    #[inline]
    pub fn try_alloc_with<T>(
        &self,
        make: impl FnOnce() -> T,
    ) -> Result<RegionBox<'_, T>, AllocError> {
        let place = self.place(Layout::new::<T>())?;
        let value = place.block.cast::<T>();
        // SAFETY: the block has the layout of a T and is nobody else's.
        unsafe {
            value.write(make());
            Ok(place.filled(value))
        }
    }

    /// Makes a slice of `len` elements, each by a call of the function with its index. If that
    /// panics, the elements made so far are dropped.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// let names = region.alloc_slice_with(3, |n| format!("row {n}"));
    /// assert_eq!(names[2], "row 2");
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Panics
    /// When there is no room, or the function panics.
    #[track_caller]
    pub fn alloc_slice_with<T>(
        &self,
        len: usize,
        make: impl FnMut(usize) -> T,
    ) -> RegionBox<'_, [T]> {
        self.try_alloc_slice_with(len, make).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc_slice_with`](Self::alloc_slice_with), or an error when there is no room, and then
    /// the function is not called.
    pub fn try_alloc_slice_with<T>(
        &self,
        len: usize,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<RegionBox<'_, [T]>, AllocError> {
        let place = self.place(array_layout::<T>(len)?)?;
        let mut made = Made { first: place.block.cast::<T>(), len: 0 };
        while made.len < len {
            // SAFETY: the block has room for `len` elements.
            unsafe { made.first.add(made.len).write(make(made.len)) };
            made.len += 1;
        }
        let all = NonNull::slice_from_raw_parts(made.first, len);
        core::mem::forget(made);
        // SAFETY: all elements are there.
        Ok(unsafe { place.filled(all) })
    }

    /// Copies a slice.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// assert_eq!(*region.alloc_slice_copy(&[1, 2, 3]), [1, 2, 3]);
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Panics
    /// When there is no room.
    #[track_caller]
    pub fn alloc_slice_copy<T: Copy>(&self, from: &[T]) -> RegionBox<'_, [T]> {
        self.try_alloc_slice_copy(from).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc_slice_copy`](Self::alloc_slice_copy), or an error when there is no room.
    pub fn try_alloc_slice_copy<T: Copy>(
        &self,
        from: &[T],
    ) -> Result<RegionBox<'_, [T]>, AllocError> {
        let place = self.place(Layout::for_value(from))?;
        let all = NonNull::slice_from_raw_parts(place.block.cast::<T>(), from.len());
        // SAFETY: the block has the layout of the slice and cannot overlap it: it is new.
        unsafe {
            core::ptr::copy_nonoverlapping(from.as_ptr(), all.cast().as_ptr(), from.len());
            Ok(place.filled(all))
        }
    }

    /// Copies a text.
    ///
    /// ```
    /// # let mut buffer = [core::mem::MaybeUninit::uninit(); 1024];
    /// # let region = heapsmith::Region::new(&mut buffer)?;
    /// assert_eq!(&*region.alloc_str("text"), "text");
    /// # Ok::<(), heapsmith::RegionError>(())
    /// ```
    ///
    /// # Panics
    /// When there is no room.
    #[track_caller]
    pub fn alloc_str(&self, from: &str) -> RegionBox<'_, str> {
        self.try_alloc_str(from).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc_str`](Self::alloc_str), or an error when there is no room.
    pub fn try_alloc_str(&self, from: &str) -> Result<RegionBox<'_, str>, AllocError> {
        let bytes = self.try_alloc_slice_copy(from.as_bytes())?;
        // SAFETY: the bytes of a text.
        Ok(unsafe { RegionBox::of_text(bytes) })
    }

    #[inline]
    fn place(&self, layout: Layout) -> Result<Place<'_, 'buffers>, AllocError> {
        Ok(Place { region: self, block: self.core.allocate(layout)?, layout })
    }
}

/// A block without a value: it goes back if none comes.
struct Place<'r, 'buffers> {
    region: &'r Region<'buffers>,
    block: NonNull<u8>,
    layout: Layout,
}

impl<'r> Place<'r, '_> {
    /// # Safety
    /// The value is in the block and fills it.
    #[inline]
    unsafe fn filled<T: ?Sized>(self, value: NonNull<T>) -> RegionBox<'r, T> {
        let region = self.region;
        core::mem::forget(self);
        // SAFETY: the caller's.
        unsafe { RegionBox::new(value, &region.core) }
    }
}

impl Drop for Place<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: the block is the region's, and nobody has it yet.
        unsafe { self.region.core.deallocate(self.block, self.layout) }
    }
}

/// The elements of a slice that are made; dropped if it is not completed.
struct Made<T> {
    first: NonNull<T>,
    len: usize,
}

impl<T> Drop for Made<T> {
    fn drop(&mut self) {
        // SAFETY: that many elements were written, and nobody else drops them.
        unsafe { NonNull::slice_from_raw_parts(self.first, self.len).drop_in_place() }
    }
}
