//! How arenas begin, grow, and give pieces back.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bump::Bump;
use crate::piece::{HEADER, PIECE_ALIGN, Piece};
use crate::upstream::Upstream;

/// Bytes of an arena's first piece, with its header. Each further piece is twice as large, up to
/// `LARGEST_STEP`.
const FIRST_PIECE: usize = 4096;
const LARGEST_STEP: usize = 1 << 22;

impl Bump {
    /// Begins with a buffer, unless it was too small for a piece.
    pub(crate) fn start_in(&mut self, buffer: Option<NonNull<Piece>>) {
        self.buffer = buffer;
        if let Some(piece) = buffer {
            self.start(piece);
        }
    }

    /// Begins with a piece of at least `capacity` bytes. Returns `false` if upstream has none.
    pub(crate) fn start_with(&mut self, capacity: usize) -> bool {
        let piece = self.upstream().and_then(|upstream| Piece::take(upstream, capacity, None));
        if let Some(piece) = piece {
            self.start(piece);
        }
        piece.is_some()
    }

    fn start(&self, piece: NonNull<Piece>) {
        self.held.set(Piece::capacity(piece));
        self.go_to(piece, Piece::start(piece));
    }

    fn upstream(&self) -> Option<&dyn Upstream> {
        // SAFETY: the upstream outlives the bump.
        self.upstream.map(|upstream| unsafe { upstream.as_ref() })
    }

    /// # Safety
    /// The piece is this bump's and is no longer linked, and nothing in it is used any more.
    pub(crate) unsafe fn free(&self, piece: NonNull<Piece>) {
        self.held.set(self.held.get() - Piece::capacity(piece));
        if let (true, Some(upstream)) = (self.buffer != Some(piece), self.upstream()) {
            // SAFETY: the caller's promise. Every other piece comes from upstream.
            unsafe { Piece::give_back(piece, upstream) }
        }
    }

    pub(crate) fn grow(&self, layout: Layout) -> bool {
        let (Some(upstream), Some(needed)) = (self.upstream(), Self::needed(layout)) else {
            return false;
        };
        // A multiple of PIECE_ALIGN, to which the capacity of a piece is rounded up.
        let room = self.limit.get().saturating_sub(self.held.get()) / PIECE_ALIGN * PIECE_ALIGN;
        if needed > room {
            return false;
        }
        let last = self.piece.get();
        let step = last.map_or(FIRST_PIECE, |piece| {
            (Piece::capacity(piece) + HEADER).saturating_mul(2).clamp(FIRST_PIECE, LARGEST_STEP)
        });
        let Some(piece) = Piece::take(upstream, needed.max(step - HEADER).min(room), last)
            .or_else(|| Piece::take(upstream, needed, last))
        else {
            return false;
        };
        if let Some(last) = last {
            // SAFETY: the current piece is valid.
            unsafe { last.as_ref() }.next.set(Some(piece));
        }
        self.held.set(self.held.get() + Piece::capacity(piece));
        self.leave();
        self.go_to(piece, Piece::start(piece));
        true
    }

    /// Notes where the current piece ends, before a later one is filled.
    pub(crate) fn leave(&self) {
        if let Some(piece) = self.piece.get() {
            // SAFETY: the current piece is valid.
            unsafe { piece.as_ref() }.filled.set(self.at.get());
        }
    }
}
