//! Arenas that take their pieces from a heap, a region or another upstream.

use core::fmt;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, transmute};
use core::ops::Deref;
use core::ptr::NonNull;

use crate::arena::Arena;
use crate::bump::Bump;
use crate::error::AllocError;
use crate::methods::exclusive_methods;
use crate::upstream::Upstream;

/// An [`Arena`] that takes its pieces from an [`Upstream`], which it borrows for `'up`. It is made
/// by [`Arena::new_in`].
///
/// It dereferences to an `&Arena`, so everything that borrows an arena works with both. It does not
/// dereference to a `&mut Arena`, which could be swapped with an arena that outlives the upstream.
/// The methods that need one are here, too.
///
/// # Thread safety
///
/// It can be sent to another thread if threads can share the upstream, as they can a
/// [`Heap`](crate::Heap). Threads cannot share the arena itself.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "heap")] {
/// use heapsmith::{Arena, Heap};
///
/// let heap = Heap::new(); // for one request, for example
/// heap.set_limit(Some(1 << 20));
/// let arena = Arena::new_in(&heap);
/// let list = arena.alloc_slice_fill(1000, 0u64);
/// assert!(heap.stats().in_use_bytes >= size_of_val(list));
/// assert!(arena.try_alloc_slice_fill(1 << 20, 0u64).is_err()); // the heap's limit
/// # }
/// ```
pub struct UpstreamArena<'up, U: Upstream> {
    /// Dropped by this type's destructor, not after it: the compiler then knows that the destructor
    /// uses the upstream, which must outlive it.
    arena: ManuallyDrop<Arena>,
    upstream: PhantomData<&'up U>,
}

impl Arena {
    /// Creates an arena that takes its pieces from an upstream: a [`Heap`](crate::Heap), a
    /// [`Region`](crate::Region), another arena, a scope, or an [`Upstream`] of yours. It takes its
    /// first piece at the first allocation.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::Arena;
    ///
    /// let mut frame = Arena::new();
    /// let mut task = Arena::new_in(&frame); // resets on its own, and ends with the frame
    /// task.alloc_str("scratch");
    /// task.reset();
    /// drop(task);
    /// frame.reset();
    /// ```
    pub fn new_in<U: Upstream>(upstream: &U) -> UpstreamArena<'_, U> {
        UpstreamArena::over(Self::empty_in(upstream))
    }

    /// Like [`new_in`](Self::new_in), but starts with a piece of at least `bytes` bytes.
    ///
    /// # Panics
    ///
    /// Panics if the upstream is out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let outer = heapsmith::Arena::new();
    /// let arena = heapsmith::Arena::with_capacity_in(1000, &outer);
    /// assert!(arena.remaining() >= 1000);
    /// ```
    #[track_caller]
    pub fn with_capacity_in<U: Upstream>(bytes: usize, upstream: &U) -> UpstreamArena<'_, U> {
        Self::try_with_capacity_in(bytes, upstream).unwrap_or_else(|e| e.panic())
    }

    /// Like [`with_capacity_in`](Self::with_capacity_in), but returns an error if the upstream is
    /// out of memory.
    pub fn try_with_capacity_in<U: Upstream>(
        bytes: usize,
        upstream: &U,
    ) -> Result<UpstreamArena<'_, U>, AllocError> {
        Self::empty_in(upstream).try_start_with(bytes).map(UpstreamArena::over)
    }

    /// An arena that must not outlive the upstream.
    fn empty_in(upstream: &dyn Upstream) -> Self {
        type Of<'a> = NonNull<dyn Upstream + 'a>;
        // SAFETY: the two types differ in a lifetime alone. The caller keeps it.
        unsafe { Self::over(Bump::new(Some(transmute::<Of<'_>, Of<'static>>(upstream.into())))) }
    }
}

impl<U: Upstream> UpstreamArena<'_, U> {
    /// The arena's upstream is a `U` that outlives `'up`.
    fn over(arena: Arena) -> Self {
        Self { arena: ManuallyDrop::new(arena), upstream: PhantomData }
    }

    fn engine(&mut self) -> &mut Bump {
        self.arena.engine()
    }

    exclusive_methods!();
}

impl<U: Upstream> Deref for UpstreamArena<'_, U> {
    type Target = Arena;

    #[inline(always)]
    fn deref(&self) -> &Arena {
        &self.arena
    }
}

impl<U: Upstream> fmt::Debug for UpstreamArena<'_, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("UpstreamArena").field(&**self).finish()
    }
}

impl<U: Upstream> Drop for UpstreamArena<'_, U> {
    fn drop(&mut self) {
        // SAFETY: the arena is dropped here alone, and not used any more.
        unsafe { ManuallyDrop::drop(&mut self.arena) }
    }
}
