//! Raw blocks in arenas and scopes.

/// Adds the methods to a type that has a `bump()`.
macro_rules! block_methods {
    () => {
        /// Allocates uninitialized memory, which the caller may use until the arena is reset or the
        /// scope ends.
        ///
        /// # Errors
        ///
        /// Returns an error if there is no room.
        ///
        /// # Examples
        ///
        /// ```
        /// use core::alloc::Layout;
        ///
        /// let arena = heapsmith::Arena::new();
        /// let block = arena.allocate(Layout::from_size_align(100, 64)?)?;
        /// assert_eq!(block.addr().get() % 64, 0);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[inline]
        pub fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
            self.bump()?.allocate(layout)
        }

        /// Frees a block. Its memory is reused only if no block was allocated after it.
        ///
        /// # Safety
        ///
        /// The block was allocated here with this layout and is not used any more.
        ///
        /// # Examples
        ///
        /// ```
        /// use core::alloc::Layout;
        ///
        /// let arena = heapsmith::Arena::new();
        /// let block = arena.allocate(Layout::new::<u64>())?;
        /// // SAFETY: the block was allocated here with this layout.
        /// unsafe { arena.deallocate(block, Layout::new::<u64>()) };
        /// assert_eq!(arena.stats().used, 0);
        /// # Ok::<(), heapsmith::AllocError>(())
        /// ```
        #[inline]
        pub unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
            if let Ok(bump) = self.bump() {
                // SAFETY: the caller's promise.
                unsafe { bump.resize_last(block, layout.size(), 0) };
            }
        }

        /// Resizes a block: in place if it shrinks or is the last block, otherwise by moving it.
        /// The contents are kept up to the smaller of the two sizes.
        ///
        /// The result counts as allocated now, so it ends when the arena rewinds to an earlier
        /// checkpoint.
        ///
        /// # Errors
        ///
        /// Returns an error if there is no room. The block is unchanged then.
        ///
        /// # Safety
        ///
        /// The block was allocated here with the layout `old`, and no other pointer to it is used.
        ///
        /// # Examples
        ///
        /// ```
        /// use core::alloc::Layout;
        ///
        /// let arena = heapsmith::Arena::with_capacity(1000);
        /// let (old, new) = (Layout::new::<u64>(), Layout::new::<[u64; 9]>());
        /// let block = arena.allocate(old)?;
        /// // SAFETY: the block was allocated here with the layout `old`.
        /// let grown = unsafe { arena.reallocate(block, old, new)? };
        /// assert_eq!(grown, block); // it was the last block
        /// # Ok::<(), heapsmith::AllocError>(())
        /// ```
        #[inline]
        pub unsafe fn reallocate(
            &self,
            block: NonNull<u8>,
            old: Layout,
            new: Layout,
        ) -> Result<NonNull<u8>, AllocError> {
            match self.bump() {
                // SAFETY: the caller's promise.
                Ok(bump) => unsafe { bump.reallocate(block, old, new) },
                // Shrinking in place takes no memory, so an open child does not matter.
                Err(_) if new.size() <= old.size() && crate::bump::is_aligned(block, new) => {
                    Ok(block)
                }
                Err(why) => Err(why),
            }
        }
    };
}

pub(crate) use block_methods;
