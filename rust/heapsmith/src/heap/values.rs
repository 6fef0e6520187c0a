//! Values in heaps of their own.

use core::alloc::Layout;
use core::mem::{self, MaybeUninit};
use core::ptr::NonNull;

use super::boxed::HeapBox;
use super::first_class::Heap;
use crate::error::AllocError;
use crate::methods::array_layout;

impl Heap {
    /// Moves a value into a block of this heap.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// let list = heap.alloc(vec![1, 2, 3]);
    /// assert_eq!(list.len(), 3); // dropped and freed with its owner
    /// ```
    ///
    /// # Panics
    /// When there is no memory or the limit is reached; [`try_alloc`](Self::try_alloc) returns an
    /// error instead.
    #[inline]
    #[track_caller]
    pub fn alloc<T>(&self, value: T) -> HeapBox<'_, T> {
        self.try_alloc(value).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc`](Self::alloc), or an error when there is no memory or the limit is reached.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// heap.set_limit(Some(1 << 20));
    /// assert!(heap.try_alloc(1u64).is_ok());
    /// assert!(heap.try_alloc_slice_with(2 << 20, |_| 0u8).is_err());
    /// ```
    #[inline]
    pub fn try_alloc<T>(&self, value: T) -> Result<HeapBox<'_, T>, AllocError> {
        self.try_alloc_with(|| value)
    }

    /// Makes a value where it is to live, which spares large ones a copy. The function is called
    /// once there is a block for its value, and may allocate here itself.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// let large = heap.alloc_with(|| [0u8; 10_000]); // made where it is to live
    /// assert_eq!(large.len(), 10_000);
    /// ```
    ///
    /// # Panics
    /// When there is no memory or the limit is reached, or the function panics.
    #[inline]
    #[track_caller]
    pub fn alloc_with<T>(&self, make: impl FnOnce() -> T) -> HeapBox<'_, T> {
        self.try_alloc_with(make).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc_with`](Self::alloc_with), or an error without memory; the function is not called then.
    #[inline]
    pub fn try_alloc_with<T>(
        &self,
        make: impl FnOnce() -> T,
    ) -> Result<HeapBox<'_, T>, AllocError> {
        let block = self.place_for(Layout::new::<T>())?.cast::<MaybeUninit<T>>();
        // SAFETY: the block has the layout and is nobody else's.
        let mut place = unsafe { HeapBox::from_raw(block.as_ptr()) };
        place.write(make());
        // SAFETY: it has just been written.
        Ok(unsafe { HeapBox::<MaybeUninit<T>>::assume_init(place) })
    }

    /// Copies a slice into a block of this heap.
    ///
    /// Complexity: linear in its length.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// assert_eq!(*heap.alloc_slice_copy(&[1, 2, 3]), [1, 2, 3]);
    /// ```
    ///
    /// # Panics
    /// When there is no memory or the limit is reached.
    #[track_caller]
    pub fn alloc_slice_copy<T: Copy>(&self, from: &[T]) -> HeapBox<'_, [T]> {
        self.try_alloc_slice_copy(from).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc_slice_copy`](Self::alloc_slice_copy), or an error without memory.
    pub fn try_alloc_slice_copy<T: Copy>(
        &self,
        from: &[T],
    ) -> Result<HeapBox<'_, [T]>, AllocError> {
        let mut slice = self.uninit_slice::<T>(from.len())?;
        // SAFETY: the block is as long, and new, so that they are apart; then all is written.
        unsafe {
            slice.as_mut_ptr().cast::<T>().copy_from_nonoverlapping(from.as_ptr(), from.len());
            Ok(HeapBox::<[MaybeUninit<T>]>::assume_init(slice))
        }
    }

    /// Makes a slice of `len` elements, each by a call of the function with its index.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// let names = heap.alloc_slice_with(3, |n| format!("row {n}"));
    /// assert_eq!(names[2], "row 2");
    /// ```
    ///
    /// # Panics
    /// When there is no memory or the limit is reached; when the function panics, and then the
    /// elements that it made are dropped.
    #[track_caller]
    pub fn alloc_slice_with<T>(
        &self,
        len: usize,
        make: impl FnMut(usize) -> T,
    ) -> HeapBox<'_, [T]> {
        self.try_alloc_slice_with(len, make).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc_slice_with`](Self::alloc_slice_with), or an error without memory; the function is not
    /// called then.
    pub fn try_alloc_slice_with<T>(
        &self,
        len: usize,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<HeapBox<'_, [T]>, AllocError> {
        let mut slice = self.uninit_slice::<T>(len)?;
        let mut made = Made { places: &mut slice, count: 0 };
        while made.count < len {
            made.places[made.count].write(make(made.count));
            made.count += 1;
        }
        mem::forget(made);
        // SAFETY: all elements have been written.
        Ok(unsafe { HeapBox::<[MaybeUninit<T>]>::assume_init(slice) })
    }

    /// Copies a text into a block of this heap.
    ///
    /// ```
    /// let heap = heapsmith::Heap::new();
    /// assert_eq!(&*heap.alloc_str("text"), "text");
    /// ```
    ///
    /// # Panics
    /// When there is no memory or the limit is reached.
    #[track_caller]
    pub fn alloc_str(&self, from: &str) -> HeapBox<'_, str> {
        self.try_alloc_str(from).unwrap_or_else(|e| e.panic())
    }

    /// [`alloc_str`](Self::alloc_str), or an error without memory.
    pub fn try_alloc_str(&self, from: &str) -> Result<HeapBox<'_, str>, AllocError> {
        let bytes = HeapBox::into_raw(self.try_alloc_slice_copy(from.as_bytes())?);
        // SAFETY: the bytes of a text, in the same block.
        Ok(unsafe { HeapBox::from_raw(bytes as *mut str) })
    }

    fn uninit_slice<T>(&self, len: usize) -> Result<HeapBox<'_, [MaybeUninit<T>]>, AllocError> {
        let block = self.place_for(array_layout::<T>(len)?)?.cast();
        // SAFETY: the block has the layout and is nobody else's.
        Ok(unsafe { HeapBox::from_raw(NonNull::slice_from_raw_parts(block, len).as_ptr()) })
    }
}

/// Drops the elements made so far, unless it is forgotten.
struct Made<'a, T> {
    places: &'a mut [MaybeUninit<T>],
    count: usize,
}

impl<T> Drop for Made<'_, T> {
    fn drop(&mut self) {
        for place in &mut self.places[..self.count] {
            // SAFETY: so many have been written.
            unsafe { place.assume_init_drop() };
        }
    }
}
