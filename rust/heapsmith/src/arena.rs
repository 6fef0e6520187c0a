//! Arenas: memory that is freed all at once.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::bump::{Bump, Position};
use crate::collections::Room;
use crate::error::AllocError;
use crate::methods::{block_methods, collection_methods, value_methods};
use crate::piece::Piece;
use crate::scope::{Scope, ScopeGuard};

/// A monotonic allocator: each allocation moves one pointer up, and all allocations end together,
/// when the arena is [reset](Self::reset), [rewound](Self::rewind) or dropped, or when a
/// [scope](Self::scope) ends.
///
/// An arena takes *pieces* of memory from the global allocator, each twice as large as the one
/// before, or works in a buffer of yours. `'buffer` is the lifetime of that buffer; an arena
/// without one is an `Arena<'static>`, or just `Arena`.
///
/// # Thread safety
///
/// An arena can be sent to another thread, but not shared between threads.
///
/// # Examples
///
/// ```
/// use heapsmith::Arena;
///
/// struct Tree<'a> {
///     value: u32,
///     children: &'a [&'a Tree<'a>],
/// }
///
/// let arena = Arena::new();
/// let leaf: &Tree = arena.alloc(Tree { value: 1, children: &[] });
/// let root = arena.alloc(Tree { value: 2, children: arena.alloc_slice_copy(&[leaf, leaf]) });
/// assert_eq!(root.children.iter().map(|t| t.value).sum::<u32>(), root.value);
/// ```
pub struct Arena<'buffer> {
    bump: Bump,
    buffer: PhantomData<&'buffer mut [MaybeUninit<u8>]>,
}

/// A position in an arena, to which [`Arena::rewind`] goes back.
///
/// # Examples
///
/// ```
/// let mut arena = heapsmith::Arena::new();
/// let here = arena.checkpoint();
/// arena.alloc_str("draft");
/// arena.rewind(here);
/// assert_eq!(arena.stats().used, 0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint(Position);

/// Statistics of an arena, in bytes.
///
/// # Examples
///
/// ```
/// let arena = heapsmith::Arena::new();
/// arena.alloc(1u64);
/// assert_eq!(arena.stats().used, 8);
/// assert!(arena.stats().held >= 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaStats {
    /// The capacity of all pieces.
    pub held: usize,
    /// Allocated bytes, with the gaps due to alignment and at the ends of pieces.
    pub used: usize,
}

// SAFETY: the pieces belong to the arena alone, and whatever borrows the arena keeps it in place.
unsafe impl Send for Arena<'_> {}

#[cfg(feature = "alloc")]
impl Arena<'static> {
    /// Creates an arena that grows. It takes its first piece of memory at the first allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// assert_eq!(arena.stats().held, 0);
    /// arena.alloc(1);
    /// assert!(arena.stats().held > 0);
    /// ```
    pub const fn new() -> Self {
        Self { bump: Bump::new(true), buffer: PhantomData }
    }

    /// Creates an arena that grows and starts with a piece of at least `bytes` bytes.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::with_capacity(1000);
    /// assert!(arena.remaining() >= 1000);
    /// ```
    #[track_caller]
    pub fn with_capacity(bytes: usize) -> Self {
        Self::try_with_capacity(bytes).unwrap_or_else(|e| e.panic())
    }

    /// Like [`with_capacity`](Self::with_capacity), but returns an error if out of memory.
    pub fn try_with_capacity(bytes: usize) -> Result<Self, AllocError> {
        let layout = Layout::from_size_align(bytes, 1).map_err(|_| AllocError::TooLarge)?;
        let piece =
            Piece::allocate(bytes, None).ok_or(AllocError::NoRoom { layout, remaining: 0 })?;
        Ok(Self { bump: Bump::over(Some(piece), true), buffer: PhantomData })
    }
}

#[cfg(feature = "alloc")]
impl Default for Arena<'static> {
    fn default() -> Self {
        Self::new()
    }
}

/// On the arena, not on its engine, so that the compiler knows that dropping an arena reads its
/// buffer, which must outlive it.
impl Drop for Arena<'_> {
    fn drop(&mut self) {
        self.bump.free_all_but(None);
    }
}

