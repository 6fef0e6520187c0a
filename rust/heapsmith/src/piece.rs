//! A piece of memory that an arena allocates from, with a header in front.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use crate::upstream::Upstream;

/// Pieces begin and end at multiples of this many bytes, so aligning a position to at most this
/// cannot pass the end.
pub(crate) const PIECE_ALIGN: usize = 16;

/// A piece ends at least this many bytes before the end of the address space, so adding up to this
/// many to a position cannot overflow.
pub(crate) const HEADROOM: usize = 1 << 16;

/// The header of a piece, followed by the bytes to allocate from.
#[repr(C, align(16))]
pub(crate) struct Piece {
    /// The piece that was filled before this one.
    pub(crate) previous: Cell<Option<NonNull<Piece>>>,
    /// The piece to fill next, kept from a time when the arena was fuller.
    pub(crate) next: Cell<Option<NonNull<Piece>>>,
    /// The first byte behind the piece.
    pub(crate) end: NonNull<u8>,
    /// Where filling stopped, while a later piece is filled.
    pub(crate) filled: Cell<NonNull<u8>>,
}

pub(crate) const HEADER: usize = size_of::<Piece>();

impl Piece {
    /// The first byte to allocate from.
    pub(crate) fn start(piece: NonNull<Self>) -> NonNull<u8> {
        // SAFETY: a piece is larger than its header.
        unsafe { piece.cast::<u8>().add(HEADER) }
    }

    /// The number of bytes to allocate from.
    pub(crate) fn capacity(piece: NonNull<Self>) -> usize {
        // SAFETY: every `NonNull<Piece>` in this crate is valid.
        let end = unsafe { piece.as_ref() }.end;
        end.addr().get() - Self::start(piece).addr().get()
    }

    /// Makes a piece of a buffer. `None`: it has no room for a header.
    ///
    /// # Safety
    /// The buffer's `bytes` bytes outlive the piece, and nothing else uses them.
    pub(crate) unsafe fn in_buffer(buffer: NonNull<u8>, bytes: usize) -> Option<NonNull<Self>> {
        let skip = buffer.align_offset(PIECE_ALIGN);
        if bytes < skip {
            return None;
        }
        let addressable = (usize::MAX - HEADROOM).checked_sub(buffer.addr().get() + skip)?;
        let usable = (bytes - skip).min(addressable) / PIECE_ALIGN * PIECE_ALIGN;
        if usable < HEADER {
            return None;
        }
        // SAFETY: `skip + usable` is at most `bytes`.
        unsafe { Some(Self::write(buffer.add(skip), usable, None)) }
    }

    /// # Safety
    /// Nothing else uses the `bytes` bytes at `at`. Both are multiples of `PIECE_ALIGN`.
    unsafe fn write(
        at: NonNull<u8>,
        bytes: usize,
        previous: Option<NonNull<Self>>,
    ) -> NonNull<Self> {
        let piece = at.cast::<Self>();
        // SAFETY: the caller's promise. `bytes` includes the header.
        unsafe {
            piece.write(Self {
                previous: Cell::new(previous),
                next: Cell::new(None),
                end: at.add(bytes),
                filled: Cell::new(at),
            });
        }
        piece
    }

    /// Takes a piece with at least `capacity` bytes to allocate from. `None`: upstream is out of
    /// memory, or the piece would be larger than any object may be.
    pub(crate) fn take(
        upstream: &dyn Upstream,
        capacity: usize,
        previous: Option<NonNull<Self>>,
    ) -> Option<NonNull<Self>> {
        let bytes = capacity.checked_add(HEADER)?.checked_next_multiple_of(PIECE_ALIGN)?;
        let layout = Layout::from_size_align(bytes, PIECE_ALIGN).ok()?;
        let at = upstream.allocate_piece(layout)?;
        if at.addr().get() > usize::MAX - HEADROOM - bytes {
            // SAFETY: the block was just allocated, with this layout.
            unsafe { upstream.deallocate_piece(at, layout) };
            return None;
        }
        // SAFETY: the memory is new. Its size and alignment are multiples of PIECE_ALIGN.
        unsafe { Some(Self::write(at, bytes, previous)) }
    }

    /// Gives a piece back.
    ///
    /// # Safety
    /// The piece was taken from this upstream. Neither it nor anything in it is used any more.
    pub(crate) unsafe fn give_back(piece: NonNull<Self>, upstream: &dyn Upstream) {
        // SAFETY: pieces are valid until they are given back.
        let bytes = unsafe { piece.as_ref() }.end.addr().get() - piece.addr().get();
        // SAFETY: the layout with which the piece was taken.
        unsafe {
            let layout = Layout::from_size_align_unchecked(bytes, PIECE_ALIGN);
            upstream.deallocate_piece(piece.cast(), layout);
        }
    }
}
