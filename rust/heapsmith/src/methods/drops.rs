//! Values with destructors in scopes.

/// Adds the methods to a type that has a `bump()` and `runs()`. Whatever the values borrow must
/// outlive `$outer`.
macro_rules! drop_methods {
    ($life:lifetime, $outer:lifetime) => {
        /// Allocates a value that is dropped when the scope ends. Values are dropped in reverse
        /// order.
        ///
        /// Consecutive values of one type form a run, with a header of four pointers in front of
        /// the first; the others cost no more than with [`alloc`](Self::alloc). A type without a
        /// destructor needs no header.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// # heapsmith::Arena::new().scope(|scope| {
        /// let list: &mut Vec<i32> = scope.alloc_drop(vec![1]);
        /// list.push(2); // dropped when the scope ends
        /// # });
        /// ```
        #[inline(always)]
        #[track_caller]
        pub fn alloc_drop<T: $outer>(&self, value: T) -> &$life mut T {
            self.alloc_drop_with(|| value)
        }

        /// Like [`alloc_drop`](Self::alloc_drop), but returns an error if there is no room. The
        /// value is dropped then.
        #[inline(always)]
        pub fn try_alloc_drop<T: $outer>(&self, value: T) -> Result<&$life mut T, AllocError> {
            self.try_alloc_drop_with(|| value)
        }

        /// Allocates memory and writes the result of `make` to it, which is dropped when the scope
        /// ends.
        ///
        /// `make` may allocate here. It may also open a child scope, but if that child outlives it,
        /// `make` must not have allocated values with destructors here.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// # heapsmith::Arena::new().scope(|scope| {
        /// let lines = scope.alloc_drop_with(|| vec![String::new(); 100]);
        /// assert_eq!(lines.len(), 100);
        /// # });
        /// ```
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
            // SAFETY: the value lives until the scope ends, and nothing else refers to it.
            unsafe { &mut *value.as_ptr() }
        }

        /// Like [`alloc_drop_with`](Self::alloc_drop_with), but returns an error if there is no
        /// room, without calling `make`.
        ///
        /// If `make` allocates here and leaves no room for a header, or leaves a child scope open,
        /// its result is dropped again and an error returned.
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
                let value = bump.try_reserve::<T>()?;
                // SAFETY: the memory is new and has the layout of a T.
                unsafe { value.write(make()) };
                value
            };
            // SAFETY: the value lives until the scope ends, and nothing else refers to it.
            Ok(unsafe { &mut *value.as_ptr() })
        }

        /// Allocates a slice of `len` elements and calls `make` with the index of each. The
        /// elements are dropped in order when the scope ends. If `make` panics, the elements made
        /// so far are dropped at once.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// # heapsmith::Arena::new().scope(|scope| {
        /// let names = scope.alloc_drop_slice_with(3, |n| format!("row {n}"));
        /// assert_eq!(names[2], "row 2");
        /// # });
        /// ```
        #[track_caller]
        pub fn alloc_drop_slice_with<T: $outer>(
            &self,
            len: usize,
            make: impl FnMut(usize) -> T,
        ) -> &$life mut [T] {
            self.try_alloc_drop_slice_with(len, make).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_drop_slice_with`](Self::alloc_drop_slice_with), but returns an error if
        /// there is no room. `make` is not called then.
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
