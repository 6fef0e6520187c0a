//! Operations on all pieces of an arena: going back over several, resetting, counting bytes.

use core::fmt;
use core::iter::FusedIterator;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::bump::{Bump, Position};
use crate::piece::Piece;

/// An iterator over the memory of an arena, made by [`Arena::pieces`](crate::Arena::pieces).
///
/// # Examples
///
/// ```
/// let mut arena = heapsmith::Arena::new();
/// arena.alloc_slice_fill(5000, 1u8);
/// arena.alloc_slice_fill(10000, 2u8);
/// let lengths: Vec<usize> = arena.pieces().map(|piece| piece.len()).collect();
/// assert_eq!(lengths.len(), 2);
/// ```
pub struct Pieces<'a> {
    bump: &'a Bump,
    next: Option<NonNull<Piece>>,
}

// SAFETY: the iterator has the arena for itself, which can be sent.
unsafe impl Send for Pieces<'_> {}

impl<'a> Pieces<'a> {
    pub(crate) fn new(bump: &'a mut Bump) -> Self {
        let next = bump.first_piece();
        Self { bump, next }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a [MaybeUninit<u8>];

    fn next(&mut self) -> Option<&'a [MaybeUninit<u8>]> {
        let piece = self.next?;
        // SAFETY: linked pieces are valid.
        let links = unsafe { piece.as_ref() };
        let is_last = self.bump.piece.get() == Some(piece);
        self.next = if is_last { None } else { links.next.get() };
        let end = if is_last { self.bump.at.get() } else { links.filled.get() };
        let first = Piece::start(piece).cast::<MaybeUninit<u8>>();
        let len = end.addr().get() - first.addr().get();
        // SAFETY: so many bytes lie in the piece, and while the arena is borrowed exclusively,
        // nothing writes to them.
        Some(unsafe { NonNull::slice_from_raw_parts(first, len).as_ref() })
    }
}

impl FusedIterator for Pieces<'_> {}

impl fmt::Debug for Pieces<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pieces").field("is_done", &self.next.is_none()).finish_non_exhaustive()
    }
}

impl Bump {
    #[cold]
    pub(crate) fn rewind_pieces(&self, to: Position) {
        match to.piece.or_else(|| self.first_piece()) {
            Some(piece) if to.piece.is_none() => self.go_to(piece, Piece::start(piece)),
            Some(piece) => self.go_to(piece, to.at),
            None => {}
        }
    }

    fn first_piece(&self) -> Option<NonNull<Piece>> {
        let mut piece = self.piece.get()?;
        // SAFETY: linked pieces are valid.
        while let Some(previous) = unsafe { piece.as_ref() }.previous.get() {
            piece = previous;
        }
        Some(piece)
    }

    fn last_piece(&self) -> Option<NonNull<Piece>> {
        let mut piece = self.piece.get()?;
        // SAFETY: linked pieces are valid.
        while let Some(next) = unsafe { piece.as_ref() }.next.get() {
            piece = next;
        }
        Some(piece)
    }

    /// The same position, if it lies in allocated memory. The result is derived from the bump's own
    /// pointers: the caller's may be those of a freed piece at the same address.
    pub(crate) fn own(&self, position: Position) -> Option<Position> {
        let Some(wanted) = position.piece else { return Some(position) }; // before the first piece
        let mut piece = self.piece.get();
        let mut top = self.at.get();
        while let Some(p) = piece {
            if p == wanted {
                let start = Piece::start(p);
                let bytes = position.at.addr().get().checked_sub(start.addr().get())?;
                // SAFETY: not after `top`, which lies in the piece.
                let at = (position.at <= top).then(|| unsafe { start.add(bytes) })?;
                return Some(Position { piece: Some(p), at });
            }
            // SAFETY: linked pieces are valid.
            piece = unsafe { p.as_ref() }.previous.get();
            // SAFETY: as above.
            top = piece.map_or(top, |p| unsafe { p.as_ref() }.end);
        }
        None
    }

    /// Ends everything and keeps the largest piece only. A program that fills and resets an arena
    /// in rounds thus needs fewer pieces each time, and one in the end.
    pub(crate) fn reset(&mut self) {
        let Some(first) = self.first_piece() else { return };
        let mut largest = first;
        let mut piece = Some(first);
        while let Some(p) = piece {
            if Piece::capacity(p) > Piece::capacity(largest) {
                largest = p;
            }
            // SAFETY: linked pieces are valid.
            piece = unsafe { p.as_ref() }.next.get();
        }
        self.free_all_but(Some(largest));
        self.go_to(largest, Piece::start(largest));
    }

    /// Frees the newest piece first, so that an upstream that is an arena can reuse the memory.
    pub(crate) fn free_all_but(&mut self, kept: Option<NonNull<Piece>>) {
        let mut piece = self.last_piece();
        while let Some(p) = piece {
            // SAFETY: linked pieces are valid until they are freed, which happens once.
            unsafe {
                piece = p.as_ref().previous.get();
                if Some(p) == kept {
                    p.as_ref().previous.set(None);
                    p.as_ref().next.set(None);
                } else {
                    self.free(p);
                }
            }
        }
    }

    /// Frees the kept piece after `piece` and unlinks it.
    pub(crate) fn free_after(&self, piece: Option<NonNull<Piece>>) {
        let Some(piece) = piece else { return };
        // SAFETY: linked pieces are valid; kept ones are empty.
        unsafe {
            let Some(freed) = piece.as_ref().next.get() else { return };
            let after = freed.as_ref().next.get();
            piece.as_ref().next.set(after);
            if let Some(after) = after {
                after.as_ref().previous.set(Some(piece));
            }
            self.free(freed);
        }
    }

    /// The bytes of all pieces, and how many of them lie before the position.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let (mut held, mut used) = (0, 0);
        let mut piece = self.first_piece();
        let mut is_behind = false;
        while let Some(p) = piece {
            let capacity = Piece::capacity(p);
            held += capacity;
            if Some(p) == self.piece.get() {
                used += capacity - self.remaining();
                is_behind = true;
            } else if !is_behind {
                used += capacity;
            }
            // SAFETY: linked pieces are valid.
            piece = unsafe { p.as_ref() }.next.get();
        }
        debug_assert_eq!(held, self.held.get());
        (held, used)
    }
}
