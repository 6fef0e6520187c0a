//! A piece of memory that an arena allocates from, with a header in front.

use core::cell::Cell;
use core::ptr::NonNull;

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
    /// Whether the piece is freed with the global allocator; otherwise it is a caller's buffer.
    owned: bool,
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
        unsafe { Some(Self::write(buffer.add(skip), usable, None, false)) }
    }

    /// # Safety
    /// Nothing else uses the `bytes` bytes at `at`. Both are multiples of `PIECE_ALIGN`.
    unsafe fn write(
        at: NonNull<u8>,
        bytes: usize,
        previous: Option<NonNull<Self>>,
        owned: bool,
    ) -> NonNull<Self> {
        let piece = at.cast::<Self>();
        // SAFETY: the caller's promise. `bytes` includes the header.
        unsafe {
            piece.write(Self {
                previous: Cell::new(previous),
                next: Cell::new(None),
                end: at.add(bytes),
                owned,
            });
        }
        piece
    }
}

#[cfg(feature = "alloc")]
mod owned {
    use super::*;
    use alloc::alloc::{Layout, alloc, dealloc};

    impl Piece {
        /// Allocates a piece with at least `capacity` bytes to allocate from. `None`: out of
        /// memory, or the piece would be larger than any object may be.
        pub(crate) fn allocate(
            capacity: usize,
            previous: Option<NonNull<Self>>,
        ) -> Option<NonNull<Self>> {
            let bytes = capacity.checked_add(HEADER)?.checked_next_multiple_of(PIECE_ALIGN)?;
            let layout = Layout::from_size_align(bytes, PIECE_ALIGN).ok()?;
            // SAFETY: the layout has at least the size of a header.
            let at = NonNull::new(unsafe { alloc(layout) })?;
            if at.addr().get() > usize::MAX - HEADROOM - bytes {
                // SAFETY: the block was just allocated.
                unsafe { dealloc(at.as_ptr(), layout) };
                return None;
            }
            // SAFETY: the memory is new. Its size and alignment are multiples of PIECE_ALIGN.
            unsafe { Some(Self::write(at, bytes, previous, true)) }
        }

        /// Frees a piece, unless it is a buffer.
        ///
        /// # Safety
        /// Neither the piece nor anything in it is used any more.
        pub(crate) unsafe fn free(piece: NonNull<Self>) {
            // SAFETY: pieces are valid until they are freed.
            let Self { end, owned, .. } = unsafe { piece.as_ref() };
            if !owned {
                return;
            }
            let bytes = end.addr().get() - piece.addr().get();
            // SAFETY: the layout with which the piece was allocated.
            unsafe {
                dealloc(
                    piece.as_ptr().cast(),
                    Layout::from_size_align_unchecked(bytes, PIECE_ALIGN),
                );
            }
        }
    }
}

#[cfg(not(feature = "alloc"))]
impl Piece {
    pub(crate) fn allocate(_: usize, _: Option<NonNull<Self>>) -> Option<NonNull<Self>> {
        None
    }

    /// # Safety
    /// None: every piece is a buffer.
    pub(crate) unsafe fn free(_: NonNull<Self>) {}
}