impl<'buffer> Arena<'buffer> {
    /// Creates an arena in a buffer of yours. It never grows. The first 32 bytes, after alignment,
    /// are a header.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    ///
    /// let mut buffer = [MaybeUninit::uninit(); 1024];
    /// let arena = heapsmith::Arena::in_buffer(&mut buffer);
    /// assert!(arena.try_alloc([0u8; 900]).is_ok());
    /// assert!(arena.try_alloc([0u8; 900]).is_err());
    /// ```
    pub fn in_buffer(buffer: &'buffer mut [MaybeUninit<u8>]) -> Self {
        Self::over(buffer, false)
    }

    /// Creates an arena that starts in a buffer of yours and then grows with memory of the global
    /// allocator.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 256];
    /// let arena = heapsmith::Arena::starting_in(&mut buffer);
    /// arena.alloc(1); // in the buffer
    /// arena.alloc([0u8; 1000]); // in a new piece
    /// assert!(arena.stats().held > 1000);
    /// ```
    #[cfg(feature = "alloc")]
    pub fn starting_in(buffer: &'buffer mut [MaybeUninit<u8>]) -> Self {
        Self::over(buffer, true)
    }

    fn over(buffer: &'buffer mut [MaybeUninit<u8>], grows: bool) -> Self {
        let bytes = buffer.len();
        // SAFETY: the buffer is borrowed for as long as the arena lives.
        let piece = unsafe { Piece::in_buffer(NonNull::from(buffer).cast(), bytes) };
        Self { bump: Bump::over(piece, grows), buffer: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn bump(&self) -> Result<&Bump, AllocError> {
        Ok(&self.bump)
    }

    #[inline]
    fn room(&self) -> Room<'_> {
        Room::new(&self.bump, self.bump.open_scopes.get())
    }

    value_methods!('_);
    collection_methods!('_);
    block_methods!();

    /// Calls a function with a new scope. Values that the function allocates there end with the
    /// scope and cannot be returned.
    ///
    /// Values passed to [`Scope::alloc_drop`] may only borrow what outlives `'outer`, and so the
    /// scope.
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
        body: impl for<'s> FnOnce(&mut Scope<'s, 'outer>) -> R,
    ) -> R {
        Scope::run(&self.bump, body)
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
    pub fn guard(&mut self) -> ScopeGuard<'_> {
        ScopeGuard::new(&self.bump)
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
        crate::CheckedScope::new(&self.bump)
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
        self.bump.open_scopes.set(0);
        self.bump.reset();
    }

    /// Returns the current position.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let before = arena.checkpoint();
    /// arena.alloc(1);
    /// assert!(arena.checkpoint() != before);
    /// ```
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(self.bump.position())
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
    pub fn rewind(&mut self, to: Checkpoint) {
        let to = self.bump.own(to.0).expect(
            "rewind: the checkpoint is another arena's, or this arena was rewound to an earlier \
             position since",
        );
        // SAFETY: the position lies in allocated memory, and the exclusive borrow proves that
        // nothing refers to that memory.
        unsafe { self.bump.rewind(to) };
    }

    /// Returns the arena's statistics.
    ///
    /// # Complexity
    ///
    /// Linear in the number of pieces. That number is logarithmic in their bytes up to 4 MiB each.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::with_capacity(100);
    /// arena.alloc(1u8);
    /// arena.alloc(1u32); // after three bytes of padding
    /// assert_eq!(arena.stats().used, 8);
    /// ```
    pub fn stats(&self) -> ArenaStats {
        let (held, used) = self.bump.bytes();
        ArenaStats { held, used }
    }

    /// Returns the number of bytes that can be allocated without a new piece.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 256];
    /// let arena = heapsmith::Arena::in_buffer(&mut buffer);
    /// let all = arena.alloc_slice_fill(arena.remaining(), 0u8);
    /// assert_eq!(arena.remaining(), 0);
    /// ```
    pub fn remaining(&self) -> usize {
        self.bump.remaining()
    }
}
