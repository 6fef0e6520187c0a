//! Values without destructors in arenas and scopes.

/// Adds the methods to a type that has a `bump()`. The references returned live for `$life`.
macro_rules! value_methods {
    ($life:lifetime) => {
        /// Allocates a value.
        ///
        /// A type with a destructor does not compile, since the destructor would never run. (Only
        /// `cargo build` reports the error, not `cargo check`.) For such types, scopes have
        /// [`alloc_drop`](crate::Scope::alloc_drop), and every allocator has
        /// [`alloc_box`](Self::alloc_box).
        ///
        /// # Panics
        ///
        /// Panics if there is no room. [`try_alloc`](Self::try_alloc) returns an error instead.
        ///
        /// # Complexity
        ///
        /// Constant, unless a new piece of memory is taken from the global allocator.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let number: &mut u32 = arena.alloc(1);
        /// *number += 1;
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn alloc<T>(&self, value: T) -> &$life mut T {
            self.alloc_with(|| value)
        }

        /// Like [`alloc`](Self::alloc), but returns an error if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut buffer = [core::mem::MaybeUninit::uninit(); 100];
        /// let arena = heapsmith::BufferArena::new(&mut buffer);
        /// assert!(arena.try_alloc(1u64).is_ok());
        /// assert!(arena.try_alloc([1u64; 20]).is_err());
        /// ```
        #[inline(always)]
        pub fn try_alloc<T>(&self, value: T) -> Result<&$life mut T, AllocError> {
            self.try_alloc_with(|| value)
        }

        /// Allocates memory and writes the result of `make` to it, which avoids copying a large
        /// value. `make` may allocate here, too.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, before `make` is called.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let pair = arena.alloc_with(|| (arena.alloc(1), [0u8; 1000]));
        /// assert_eq!(*pair.0, 1);
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn alloc_with<T>(&self, make: impl FnOnce() -> T) -> &$life mut T {
            const { crate::fill::refuse_destructors::<T>() };
            let value = match self.bump() {
                Ok(bump) => bump.put_with(make),
                Err(why) => why.panic(),
            };
            // SAFETY: the value lives that long, and nothing else refers to it.
            unsafe { &mut *value.as_ptr() }
        }

        /// Like [`alloc_with`](Self::alloc_with), but returns an error if there is no room. `make`
        /// is not called then.
        #[inline(always)]
        pub fn try_alloc_with<T>(
            &self,
            make: impl FnOnce() -> T,
        ) -> Result<&$life mut T, AllocError> {
            const { crate::fill::refuse_destructors::<T>() };
            let value = self.bump()?.try_reserve::<T>()?;
            // SAFETY: the memory is new, has the layout of a T, and lives that long.
            unsafe {
                value.write(make());
                Ok(&mut *value.as_ptr())
            }
        }

        /// Copies a slice.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Complexity
        ///
        /// Linear in the length of the slice.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let list = arena.alloc_slice_copy(&[1, 2, 3]);
        /// list[0] = 4;
        /// assert_eq!(list, [4, 2, 3]);
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc_slice_copy<T: Copy>(&self, from: &[T]) -> &$life mut [T] {
            self.try_alloc_slice_copy(from).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_slice_copy`](Self::alloc_slice_copy), but returns an error if there is no
        /// room.
        #[inline]
        pub fn try_alloc_slice_copy<T: Copy>(
            &self,
            from: &[T],
        ) -> Result<&$life mut [T], AllocError> {
            let first = self.bump()?.allocate(Layout::for_value(from))?.cast::<T>();
            // SAFETY: the memory is new, so it does not overlap the slice, and has its layout.
            unsafe {
                core::ptr::copy_nonoverlapping(from.as_ptr(), first.as_ptr(), from.len());
                Ok(&mut *NonNull::slice_from_raw_parts(first, from.len()).as_ptr())
            }
        }

        /// Clones the elements of a slice.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let ranges = arena.alloc_slice_clone(&[0..2, 5..9]); // ranges are not `Copy`
        /// assert_eq!(ranges[1].len(), 4);
        /// ```
        #[track_caller]
        pub fn alloc_slice_clone<T: Clone>(&self, from: &[T]) -> &$life mut [T] {
            self.alloc_slice_with(from.len(), |at| from[at].clone())
        }

        /// Like [`alloc_slice_clone`](Self::alloc_slice_clone), but returns an error if there is no
        /// room.
        pub fn try_alloc_slice_clone<T: Clone>(
            &self,
            from: &[T],
        ) -> Result<&$life mut [T], AllocError> {
            self.try_alloc_slice_with(from.len(), |at| from[at].clone())
        }

        /// Allocates a slice of `len` elements and calls `make` with the index of each.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, before `make` is called.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// assert_eq!(arena.alloc_slice_with(4, |n| n * n), [0, 1, 4, 9]);
        /// ```
        #[track_caller]
        pub fn alloc_slice_with<T>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> &$life mut [T] {
            self.try_alloc_slice_with(len, make).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_slice_with`](Self::alloc_slice_with), but returns an error if there is no
        /// room. `make` is not called then.
        pub fn try_alloc_slice_with<T>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> Result<&$life mut [T], AllocError> {
            const { crate::fill::refuse_destructors::<T>() };
            let first = self.bump()?.allocate(crate::fill::array_layout::<T>(len)?)?.cast::<T>();
            // SAFETY: the memory is new, has room for `len` elements, and lives that long.
            unsafe { Ok(&mut *crate::fill::fill_slice(first, len, make).as_ptr()) }
        }

        /// Allocates a slice of `len` clones of `value`.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// assert_eq!(arena.alloc_slice_fill(3, '-'), ['-'; 3]);
        /// ```
        #[track_caller]
        pub fn alloc_slice_fill<T: Clone>(&self, len: usize, value: T) -> &$life mut [T] {
            self.alloc_slice_with(len, |_| value.clone())
        }

        /// Like [`alloc_slice_fill`](Self::alloc_slice_fill), but returns an error if there is no
        /// room.
        pub fn try_alloc_slice_fill<T: Clone>(
            &self,
            len: usize,
            value: T,
        ) -> Result<&$life mut [T], AllocError> {
            self.try_alloc_slice_with(len, |_| value.clone())
        }

        /// Allocates a slice of `len` default values.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// assert_eq!(arena.alloc_slice_default::<u32>(3), [0; 3]);
        /// ```
        #[track_caller]
        pub fn alloc_slice_default<T: Default>(&self, len: usize) -> &$life mut [T] {
            self.alloc_slice_with(len, |_| T::default())
        }

        /// Like [`alloc_slice_default`](Self::alloc_slice_default), but returns an error if there
        /// is no room.
        pub fn try_alloc_slice_default<T: Default>(
            &self,
            len: usize,
        ) -> Result<&$life mut [T], AllocError> {
            self.try_alloc_slice_with(len, |_| T::default())
        }

        /// Allocates a slice of the items of an iterator.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, or if the iterator yields fewer items than its `len()`
        /// promised. Items beyond its `len()` stay in the iterator.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let lengths = arena.alloc_slice_iter(["a", "abc"].iter().map(|s| s.len()));
        /// assert_eq!(lengths, [1, 3]);
        /// ```
        #[track_caller]
        pub fn alloc_slice_iter<T, I>(&self, from: I) -> &$life mut [T]
        where
            I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        {
            self.try_alloc_slice_iter(from).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_slice_iter`](Self::alloc_slice_iter), but returns an error if there is no
        /// room.
        pub fn try_alloc_slice_iter<T, I>(&self, from: I) -> Result<&$life mut [T], AllocError>
        where
            I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        {
            let mut from = from.into_iter();
            self.try_alloc_slice_with(from.len(), |_| {
                from.next().expect("the iterator ended before its len()")
            })
        }

        /// Copies a string slice.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let name: &mut str = arena.alloc_str("name");
        /// name.make_ascii_uppercase();
        /// assert_eq!(name, "NAME");
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc_str(&self, from: &str) -> &$life mut str {
            self.try_alloc_str(from).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_str`](Self::alloc_str), but returns an error if there is no room.
        #[inline]
        pub fn try_alloc_str(&self, from: &str) -> Result<&$life mut str, AllocError> {
            let bytes = self.try_alloc_slice_copy(from.as_bytes())?;
            // SAFETY: the bytes of a `str`.
            Ok(unsafe { core::str::from_utf8_unchecked_mut(bytes) })
        }

        /// Formats a string: `scope.alloc_fmt(format_args!("{name}: {n}"))`.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, or if a formatting trait returns an error.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// assert_eq!(arena.alloc_fmt(format_args!("{}-{:02}", 'a', 7)), "a-07");
        /// ```
        #[track_caller]
        pub fn alloc_fmt(&self, text: core::fmt::Arguments<'_>) -> &$life mut str {
            self.try_alloc_fmt(text).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_fmt`](Self::alloc_fmt), but returns an error if there is no room.
        pub fn try_alloc_fmt(
            &self,
            text: core::fmt::Arguments<'_>,
        ) -> Result<&$life mut str, AllocError> {
            if let Some(text) = text.as_str() {
                return self.try_alloc_str(text);
            }
            self.string().write_and_take(text)
        }
    };
}

pub(crate) use value_methods;
