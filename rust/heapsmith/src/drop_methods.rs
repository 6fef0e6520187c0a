//! The methods of scopes for values with destructors, written once; see `methods.rs`.

/// Adds the methods for values with destructors, which must refer to nothing that ends before
/// `$outer`.
macro_rules! drop_methods {
    ($life:lifetime, $outer:lifetime) => {
        /// Moves a value here that is dropped at the scope's end, after all that were moved here later.
        ///
        /// Costs two pointers more than [`alloc`](Self::alloc), nothing if the type has no destructor.
        ///
        /// # Panics
        /// When there is no room.
        #[inline(always)]
        #[track_caller]
        pub fn alloc_drop<T: $outer>(&self, value: T) -> &$life mut T {
            self.try_alloc_drop(value).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_drop`](Self::alloc_drop), or an error when there is no room.
        #[inline(always)]
        pub fn try_alloc_drop<T: $outer>(&self, value: T) -> Result<&$life mut T, AllocError> {
            self.try_alloc_drop_with(|| value)
        }

        /// Makes a value where it is to live, which is dropped at the scope's end. The function may
        /// allocate here itself; if it panics, there is nothing to drop.
        ///
        /// # Panics
        /// When there is no room, or the function panics.
        #[inline(always)]
        #[track_caller]
        pub fn alloc_drop_with<T: $outer>(&self, make: impl FnOnce() -> T) -> &$life mut T {
            self.try_alloc_drop_with(make).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_drop_with`](Self::alloc_drop_with), or an error when there is no room, and then the
        /// function is not called.
        #[inline(always)]
        pub fn try_alloc_drop_with<T: $outer>(
            &self,
            make: impl FnOnce() -> T,
        ) -> Result<&$life mut T, AllocError> {
            let p = if core::mem::needs_drop::<T>() {
                crate::chain::PlaceForValue::get(|layout| self.bump()?.allocate(layout))?
                    .fill(self.chain(), make())
            } else {
                let place = self.bump()?.allocate(Layout::new::<T>())?.cast::<T>();
                // SAFETY: the place has the layout of a T.
                unsafe { place.write(make()) };
                place
            };
            // SAFETY: the value is there, and nobody else's until the scope ends.
            Ok(unsafe { &mut *p.as_ptr() })
        }

        /// Makes a slice whose elements are dropped at the scope's end, in order. If the function
        /// panics, the elements made so far are dropped at once.
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
            let place = crate::chain::PlaceForSlice::get(len, |layout| self.bump()?.allocate(layout))?;
            let slice = place.fill(self.chain(), len, make);
            // SAFETY: as in `try_alloc_drop_with`.
            Ok(unsafe { &mut *slice.as_ptr() })
        }
    };
}

pub(crate) use drop_methods;
