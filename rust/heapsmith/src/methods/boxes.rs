//! Boxes in heaps and regions.

/// Adds the methods to a type that has `block()`, which allocates, and `memory()`, which frees.
/// The first line of each example makes a `memory` to allocate in.
macro_rules! box_methods {
    ($owner:ident, $(#[$example:meta])+) => {
        /// Allocates a block and moves a value into it.
        ///
        /// # Panics
        ///
        /// Panics if there is no room. [`try_alloc`](Self::try_alloc) returns an error instead.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$example])+
        /// let list = memory.alloc(vec![1, 2, 3]);
        /// assert_eq!(list.len(), 3);
        /// drop(list); // drops the vector and frees its block
        /// assert_eq!(memory.stats().in_use_bytes, 0);
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc<T>(&self, value: T) -> $owner<'_, T> {
            self.try_alloc(value).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc`](Self::alloc), but returns an error if there is no room. The value is
        /// dropped then.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$example])+
        /// assert!(memory.try_alloc(1).is_ok());
        /// ```
        #[inline]
        pub fn try_alloc<T>(&self, value: T) -> Result<$owner<'_, T>, AllocError> {
            self.try_alloc_with(|| value)
        }

        /// Allocates a block and writes the result of `make` to it, which avoids copying a large
        /// value. `make` may allocate here, too. If it panics, the block is freed.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, before `make` is called.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$example])+
        /// let large = memory.alloc_with(|| [0u8; 900]);
        /// assert_eq!(large.len(), 900);
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc_with<T>(&self, make: impl FnOnce() -> T) -> $owner<'_, T> {
            self.try_alloc_with(make).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_with`](Self::alloc_with), but returns an error if there is no room. `make`
        /// is not called then.
        #[inline]
        pub fn try_alloc_with<T>(
            &self,
            make: impl FnOnce() -> T,
        ) -> Result<$owner<'_, T>, AllocError> {
            let block = self.block(Layout::new::<T>())?.cast::<MaybeUninit<T>>();
            // SAFETY: the block is new and has the layout of a T, which is written to it.
            unsafe {
                let mut value = Owned::from_parts(block, self.memory());
                value.write(make());
                Ok(Owned::<MaybeUninit<T>, _>::assume_init(value))
            }
        }

        /// Copies a slice to a new block.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$example])+
        /// assert_eq!(*memory.alloc_slice_copy(&[1, 2, 3]), [1, 2, 3]);
        /// ```
        #[track_caller]
        pub fn alloc_slice_copy<T: Copy>(&self, from: &[T]) -> $owner<'_, [T]> {
            self.try_alloc_slice_copy(from).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_slice_copy`](Self::alloc_slice_copy), but returns an error if there is no
        /// room.
        pub fn try_alloc_slice_copy<T: Copy>(
            &self,
            from: &[T],
        ) -> Result<$owner<'_, [T]>, AllocError> {
            let first = self.block(Layout::for_value(from))?.cast::<T>();
            // SAFETY: the block is new, so it does not overlap the slice, and has its layout.
            unsafe {
                first.as_ptr().copy_from_nonoverlapping(from.as_ptr(), from.len());
                let all = NonNull::slice_from_raw_parts(first, from.len());
                Ok(Owned::from_parts(all, self.memory()))
            }
        }

        /// Allocates a slice of `len` elements and calls `make` with the index of each. If `make`
        /// panics, the elements made so far are dropped and the block is freed.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, before `make` is called.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$example])+
        /// let names = memory.alloc_slice_with(3, |n| format!("row {n}"));
        /// assert_eq!(names[2], "row 2");
        /// ```
        #[track_caller]
        pub fn alloc_slice_with<T>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> $owner<'_, [T]> {
            self.try_alloc_slice_with(len, make).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_slice_with`](Self::alloc_slice_with), but returns an error if there is no
        /// room. `make` is not called then.
        pub fn try_alloc_slice_with<T>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> Result<$owner<'_, [T]>, AllocError> {
            let first = self.block(array_layout::<T>(len)?)?.cast::<T>();
            let all = NonNull::slice_from_raw_parts(first.cast::<MaybeUninit<T>>(), len);
            // SAFETY: the block is new and has room for `len` elements, which are written to it.
            unsafe {
                let slice = Owned::from_parts(all, self.memory());
                fill_slice(first, len, make);
                Ok(Owned::<[MaybeUninit<T>], _>::assume_init(slice))
            }
        }

        /// Copies a string slice to a new block.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        $(#[$example])+
        /// assert_eq!(&*memory.alloc_str("text"), "text");
        /// ```
        #[track_caller]
        pub fn alloc_str(&self, from: &str) -> $owner<'_, str> {
            self.try_alloc_str(from).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_str`](Self::alloc_str), but returns an error if there is no room.
        pub fn try_alloc_str(&self, from: &str) -> Result<$owner<'_, str>, AllocError> {
            let bytes = self.try_alloc_slice_copy(from.as_bytes())?;
            // SAFETY: the bytes of a `str`.
            Ok(unsafe { Owned::<[u8], _>::into_str(bytes) })
        }
    };
}

pub(crate) use box_methods;
