//! Arenas: memory that is freed all at once.

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use crate::bump::Bump;
use crate::checkpoint::Checkpoint;
use crate::collections::Room;
use crate::error::AllocError;
use crate::methods::{
    block_methods, collection_methods, exclusive_methods, stage_methods, value_methods,
};

/// A monotonic allocator: each allocation moves one pointer up, and all allocations end together,
/// when the arena is [reset](Self::reset), [rewound](Self::rewind) or dropped, or when a
/// [scope](Self::scope) ends.
///
/// An arena takes *pieces* of memory from the global allocator, each twice as large as the one
/// before. [`new_in`](Self::new_in) makes one that takes them from a heap, a region or another
/// [`Upstream`](crate::Upstream). A [`BufferArena`](crate::BufferArena) is an arena in a buffer of
/// yours.
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
pub struct Arena {
    bump: Bump,
}

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
unsafe impl Send for Arena {}

#[cfg(feature = "alloc")]
impl Arena {
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
        // SAFETY: the global allocator outlives everything.
        Self { bump: unsafe { Bump::new(Some(crate::upstream::GLOBAL)) } }
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
        Self::new().try_start_with(bytes)
    }
}

#[cfg(feature = "alloc")]
impl Default for Arena {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stats, limit) = (self.stats(), self.limit());
        f.debug_struct("Arena").field("stats", &stats).field("limit", &limit).finish()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.bump.free_all_but(None);
    }
}

impl Arena {
    pub(crate) const fn over(bump: Bump) -> Self {
        Self { bump }
    }

    /// Takes the first piece, of at least `bytes` bytes, before the first allocation.
    pub(crate) fn try_start_with(mut self, bytes: usize) -> Result<Self, AllocError> {
        let layout = Layout::from_size_align(bytes, 1).map_err(|_| AllocError::TooLarge)?;
        if self.bump.start_with(bytes) {
            Ok(self)
        } else {
            Err(AllocError::NoRoom { layout, remaining: 0 })
        }
    }

    #[inline(always)]
    pub(crate) fn engine(&mut self) -> &mut Bump {
        &mut self.bump
    }

    #[inline(always)]
    pub(crate) fn bump(&self) -> Result<&Bump, AllocError> {
        Ok(&self.bump)
    }

    #[inline]
    pub(crate) fn room(&self) -> Room<'_> {
        Room::new(&self.bump, self.bump.open_scopes.get())
    }

    value_methods!('_);
    stage_methods!('_);
    collection_methods!('_);
    block_methods!();
    exclusive_methods!();

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

    /// Limits what the arena [holds](ArenaStats::held) to `bytes` bytes. `None` removes the limit.
    /// Pieces that the arena already has are kept. An allocation that would need a piece beyond the
    /// limit fails.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// arena.set_limit(Some(1 << 20));
    /// assert!(arena.try_alloc_slice_fill(1 << 21, 0u8).is_err());
    /// assert!(arena.try_alloc_slice_fill(1 << 19, 0u8).is_ok());
    /// ```
    pub fn set_limit(&self, bytes: Option<usize>) {
        self.bump.limit.set(bytes.unwrap_or(usize::MAX));
    }

    /// Returns the limit, if there is one.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// assert_eq!(arena.limit(), None);
    /// arena.set_limit(Some(4096));
    /// assert_eq!(arena.limit(), Some(4096));
    /// ```
    pub fn limit(&self) -> Option<usize> {
        Some(self.bump.limit.get()).filter(|&bytes| bytes != usize::MAX)
    }

    /// Returns the number of bytes that can be allocated without a new piece.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::with_capacity(100);
    /// let all = arena.alloc_slice_fill(arena.remaining(), 0u8);
    /// assert_eq!(arena.remaining(), 0);
    /// ```
    pub fn remaining(&self) -> usize {
        self.bump.remaining()
    }
}
