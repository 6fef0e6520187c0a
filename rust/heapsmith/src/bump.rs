//! The engine of arenas and scopes: a position that moves up through pieces of memory.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use crate::error::AllocError;
use crate::piece::{PIECE_ALIGN, Piece};
use crate::upstream::Upstream;

/// A position of the past. Going back to it ends everything allocated since.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) piece: Option<NonNull<Piece>>,
    pub(crate) at: NonNull<u8>,
}

pub(crate) struct Bump {
    pub(crate) at: Cell<NonNull<u8>>,
    /// A multiple of `PIECE_ALIGN`, never before `at`.
    pub(crate) end: Cell<NonNull<u8>>,
    pub(crate) piece: Cell<Option<NonNull<Piece>>>,
    /// A piece that is a buffer of the caller's, and is not given back.
    pub(crate) buffer: Option<NonNull<Piece>>,
    /// The source of pieces, if the arena grows. It outlives the bump.
    pub(crate) upstream: Option<NonNull<dyn Upstream>>,
    /// The capacity of all pieces, and how much of it new pieces may add up to.
    pub(crate) held: Cell<usize>,
    pub(crate) limit: Cell<usize>,
    /// The number of open checked scopes, one inside the other.
    pub(crate) open_scopes: Cell<u32>,
}

impl Bump {
    /// # Safety
    /// The upstream outlives the bump.
    pub(crate) const unsafe fn new(upstream: Option<NonNull<dyn Upstream>>) -> Self {
        // No piece yet: an empty one that ends where it begins.
        let nowhere = NonNull::<Piece>::dangling().cast::<u8>();
        Self {
            at: Cell::new(nowhere),
            end: Cell::new(nowhere),
            piece: Cell::new(None),
            buffer: None,
            upstream,
            held: Cell::new(0),
            limit: Cell::new(usize::MAX),
            open_scopes: Cell::new(0),
        }
    }

    /// Allocates memory, which nothing else uses until `rewind` goes back to before this call.
    #[inline(always)]
    pub(crate) fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.take(layout).ok_or_else(|| self.no_room(layout))
    }

    /// Like `allocate`, for callers that can return one register, but not an error.
    #[inline(always)]
    pub(crate) fn take(&self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.align() <= PIECE_ALIGN {
            let at = self.at.get().as_ptr();
            // Cannot pass the end, which is a multiple of each of these alignments.
            let start = at.map_addr(|a| (a + (layout.align() - 1)) & !(layout.align() - 1));
            if layout.size() <= self.end.get().addr().get() - start.addr() {
                // SAFETY: [start, start + size) lies in the piece, or is empty at its end.
                unsafe {
                    self.at.set(NonNull::new_unchecked(start.add(layout.size())));
                    return Some(NonNull::new_unchecked(start));
                }
            }
        }
        self.take_slow(layout)
    }

    /// Allocates with a larger alignment, or in another piece.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_slow(&self, layout: Layout) -> Option<NonNull<u8>> {
        if let Some(p) = self.allocate_here(layout) {
            return Some(p);
        }
        // Kept pieces first. One that is too small now would be too small again, so it is freed.
        while let Some(next) = self.next_piece() {
            if Self::fits(next, layout) {
                self.leave();
                self.go_to(next, Piece::start(next));
            } else {
                self.free_after(self.piece.get());
            }
            if let Some(p) = self.allocate_here(layout) {
                return Some(p);
            }
        }
        if !self.grow(layout) {
            return None;
        }
        Some(self.allocate_here(layout).expect("the new piece was made for this layout"))
    }

    /// The error for a layout that was refused.
    #[cold]
    #[inline(never)]
    pub(crate) fn no_room(&self, layout: Layout) -> AllocError {
        AllocError::NoRoom { layout, remaining: self.remaining() }
    }

    fn allocate_here(&self, layout: Layout) -> Option<NonNull<u8>> {
        let at = self.at.get();
        let start = at.addr().get().checked_next_multiple_of(layout.align())?;
        let stop = start.checked_add(layout.size())?;
        if stop > self.end.get().addr().get() {
            return None;
        }
        // SAFETY: both lie in the piece, or at its end.
        unsafe {
            let p = at.add(start - at.addr().get());
            self.at.set(p.add(layout.size()));
            Some(p)
        }
    }

    /// Whether a layout fits in an empty piece, wherever the piece begins.
    fn fits(piece: NonNull<Piece>, layout: Layout) -> bool {
        Self::needed(layout).is_some_and(|bytes| bytes <= Piece::capacity(piece))
    }

    pub(crate) fn needed(layout: Layout) -> Option<usize> {
        layout.size().checked_add(layout.align().saturating_sub(PIECE_ALIGN))
    }

    fn next_piece(&self) -> Option<NonNull<Piece>> {
        // SAFETY: the current piece is valid.
        self.piece.get().and_then(|piece| unsafe { piece.as_ref() }.next.get())
    }

    pub(crate) fn go_to(&self, piece: NonNull<Piece>, at: NonNull<u8>) {
        self.piece.set(Some(piece));
        self.at.set(at);
        // SAFETY: the piece is valid.
        self.end.set(unsafe { piece.as_ref() }.end);
    }

    pub(crate) fn remaining(&self) -> usize {
        self.end.get().addr().get() - self.at.get().addr().get()
    }

    #[inline]
    pub(crate) fn position(&self) -> Position {
        Position { piece: self.piece.get(), at: self.at.get() }
    }

    /// Goes back to a position. The pieces filled since are kept for reuse.
    ///
    /// # Safety
    /// The position is one of this bump's, which has not gone back to before it since. Nothing
    /// allocated after it is used any more.
    #[inline]
    pub(crate) unsafe fn rewind(&self, to: Position) {
        if to.piece == self.piece.get() {
            self.at.set(to.at);
        } else {
            self.rewind_pieces(to);
        }
    }

    /// Resizes the last block in place. `None`: it is not the last block, or there is no room.
    ///
    /// # Safety
    /// The block of `old` bytes at `p` is one of this bump's.
    #[inline]
    pub(crate) unsafe fn resize_last(
        &self,
        p: NonNull<u8>,
        old: usize,
        new: usize,
    ) -> Option<NonNull<u8>> {
        let at = self.at.get();
        let is_last = p.addr().get() + old == at.addr().get();
        if !is_last || new > self.end.get().addr().get() - p.addr().get() {
            return None;
        }
        // The result is derived from the bump's own pointer: the caller's may come from a
        // reference, which can be used for `old` bytes only. SAFETY: within the piece, as just
        // checked.
        unsafe {
            let p = at.sub(old);
            self.at.set(p.add(new));
            Some(p)
        }
    }

    /// Resizes a block in place or moves it, and keeps its contents.
    ///
    /// # Safety
    /// The block is this bump's, has the layout `old`, and no other pointer to it is used.
    #[inline]
    pub(crate) unsafe fn reallocate(
        &self,
        p: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        if is_aligned(p, new) {
            // SAFETY: the caller's promise.
            if let Some(p) = unsafe { self.resize_last(p, old.size(), new.size()) } {
                return Ok(p);
            }
            if new.size() <= old.size() {
                return Ok(p);
            }
        }
        let to = self.allocate(new)?;
        // SAFETY: both have so many bytes. The new block does not overlap the old one.
        unsafe { p.copy_to_nonoverlapping(to, old.size().min(new.size())) };
        Ok(to)
    }
}

#[inline]
pub(crate) fn is_aligned(p: NonNull<u8>, layout: Layout) -> bool {
    p.addr().get() & (layout.align() - 1) == 0
}
