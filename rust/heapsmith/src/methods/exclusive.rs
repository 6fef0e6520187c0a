//! Methods for which an arena must be borrowed exclusively: they end its allocations, or open scopes.

/// Adds the methods to a type that has an `engine()`, by `&mut self`.
macro_rules! exclusive_methods {
    () => {
        /// Calls a function with a new scope. Values that the function allocates there end with the
        /// scope and cannot be returned.
        ///
        /// Values passed to [`Scope::alloc_drop`](crate::Scope::alloc_drop) may only borrow what
        /// outlives `'outer`, and so the scope.
        ///
        /// # Panics
        ///
        /// Panics if the function or a destructor panics. All destructors have run by then.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut arena = heapsmith::Arena::new();
        /// let sum = arena.scope(|scope| {
        ///     let numbers = scope.alloc_slice_copy(&[1, 2, 3]);
        ///     numbers.iter().sum::<i32>()
        /// });
        /// assert_eq!((sum, arena.stats().used), (6, 0));
        /// ```
        pub fn scope<'outer, R>(
            &mut self,
            body: impl for<'s> FnOnce(&mut crate::Scope<'s, 'outer>) -> R,
        ) -> R {
            crate::Scope::run(self.engine(), body)
        }

        /// Opens a scope that ends when the returned guard is dropped, for code in which a closure is
        /// inconvenient.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut arena = heapsmith::Arena::new();
        /// let mut level = arena.guard();
        /// let scope = level.scope();
        /// assert_eq!(scope.alloc_str("in a function, not in a closure").len(), 31);
        /// ```
        pub fn guard(&mut self) -> crate::ScopeGuard<'_> {
            crate::ScopeGuard::new(self.engine())
        }

        /// Opens a scope whose rules are checked at run time, so that `&self` is enough to use it.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut arena = heapsmith::Arena::new();
        /// let level = arena.checked_scope();
        /// let child = level.child();
        /// assert!(level.try_alloc(1).is_err() && child.try_alloc(1).is_ok());
        /// ```
        pub fn checked_scope(&mut self) -> crate::CheckedScope<'_> {
            crate::CheckedScope::new(self.engine())
        }

        /// Ends all allocations and keeps the memory: the largest piece, so that an arena that is
        /// filled and reset in rounds soon needs one piece only.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut arena = heapsmith::Arena::new();
        /// for line in ["one", "two"] {
        ///     assert_eq!(arena.alloc_str(line), line);
        ///     arena.reset();
        /// }
        /// ```
        pub fn reset(&mut self) {
            self.engine().open_scopes.set(0);
            self.engine().reset();
        }

        /// Ends all allocations made since a checkpoint. The pieces filled since are kept.
        ///
        /// # Panics
        ///
        /// Panics if the checkpoint lies in no allocated memory of this arena: it is another arena's,
        /// or this arena has been rewound to an earlier position since. Such a checkpoint is accepted
        /// if a new piece lies at the address of the old one, or if as much has been allocated again.
        /// The arena then rewinds to that position.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut arena = heapsmith::Arena::new();
        /// arena.alloc(1u64);
        /// let here = arena.checkpoint();
        /// arena.alloc([0u64; 10]);
        /// arena.rewind(here);
        /// assert_eq!(arena.stats().used, 8);
        /// ```
        #[track_caller]
        pub fn rewind(&mut self, to: crate::Checkpoint) {
            let to = self.engine().own(to.0).expect(
                "rewind: the checkpoint is another arena's, or this arena was rewound to an earlier \
                 position since",
            );
            // SAFETY: the position lies in allocated memory, and the exclusive borrow proves that
            // nothing refers to that memory.
            unsafe { self.engine().rewind(to) };
        }

        /// Returns an iterator over the allocated memory, with one slice for each piece, in the
        /// order in which it was allocated.
        ///
        /// Values lie in it side by side, with gaps where they need alignment. A gap is not
        /// initialized, nor is the padding inside a value. If all values were of one type without
        /// padding, and no larger alignment than 16, a slice consists of them alone.
        ///
        /// # Examples
        ///
        /// ```
        /// let mut arena = heapsmith::Arena::new();
        /// for n in 0..10u32 {
        ///     arena.alloc(n);
        /// }
        /// let piece = arena.pieces().next().unwrap();
        /// // SAFETY: the arena has ten values of type `u32` and one piece, so there is no gap.
        /// let bytes = unsafe { core::slice::from_raw_parts(piece.as_ptr().cast::<u32>(), 10) };
        /// assert_eq!(bytes.iter().sum::<u32>(), 45);
        /// ```
        pub fn pieces(&mut self) -> crate::Pieces<'_> {
            crate::Pieces::new(self.engine())
        }
    };
}

pub(crate) use exclusive_methods;
