//! The methods of arenas and scopes for raw blocks, written once; see `methods.rs`.

/// Adds the methods to the `impl` block of a type that has a `bump()`.
macro_rules! block_methods {
    () => {
        /// Memory of a layout, uninitialised, which is the caller's until the arena goes back or
        /// the scope ends.
        ///
        /// ```
        /// use core::alloc::Layout;
        /// let arena = heapsmith::Arena::new();
        /// let block = arena.allocate(Layout::from_size_align(100, 64)?)?;
        /// assert_eq!(block.addr().get() % 64, 0);
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[inline]
        pub fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
            self.bump()?.allocate(layout)
        }

        /// Ends a block. Its memory is used again if it was the last to be allocated.
        ///
        /// ```
        /// use core::alloc::Layout;
        /// let arena = heapsmith::Arena::new();
        /// let block = arena.allocate(Layout::new::<u64>())?;
        /// // SAFETY: the block is the arena's, of that layout.
        /// unsafe { arena.deallocate(block, Layout::new::<u64>()) };
        /// assert_eq!(arena.stats().used, 0);
        /// # Ok::<(), heapsmith::AllocError>(())
        /// ```
        ///
        /// # Safety
        /// The block was allocated here with that layout, and nothing refers to it.
        #[inline]
        pub unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
            if let Ok(bump) = self.bump() {
                // SAFETY: the caller's.
                unsafe { bump.resize_last(block, layout.size(), 0) };
            }
        }

        /// Resizes a block, where it is if it was the last to be allocated or need not grow; else
        /// moves it. Contents stay, as many bytes as both layouts have. After an error the block is
        /// as it was; after success it is one that was allocated now, and ends when the arena goes
        /// back to before this call.
        ///
        /// ```
        /// use core::alloc::Layout;
        /// let arena = heapsmith::Arena::with_capacity(1000);
        /// let (old, new) = (Layout::new::<u64>(), Layout::new::<[u64; 9]>());
        /// let block = arena.allocate(old)?;
        /// // SAFETY: the block is the arena's, of the layout `old`.
        /// let grown = unsafe { arena.reallocate(block, old, new)? };
        /// assert_eq!(grown, block); // nothing was allocated behind it
        /// # Ok::<(), heapsmith::AllocError>(())
        /// ```
        ///
        /// # Safety
        /// The block was allocated here with the layout `old`, and nothing else refers to it.
        #[inline]
        pub unsafe fn reallocate(
            &self,
            block: NonNull<u8>,
            old: Layout,
            new: Layout,
        ) -> Result<NonNull<u8>, AllocError> {
            match self.bump() {
                // SAFETY: the caller's.
                Ok(bump) => unsafe { bump.reallocate(block, old, new) },
                // What need not move asks for nothing that a child has.
                Err(_) if new.size() <= old.size() && crate::bump::is_aligned(block, new) => {
                    Ok(block)
                }
                Err(why) => Err(why),
            }
        }
    };
}

pub(crate) use block_methods;
