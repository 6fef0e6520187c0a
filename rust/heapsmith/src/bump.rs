//! The engine of arenas and scopes: a position that moves up through chunks.

use core::alloc::Layout;
use core::cell::Cell;
use core::ptr::NonNull;

use crate::chunk::{CHUNK_ALIGN, Chunk, HEADER};
use crate::error::AllocError;

/// Bytes of an arena's first chunk, header and all; each further chunk is twice as large, up to
/// `LARGEST_STEP`.
const FIRST_CHUNK: usize = 4096;
const LARGEST_STEP: usize = 1 << 22;

/// Where allocation was at some time; going back there ends all that was allocated since.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) chunk: Option<NonNull<Chunk>>,
    pub(crate) at: NonNull<u8>,
}

pub(crate) struct Bump {
    pub(crate) at: Cell<NonNull<u8>>,
    /// A multiple of `CHUNK_ALIGN`, never before `at`.
    pub(crate) end: Cell<NonNull<u8>>,
    pub(crate) chunk: Cell<Option<NonNull<Chunk>>>,
    grows: bool,
    /// How many checked scopes are open, one inside the other.
    pub(crate) open_scopes: Cell<u32>,
}

impl Bump {
    pub(crate) const fn new(grows: bool) -> Self {
        // No chunk: an empty one that ends where it begins.
        let nowhere = NonNull::<Chunk>::dangling().cast::<u8>();
        Self {
            at: Cell::new(nowhere),
            end: Cell::new(nowhere),
            chunk: Cell::new(None),
            grows,
            open_scopes: Cell::new(0),
        }
    }

    pub(crate) fn over(chunk: Option<NonNull<Chunk>>, grows: bool) -> Self {
        let bump = Self::new(grows);
        if let Some(chunk) = chunk {
            bump.go_to(chunk, Chunk::start(chunk));
        }
        bump
    }

    /// Memory of a layout, which nobody else has until `rewind` goes back to before this call.
    #[inline(always)]
    pub(crate) fn allocate(&self, layout: Layout) -> Result<NonNull<u8>, AllocError> {
        self.take(layout).ok_or_else(|| self.no_room(layout))
    }

    /// The same, for callers that have a register left for the answer but none for a reason.
    #[inline(always)]
    pub(crate) fn take(&self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.align() <= CHUNK_ALIGN {
            let at = self.at.get().as_ptr();
            // Cannot pass the end: that is a multiple of all these alignments.
            let start = at.map_addr(|a| (a + (layout.align() - 1)) & !(layout.align() - 1));
            if layout.size() <= self.end.get().addr().get() - start.addr() {
                // SAFETY: [start, start + size) lies in the chunk, or is empty at its end.
                unsafe {
                    self.at.set(NonNull::new_unchecked(start.add(layout.size())));
                    return Some(NonNull::new_unchecked(start));
                }
            }
        }
        self.take_slowly(layout)
    }

    /// Larger alignments, and what the chunk has no room for.
    #[cold]
    #[inline(never)]
    pub(crate) fn take_slowly(&self, layout: Layout) -> Option<NonNull<u8>> {
        if let Some(p) = self.allocate_here(layout) {
            return Some(p);
        }
        // Kept chunks first; one that is too small now will be so again, so it goes.
        while let Some(next) = self.next_chunk() {
            if Self::fits(next, layout) {
                self.go_to(next, Chunk::start(next));
            } else {
                self.free_after(self.chunk.get());
            }
            if let Some(p) = self.allocate_here(layout) {
                return Some(p);
            }
        }
        if !self.grow(layout) {
            return None;
        }
        Some(self.allocate_here(layout).expect("a new chunk has room for what it was made for"))
    }

    /// Why a layout was refused.
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
        // SAFETY: both lie in the chunk, or at its end.
        unsafe {
            let p = at.add(start - at.addr().get());
            self.at.set(p.add(layout.size()));
            Some(p)
        }
    }

    /// Whether a layout fits into a chunk that is empty, wherever it begins.
    fn fits(chunk: NonNull<Chunk>, layout: Layout) -> bool {
        Self::needed(layout).is_some_and(|bytes| bytes <= Chunk::capacity(chunk))
    }

    fn needed(layout: Layout) -> Option<usize> {
        layout.size().checked_add(layout.align().saturating_sub(CHUNK_ALIGN))
    }

    fn next_chunk(&self) -> Option<NonNull<Chunk>> {
        // SAFETY: the current chunk is valid.
        self.chunk.get().and_then(|chunk| unsafe { chunk.as_ref() }.next.get())
    }

    fn grow(&self, layout: Layout) -> bool {
        let (true, Some(needed)) = (self.grows, Self::needed(layout)) else { return false };
        let last = self.chunk.get();
        let step = last.map_or(FIRST_CHUNK, |chunk| {
            (Chunk::capacity(chunk) + HEADER).saturating_mul(2).clamp(FIRST_CHUNK, LARGEST_STEP)
        });
        let Some(chunk) = Chunk::allocate(needed.max(step - HEADER), last)
            .or_else(|| Chunk::allocate(needed, last))
        else {
            return false;
        };
        if let Some(last) = last {
            // SAFETY: the current chunk is valid.
            unsafe { last.as_ref() }.next.set(Some(chunk));
        }
        self.go_to(chunk, Chunk::start(chunk));
        true
    }

    pub(crate) fn go_to(&self, chunk: NonNull<Chunk>, at: NonNull<u8>) {
        self.chunk.set(Some(chunk));
        self.at.set(at);
        // SAFETY: the chunk is valid.
        self.end.set(unsafe { chunk.as_ref() }.end);
    }

    pub(crate) fn remaining(&self) -> usize {
        self.end.get().addr().get() - self.at.get().addr().get()
    }

    #[inline]
    pub(crate) fn position(&self) -> Position {
        Position { chunk: self.chunk.get(), at: self.at.get() }
    }

    /// Goes back; the chunks filled since are kept to go on with.
    ///
    /// # Safety
    /// The position is one of this bump's, which has not gone back to before it since; nothing
    /// refers to what was allocated after it.
    #[inline]
    pub(crate) unsafe fn rewind(&self, to: Position) {
        if to.chunk == self.chunk.get() {
            self.at.set(to.at);
        } else {
            self.rewind_chunks(to);
        }
    }

    /// Makes the last allocated block larger or smaller where it is. False: it is not the last, or
    /// there is no room.
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
        // By our own pointer: the caller's may be of a reference, and good for `old` bytes only.
        // SAFETY: within the chunk, as just seen.
        unsafe {
            let p = at.sub(old);
            self.at.set(p.add(new));
            Some(p)
        }
    }

    /// Resizes a block where it is or moves it; the first bytes stay, as many as both have.
    ///
    /// # Safety
    /// The block is this bump's, of layout `old`, and nothing else refers to it.
    #[inline]
    pub(crate) unsafe fn reallocate(
        &self,
        p: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        if is_aligned(p, new) {
            // SAFETY: the caller's.
            if let Some(p) = unsafe { self.resize_last(p, old.size(), new.size()) } {
                return Ok(p);
            }
            if new.size() <= old.size() {
                return Ok(p);
            }
        }
        let to = self.allocate(new)?;
        // SAFETY: both have so many bytes; the new block is nobody else's, so they are apart.
        unsafe { p.copy_to_nonoverlapping(to, old.size().min(new.size())) };
        Ok(to)
    }
}

#[inline]
pub(crate) fn is_aligned(p: NonNull<u8>, layout: Layout) -> bool {
    p.addr().get() & (layout.align() - 1) == 0
}
