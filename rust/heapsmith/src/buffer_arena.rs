//! Arenas in a buffer of the caller's.

use core::fmt;
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::Deref;
use core::ptr::NonNull;

use crate::arena::Arena;
use crate::bump::Bump;
use crate::methods::exclusive_methods;
use crate::piece::Piece;

/// An [`Arena`] in a buffer of yours, which it borrows for `'buffer`.
///
/// It dereferences to an `&Arena`, so everything that borrows an arena works with both, and
/// structs that do so need no lifetime for the buffer. It does not dereference to a `&mut Arena`,
/// which could be swapped with an arena that outlives the buffer. The methods that need one are
/// here, too.
///
/// # Thread safety
///
/// As for an arena: it can be sent to another thread, but not shared between threads.
///
/// # Examples
///
/// ```
/// use core::mem::MaybeUninit;
/// use heapsmith::{Arena, BufferArena};
///
/// struct Parser<'a> {
///     arena: &'a Arena, // whether in a buffer or not
/// }
///
/// let mut buffer = [MaybeUninit::uninit(); 1024];
/// let mut memory = BufferArena::new(&mut buffer);
/// let parser = Parser { arena: &memory };
/// assert_eq!(parser.arena.alloc_str("text"), "text");
/// memory.reset();
/// ```
pub struct BufferArena<'buffer> {
    /// Dropped by this type's destructor, not after it: the compiler then knows that the destructor
    /// reads the buffer, which must outlive it.
    arena: ManuallyDrop<Arena>,
    buffer: PhantomData<&'buffer mut [MaybeUninit<u8>]>,
}

impl<'buffer> BufferArena<'buffer> {
    /// Creates an arena in a buffer. It never grows. The first 32 bytes, after alignment, are a
    /// header.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::mem::MaybeUninit;
    ///
    /// let mut buffer = [MaybeUninit::uninit(); 1024];
    /// let arena = heapsmith::BufferArena::new(&mut buffer);
    /// assert!(arena.try_alloc([0u8; 900]).is_ok());
    /// assert!(arena.try_alloc([0u8; 900]).is_err());
    /// ```
    pub fn new(buffer: &'buffer mut [MaybeUninit<u8>]) -> Self {
        // SAFETY: there is no upstream.
        Self::over(buffer, unsafe { Bump::new(None) })
    }

    /// Creates an arena that starts in a buffer and then grows with memory of the global allocator.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut buffer = [core::mem::MaybeUninit::uninit(); 256];
    /// let arena = heapsmith::BufferArena::growing(&mut buffer);
    /// arena.alloc(1); // in the buffer
    /// arena.alloc([0u8; 1000]); // in a new piece
    /// assert!(arena.stats().held > 1000);
    /// ```
    #[cfg(feature = "alloc")]
    pub fn growing(buffer: &'buffer mut [MaybeUninit<u8>]) -> Self {
        // SAFETY: the global allocator outlives everything.
        Self::over(buffer, unsafe { Bump::new(Some(crate::upstream::GLOBAL)) })
    }

    fn over(buffer: &'buffer mut [MaybeUninit<u8>], mut bump: Bump) -> Self {
        let bytes = buffer.len();
        // SAFETY: the buffer is borrowed for as long as the arena lives.
        bump.start_in(unsafe { Piece::in_buffer(NonNull::from(buffer).cast(), bytes) });
        Self { arena: ManuallyDrop::new(Arena::over(bump)), buffer: PhantomData }
    }

    fn engine(&mut self) -> &mut Bump {
        self.arena.engine()
    }

    exclusive_methods!();
}

impl Deref for BufferArena<'_> {
    type Target = Arena;

    #[inline(always)]
    fn deref(&self) -> &Arena {
        &self.arena
    }
}

impl fmt::Debug for BufferArena<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BufferArena").field(&**self).finish()
    }
}

impl Drop for BufferArena<'_> {
    fn drop(&mut self) {
        // SAFETY: the arena is dropped here alone, and not used any more.
        unsafe { ManuallyDrop::drop(&mut self.arena) }
    }
}
