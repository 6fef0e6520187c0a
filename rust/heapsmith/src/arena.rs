//! Arenas: memory that is given back all at once.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::block_methods::block_methods;
use crate::bump::{Bump, Position};
use crate::chunk::Chunk;
use crate::collections::{Room, collection_methods};
use crate::error::AllocError;
use crate::methods::value_methods;
use crate::scope::{Scope, ScopeGuard};

/// A monotonic allocator: each allocation moves one pointer up, and all of them end together, by
/// [`reset`](Self::reset), [`rewind`](Self::rewind), the end of a [`scope`](Self::scope) or the
/// arena's own end.
///
/// `'buffer` is the lifetime of the buffer it works in; an arena that has none is an
/// `Arena<'static>`, or just `Arena`.
///
/// Thread safety: an arena may be sent to another thread, not shared with one.
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

/// A place in an arena to go back to.
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

/// How full an arena is, in bytes.
///
/// ```
/// let arena = heapsmith::Arena::new();
/// arena.alloc(1u64);
/// assert_eq!(arena.stats().used, 8);
/// assert!(arena.stats().held >= 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaStats {
    /// What all chunks have to allocate from.
    pub held: usize,
    /// What is allocated, with the gaps that alignment and the ends of chunks left.
    pub used: usize,
}

// SAFETY: chunks belong to the arena alone, and what is borrowed from it keeps it where it is.
unsafe impl Send for Arena<'_> {}

#[cfg(feature = "alloc")]
impl Arena<'static> {
    /// An arena that grows by chunks of the global allocator. It takes the first when it is first
    /// allocated from.
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

    /// An arena that grows, and has a chunk of at least `bytes` bytes from the start.
    ///
    /// ```
    /// let arena = heapsmith::Arena::with_capacity(1000);
    /// assert!(arena.remaining() >= 1000);
    /// ```
    ///
    /// # Panics
    /// When there is no memory for it.
    #[track_caller]
    pub fn with_capacity(bytes: usize) -> Self {
        Self::try_with_capacity(bytes).unwrap_or_else(|e| e.panic())
    }

    /// [`with_capacity`](Self::with_capacity), or an error when there is no memory for it.
    pub fn try_with_capacity(bytes: usize) -> Result<Self, AllocError> {
        let layout = Layout::from_size_align(bytes, 1).map_err(|_| AllocError::TooLarge)?;
        let chunk =
            Chunk::allocate(bytes, None).ok_or(AllocError::NoRoom { layout, remaining: 0 })?;
        Ok(Self { bump: Bump::over(Some(chunk), true), buffer: PhantomData })
    }
}

#[cfg(feature = "alloc")]
impl Default for Arena<'static> {
    fn default() -> Self {
        Self::new()
    }
}

/// Of the arena, not of its engine: so the buffer, which is read here, must outlive the arena.
impl Drop for Arena<'_> {
    fn drop(&mut self) {
        self.bump.free_all_but(None);
    }
}

impl<'buffer> Arena<'buffer> {
    /// An arena in a buffer of yours, which never grows. Its first 32 bytes and what alignment
    /// needs are the arena's own.
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    /// let mut buffer = [MaybeUninit::uninit(); 1024];
    /// let arena = heapsmith::Arena::in_buffer(&mut buffer);
    /// assert!(arena.try_alloc([0u8; 900]).is_ok());
    /// assert!(arena.try_alloc([0u8; 900]).is_err());
    /// ```
    pub fn in_buffer(buffer: &'buffer mut [MaybeUninit<u8>]) -> Self {
        let bytes = buffer.len();
        // SAFETY: the buffer is borrowed for as long as the arena is.
        let chunk = unsafe { Chunk::in_buffer(NonNull::from(buffer).cast(), bytes) };
        Self { bump: Bump::over(chunk, false), buffer: PhantomData }
    }

    /// An arena that begins in a buffer of yours and grows by chunks of the global allocator.
    ///
    /// ```
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 256];
    /// let arena = heapsmith::Arena::starting_in(&mut buffer);
    /// arena.alloc(1); // in the buffer
    /// arena.alloc([0u8; 1000]); // in a chunk
    /// assert!(arena.stats().held > 1000);
    /// ```
    #[cfg(feature = "alloc")]
    pub fn starting_in(buffer: &'buffer mut [MaybeUninit<u8>]) -> Self {
        let bytes = buffer.len();
        // SAFETY: the buffer is borrowed for as long as the arena is.
        let chunk = unsafe { Chunk::in_buffer(NonNull::from(buffer).cast(), bytes) };
        Self { bump: Bump::over(chunk, true), buffer: PhantomData }
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

    /// Runs a function in a scope of this arena. What it allocates ends with the scope, and cannot
    /// leave it.
    ///
    /// `'outer` is what [`Scope::alloc_drop`] asks of values with destructors: what they refer to
    /// must outlive the scope.
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::new();
    /// let sum = arena.scope(|scope| {
    ///     let numbers = scope.alloc_slice_copy(&[1, 2, 3]);
    ///     numbers.iter().sum::<i32>()
    /// });
    /// assert_eq!((sum, arena.stats().used), (6, 0));
    /// ```
    ///
    /// # Panics
    /// When the function or a destructor panics. All destructors have run then.
    pub fn scope<'outer, R>(
        &mut self,
        body: impl for<'s> FnOnce(&mut Scope<'s, 'outer>) -> R,
    ) -> R {
        Scope::run(&self.bump, body)
    }

    /// A scope that ends when the guard is dropped, for where a closure is in the way.
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

    /// A scope whose rules are checked at run time, so that it can be used by `&self` alone.
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

    /// Ends everything. Keeps the largest chunk, so that an arena that is filled and reset in turn
    /// comes to need one chunk.
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

    /// The place where the arena is now.
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

    /// Goes back to a checkpoint: what was allocated since ends. The chunks filled since are kept.
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::new();
    /// arena.alloc(1u64);
    /// let here = arena.checkpoint();
    /// arena.alloc([0u64; 10]);
    /// arena.rewind(here);
    /// assert_eq!(arena.stats().used, 8);
    /// ```
    ///
    /// # Panics
    /// When this arena has no such place: the checkpoint is another's, or this one has gone back to
    /// before it. That is not noticed if a chunk lies at the address of one that was freed, or as much
    /// has been allocated here again; the arena goes back to that place then.
    #[track_caller]
    pub fn rewind(&mut self, to: Checkpoint) {
        let to = self.bump.own(to.0).expect(
            "rewind: the arena has no such place; it went back to before the checkpoint already, \
             or the checkpoint is another arena's",
        );
        // SAFETY: the place lies in what is allocated, and the exclusive borrow shows that nothing
        // refers to that any more.
        unsafe { self.bump.rewind(to) };
    }

    /// How full the arena is.
    ///
    /// Complexity: linear in the number of chunks, which is logarithmic in their bytes until they
    /// have 4 MiB each.
    ///
    /// ```
    /// let arena = heapsmith::Arena::with_capacity(100);
    /// arena.alloc(1u8);
    /// arena.alloc(1u32); // after three bytes that alignment leaves
    /// assert_eq!(arena.stats().used, 8);
    /// ```
    pub fn stats(&self) -> ArenaStats {
        let (held, used) = self.bump.bytes();
        ArenaStats { held, used }
    }

    /// Bytes that can be allocated without a new chunk.
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
