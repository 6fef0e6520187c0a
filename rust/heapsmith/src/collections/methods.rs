//! The methods that lead from arenas and scopes to collections, written once; see
//! `crate::methods`.

/// Adds the methods to the `impl` block of a type that has a `room()`; `$life` is how long what the
/// collections leave lives.
macro_rules! collection_methods {
    ($life:lifetime) => {
        /// An empty vector that grows here. It takes no memory until something is pushed.
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

        /// A vector with room for so many elements.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let list = arena.vec_with_capacity::<u64>(100);
        /// assert_eq!((list.len(), list.capacity()), (0, 100));
        /// ```
        ///
        /// # Panics
        /// When there is no room.
        #[track_caller]
        pub fn vec_with_capacity<T>(&self, capacity: usize) -> crate::ArenaVec<$life, '_, T> {
            self.try_vec_with_capacity(capacity).unwrap_or_else(|e| e.panic())
        }

        /// [`vec_with_capacity`](Self::vec_with_capacity), or an error when there is no room.
        pub fn try_vec_with_capacity<T>(
            &self,
            capacity: usize,
        ) -> Result<crate::ArenaVec<$life, '_, T>, AllocError> {
            let mut vec = self.vec();
            vec.try_reserve_exact(capacity)?;
            Ok(vec)
        }

        /// An empty text that grows here. It takes no memory until something is pushed.
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

        /// Moves a value here and returns its owner, which drops it. So a value with a destructor
        /// may end before its arena or scope does.
        ///
        /// ```
        /// let arena = heapsmith::Arena::new();
        /// let file = arena.alloc_box(String::from("contents"));
        /// drop(file); // here the string is dropped; its place stays taken until the arena's reset
        /// ```
        ///
        /// # Panics
        /// When there is no room.
        #[inline]
        #[track_caller]
        pub fn alloc_box<T>(&self, value: T) -> crate::ArenaBox<$life, T> {
            self.try_alloc_box(value).unwrap_or_else(|e| e.panic())
        }

        /// [`alloc_box`](Self::alloc_box), or an error when there is no room; the value is dropped
        /// then.
        #[inline]
        pub fn try_alloc_box<T>(&self, value: T) -> Result<crate::ArenaBox<$life, T>, AllocError> {
            let place = self.bump()?.allocate(Layout::new::<T>())?.cast::<T>();
            // SAFETY: the place has the layout of a T and is nobody else's for that lifetime.
            unsafe {
                place.write(value);
                Ok(crate::ArenaBox::from_raw(place.as_ptr()))
            }
        }
    };
}

pub(crate) use collection_methods;
