//! The methods of scopes for values with destructors, written once; see `methods.rs`.

/// Adds the methods for values with destructors, which must refer to nothing that ends before
/// `$outer`.
macro_rules! drop_methods {
    ($life:lifetime, $outer:lifetime) => {
        /// Moves a value here that is dropped at the scope's end, after all that were moved here later.
        ///
        /// Values of one type made in a row cost no more than those of [`alloc`](Self::alloc), but for a
        /// note of four pointers in front of the first. A type without a destructor has none.
        ///
        /// ```
        /// # heapsmith::Arena::new().scope(|scope| {
        /// let list: &mut Vec<i32> = scope.alloc_drop(vec![1]);
        /// list.push(2); // dropped at the scope's end
        /// # });
        /// ```
        ///
        /// # Panics
        /// When there is no room.
        #[inline(always)]
        #[track_caller]
        pub fn alloc_drop<T: $outer>(&self, value: T) -> &$life mut T {
            self.alloc_drop_with(|| value)
        }

        /// [`alloc_drop`](Self::alloc_drop), or an error when there is no room; the value is dropped
        /// then.
        #[inline(always)]
        pub fn try_alloc_drop<T: $outer>(&self, value: T) -> Result<&$life mut T, AllocError> {
            self.try_alloc_drop_with(|| value)
        }

        /// Makes a value where it is to live, which is dropped at the scope's end. The function may
        /// allocate here itself; if it panics, there is nothing to drop. It may open a child, too, but
        /// not let one outlive it after having allocated values that are dropped here.
        ///
        /// ```
        /// # heapsmith::Arena::new().scope(|scope| {
        /// let lines = scope.alloc_drop_with(|| vec![String::new(); 100]);
        /// assert_eq!(lines.len(), 100);
        /// # });
        /// ```
        ///
        /// # Panics
        /// When there is no room, or the function panics.
        #[inline(always)]
        #[track_caller]
        pub fn alloc_drop_with<T: $outer>(&self, make: impl FnOnce() -> T) -> &$life mut T {
            let bump = match self.bump() {
                Ok(bump) => bump,
                Err(why) => why.panic(),
            };
            let value = if core::mem::needs_drop::<T>() {
                match self.runs().add_with(bump, make) {
                    Some(value) => value,
                    None => self.bump().err().unwrap_or(bump.no_room(Layout::new::<T>())).panic(),
                }
            } else {
                bump.put_with(make)
            };
            // SAFETY: the value is there, and nobody else's until the scope ends.
            unsafe { &mut *value.as_ptr() }
        }

        /// [`alloc_drop_with`](Self::alloc_drop_with), or an error when there is no room, and then the
        /// function is not called; unless it allocates here itself, and leaves too little for a note, or
        /// a child that is open: then the value is dropped again.
        #[inline(always)]
        pub fn try_alloc_drop_with<T: $outer>(
            &self,
            make: impl FnOnce() -> T,
        ) -> Result<&$life mut T, AllocError> {
            let bump = self.bump()?;
            let value = if core::mem::needs_drop::<T>() {
                let added = self.runs().add_with(bump, make);
                added.ok_or_else(|| self.bump().err().unwrap_or(bump.no_room(Layout::new::<T>())))?
            } else {
                let place = bump.try_place::<T>()?;
                // SAFETY: the place has the layout of a T.
                unsafe { place.write(make()) };
                place
            };
            // SAFETY: the value is there, and nobody else's until the scope ends.
            Ok(unsafe { &mut *value.as_ptr() })
        }

        /// Makes a slice whose elements are dropped at the scope's end, in order. If the function
        /// panics, the elements made so far are dropped at once.
        ///
        /// ```
        /// # heapsmith::Arena::new().scope(|scope| {
        /// let names = scope.alloc_drop_slice_with(3, |n| format!("row {n}"));
        /// assert_eq!(names[2], "row 2");
        /// # });
        /// ```
        ///
        /// # Panics
        /// When there is no room, or the function panics.
        #[track_caller]
        pub fn alloc_drop_slice_with<T: $outer>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> &$life mut [T] {
            self.try_alloc_drop_slice_with(len, make).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_drop_slice_with`](Self::alloc_drop_slice_with), or an error when there is no room,
        /// and then the function is not called.
        pub fn try_alloc_drop_slice_with<T: $outer>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> Result<&$life mut [T], AllocError> {
            let slice = self.runs().add_slice_with(self.bump()?, len, make)?;
            // SAFETY: as in `try_alloc_drop_with`.
            Ok(unsafe { &mut *slice.as_ptr() })
        }
    };
}

pub(crate) use drop_methods;
