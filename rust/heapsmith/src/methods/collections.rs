//! Vectors, strings and boxes in arenas and scopes.

/// Adds the methods to a type that has a `room()` and a `bump()`. The slices that collections turn
/// into live for `$life`.
macro_rules! collection_methods {
    ($life:lifetime) => {
        /// Returns an empty vector that grows here. It allocates when the first element is pushed.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let mut list = arena.vec();
        /// list.extend([1, 2, 3]);
        /// let list: &mut [i32] = list.into_slice();
        /// assert_eq!(list.len(), 3);
        /// ```
        #[inline]
        pub fn vec<T>(&self) -> crate::ArenaVec<$life, '_, T> {
            crate::ArenaVec::new(self.room())
        }

        /// Returns an empty vector with room for `capacity` elements.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let list = arena.vec_with_capacity::<u64>(100);
        /// assert_eq!((list.len(), list.capacity()), (0, 100));
        /// ```
        #[track_caller]
        pub fn vec_with_capacity<T>(&self, capacity: usize) -> crate::ArenaVec<$life, '_, T> {
            self.try_vec_with_capacity(capacity).unwrap_or_else(|e| e.panic())
        }

        /// Like [`vec_with_capacity`](Self::vec_with_capacity), but returns an error if there is no
        /// room.
        pub fn try_vec_with_capacity<T>(
            &self,
            capacity: usize,
        ) -> Result<crate::ArenaVec<$life, '_, T>, AllocError> {
            let mut vec = self.vec();
            vec.try_reserve_exact(capacity)?;
            Ok(vec)
        }

        /// Returns an empty string that grows here. It allocates when the first character is
        /// pushed.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let mut text = arena.string();
        /// text.push_str("a");
        /// text.push('ß');
        /// assert_eq!(text.into_str(), "aß");
        /// ```
        #[inline]
        pub fn string(&self) -> crate::ArenaString<$life, '_> {
            crate::ArenaString::new(self.vec())
        }

        /// Returns an empty string with room for `bytes` bytes.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// assert_eq!(arena.string_with_capacity(100).capacity(), 100);
        /// ```
        #[track_caller]
        pub fn string_with_capacity(&self, bytes: usize) -> crate::ArenaString<$life, '_> {
            self.try_string_with_capacity(bytes).unwrap_or_else(|e| e.panic())
        }

        /// Like [`string_with_capacity`](Self::string_with_capacity), but returns an error if there
        /// is no room.
        pub fn try_string_with_capacity(
            &self,
            bytes: usize,
        ) -> Result<crate::ArenaString<$life, '_>, AllocError> {
            Ok(crate::ArenaString::new(self.try_vec_with_capacity(bytes)?))
        }

        /// Allocates a value and returns a box that drops it, possibly before the arena is reset or
        /// the scope ends.
        ///
        /// # Panics
        ///
        /// Panics if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let file = arena.alloc_box(String::from("contents"));
        /// drop(file); // drops the string; its memory stays in use until the arena is reset
        /// ```
        #[inline]
        #[track_caller]
        pub fn alloc_box<T>(&self, value: T) -> crate::ArenaBox<$life, T> {
            self.try_alloc_box(value).unwrap_or_else(|e| e.panic())
        }

        /// Like [`alloc_box`](Self::alloc_box), but returns an error if there is no room. The value
        /// is dropped then.
        #[inline]
        pub fn try_alloc_box<T>(&self, value: T) -> Result<crate::ArenaBox<$life, T>, AllocError> {
            let block = self.bump()?.allocate(Layout::new::<T>())?.cast::<T>();
            // SAFETY: the block is new and has the layout of a T, which is written to it.
            unsafe {
                block.write(value);
                Ok(crate::Owned::from_parts(block, crate::owned::InArena))
            }
        }
    };
}

pub(crate) use collection_methods;
