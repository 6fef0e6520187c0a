//! The sources that arenas take their pieces from.

mod allocators;

use core::alloc::Layout;
use core::ptr::NonNull;

/// A source of memory for arenas: see [`Arena::new_in`](crate::Arena::new_in).
///
/// An arena asks for few large blocks, its *pieces*, and never while it has room. It gives them
/// back when it is [reset](crate::Arena::reset) or dropped, in any order. All allocators of this
/// crate are upstreams. An arena that is an upstream reuses a piece only if it was its last block.
///
/// # Safety
///
/// A block has the size and the alignment of its layout. It lives until it is deallocated, or as
/// long as the upstream is borrowed. Neither function uses an arena whose upstream this is.
///
/// # Examples
///
/// ```
/// use core::alloc::Layout;
/// use core::cell::Cell;
/// use core::ptr::NonNull;
/// use heapsmith::{Arena, Upstream};
///
/// /// Counts the bytes that are taken from the global allocator.
/// #[derive(Default)]
/// struct Metered(Cell<usize>);
///
/// // SAFETY: the blocks are those of the global allocator. No layout has size 0.
/// unsafe impl Upstream for Metered {
///     fn allocate_piece(&self, layout: Layout) -> Option<NonNull<u8>> {
///         self.0.set(self.0.get() + layout.size());
///         NonNull::new(unsafe { std::alloc::alloc(layout) })
///     }
///     unsafe fn deallocate_piece(&self, piece: NonNull<u8>, layout: Layout) {
///         self.0.set(self.0.get() - layout.size());
///         unsafe { std::alloc::dealloc(piece.as_ptr(), layout) }
///     }
/// }
///
/// let meter = Metered::default();
/// let arena = Arena::new_in(&meter);
/// arena.alloc([0u8; 10_000]);
/// assert!(meter.0.get() >= 10_000);
/// drop(arena);
/// assert_eq!(meter.0.get(), 0);
/// ```
pub unsafe trait Upstream {
    /// Allocates a block for a piece. The layout's size is not 0, and its alignment is 16. `None`
    /// means out of memory.
    fn allocate_piece(&self, layout: Layout) -> Option<NonNull<u8>>;

    /// Frees the block of a piece.
    ///
    /// # Safety
    ///
    /// The block was allocated here with this layout and is not used any more.
    unsafe fn deallocate_piece(&self, piece: NonNull<u8>, layout: Layout);
}

/// The global allocator.
#[cfg(feature = "alloc")]
struct Global;

#[cfg(feature = "alloc")]
pub(crate) const GLOBAL: NonNull<dyn Upstream> = {
    static THE_ONE: Global = Global;
    // SAFETY: the address of a static is not null. Nothing is written through it.
    unsafe { NonNull::new_unchecked((&raw const THE_ONE).cast_mut() as *mut dyn Upstream) }
};

// SAFETY: the promise of the global allocator, which never ends.
#[cfg(feature = "alloc")]
unsafe impl Upstream for Global {
    fn allocate_piece(&self, layout: Layout) -> Option<NonNull<u8>> {
        // SAFETY: the size is not 0.
        NonNull::new(unsafe { alloc::alloc::alloc(layout) })
    }

    unsafe fn deallocate_piece(&self, piece: NonNull<u8>, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { alloc::alloc::dealloc(piece.as_ptr(), layout) }
    }
}
