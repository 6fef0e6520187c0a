//! Values without destructors that are not complete at once: their making fails, or comes later.

/// Adds the methods to a type that has a `bump()`. The references returned live for `$life`.
macro_rules! stage_methods {
    ($life:lifetime) => {
        /// Allocates memory and writes the value that `make` returns to it. If `make` returns an
        /// error, this returns the error. The memory can then be used again, unless `make` has
        /// allocated behind it.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, before `make` is called.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let number: &mut u32 = arena.alloc_try_with(|| "7".parse())?;
        /// assert_eq!(*number, 7);
        /// assert!(arena.alloc_try_with(|| "seven".parse::<u32>()).is_err());
        /// assert_eq!(arena.stats().used, 4);
        /// # Ok::<(), core::num::ParseIntError>(())
        /// ```
        #[track_caller]
        pub fn alloc_try_with<T, E>(
            &self,
            make: impl FnOnce() -> Result<T, E>,
        ) -> Result<&$life mut T, E> {
            self.try_alloc_try_with(make).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_try_with`](Self::alloc_try_with), but returns an error if there is no room.
        /// The inner result is that of `make`.
        pub fn try_alloc_try_with<T, E>(
            &self,
            make: impl FnOnce() -> Result<T, E>,
        ) -> Result<Result<&$life mut T, E>, AllocError> {
            const { crate::fill::refuse_destructors::<T>() };
            let bump = self.bump()?;
            let value = bump.try_reserve::<T>()?;
            // SAFETY: the memory is new, has the layout of a T, and lives that long. If nothing is
            // written to it, nothing refers to it.
            Ok(unsafe {
                match make() {
                    Ok(made) => {
                        value.write(made);
                        Ok(&mut *value.as_ptr())
                    }
                    Err(why) => {
                        bump.resize_last(value.cast(), size_of::<T>(), 0);
                        Err(why)
                    }
                }
            })
        }

        /// Allocates a slice of `len` elements and calls `make` with the index of each. At the
        /// first error, this returns that error. The memory can then be used again, unless `make`
        /// has allocated behind it.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, before `make` is called.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let digits = b"1x";
        /// let digit = |n: usize| (digits[n] as char).to_digit(10).ok_or(n);
        /// assert_eq!(arena.alloc_slice_try_with(1, digit).unwrap(), [1]);
        /// assert_eq!(arena.alloc_slice_try_with(2, digit), Err(1));
        /// ```
        #[track_caller]
        pub fn alloc_slice_try_with<T, E>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> Result<T, E>,
        ) -> Result<&$life mut [T], E> {
            self.try_alloc_slice_try_with(len, make).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_slice_try_with`](Self::alloc_slice_try_with), but returns an error if there
        /// is no room. The inner result is that of `make`.
        pub fn try_alloc_slice_try_with<T, E>(
            &self,
            len: usize,
            mut make: impl FnMut(usize) -> Result<T, E>,
        ) -> Result<Result<&$life mut [T], E>, AllocError> {
            const { crate::fill::refuse_destructors::<T>() };
            let (bump, layout) = (self.bump()?, crate::fill::array_layout::<T>(len)?);
            let first = bump.allocate(layout)?.cast::<T>();
            for at in 0..len {
                match make(at) {
                    // SAFETY: the memory is new and has room for `len` elements.
                    Ok(made) => unsafe { first.add(at).write(made) },
                    Err(why) => {
                        // SAFETY: the block is not used any more.
                        unsafe { bump.resize_last(first.cast(), layout.size(), 0) };
                        return Ok(Err(why));
                    }
                }
            }
            // SAFETY: all elements are written, and live that long.
            Ok(Ok(unsafe { &mut *NonNull::slice_from_raw_parts(first, len).as_ptr() }))
        }

        /// Allocates a slice of the values of an iterator. At the first error, this returns that
        /// error, as [`alloc_slice_try_with`](Self::alloc_slice_try_with) does.
        ///
        /// # Panics
        ///
        /// Panics if there is no room, or if the iterator yields fewer items than its `len()`
        /// promised.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let numbers = arena.alloc_slice_try_iter(["1", "2"].map(str::parse::<u32>))?;
        /// assert_eq!(numbers, [1, 2]);
        /// # Ok::<(), core::num::ParseIntError>(())
        /// ```
        #[track_caller]
        pub fn alloc_slice_try_iter<T, E, I>(&self, from: I) -> Result<&$life mut [T], E>
        where
            I: IntoIterator<Item = Result<T, E>, IntoIter: ExactSizeIterator>,
        {
            self.try_alloc_slice_try_iter(from).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_slice_try_iter`](Self::alloc_slice_try_iter), but returns an error if there
        /// is no room. The inner result is that of the iterator.
        pub fn try_alloc_slice_try_iter<T, E, I>(
            &self,
            from: I,
        ) -> Result<Result<&$life mut [T], E>, AllocError>
        where
            I: IntoIterator<Item = Result<T, E>, IntoIter: ExactSizeIterator>,
        {
            let mut from = from.into_iter();
            self.try_alloc_slice_try_with(from.len(), |_| {
                from.next().expect("the iterator ended before its len()")
            })
        }

        /// Allocates memory for a value that is written later. The destructor of the value never
        /// runs, as that of any [`MaybeUninit`](core::mem::MaybeUninit).
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let memory = arena.alloc_uninit();
        /// assert_eq!(*memory.write(7u64), 7);
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn alloc_uninit<T>(&self) -> &$life mut core::mem::MaybeUninit<T> {
            self.try_alloc_uninit().unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_uninit`](Self::alloc_uninit), but returns an error if there is no room.
        #[inline(always)]
        pub fn try_alloc_uninit<T>(&self) -> Result<&$life mut core::mem::MaybeUninit<T>, AllocError> {
            let value = self.bump()?.try_reserve()?;
            // SAFETY: the memory is new and lives that long. It needs no initialization.
            Ok(unsafe { &mut *value.as_ptr() })
        }

        /// Allocates memory for a slice of `len` elements that are written later.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let memory = arena.alloc_slice_uninit(2);
        /// assert_eq!(*memory[1].write('b'), 'b');
        /// ```
        #[track_caller]
        pub fn alloc_slice_uninit<T>(&self, len: usize) -> &$life mut [core::mem::MaybeUninit<T>] {
            self.try_alloc_slice_uninit(len).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_slice_uninit`](Self::alloc_slice_uninit), but returns an error if there is
        /// no room.
        pub fn try_alloc_slice_uninit<T>(
            &self,
            len: usize,
        ) -> Result<&$life mut [core::mem::MaybeUninit<T>], AllocError> {
            let first = self.bump()?.allocate(crate::fill::array_layout::<T>(len)?)?.cast();
            // SAFETY: as above.
            Ok(unsafe { &mut *NonNull::slice_from_raw_parts(first, len).as_ptr() })
        }
    };
}

pub(crate) use stage_methods;
