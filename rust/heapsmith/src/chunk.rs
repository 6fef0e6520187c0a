//! The memory an arena allocates from: chunks in the order in which they were filled.

use core::cell::Cell;
use core::ptr::NonNull;

/// Chunks begin and end at multiples of this many bytes, so that aligning a position to anything up
/// to it cannot pass the end.
pub(crate) const CHUNK_ALIGN: usize = 16;

/// No chunk ends nearer than this to the end of all addresses: a place in a chunk and so many bytes
/// are added without overflow.
pub(crate) const NEAR: usize = 1 << 16;

/// What stands at the start of each chunk; the bytes to allocate from follow it.
#[repr(C, align(16))]
pub(crate) struct Chunk {
    /// The chunk that was filled before this one.
    pub(crate) previous: Cell<Option<NonNull<Chunk>>>,
    /// A chunk to go on with: kept from a time when the arena was fuller.
    pub(crate) next: Cell<Option<NonNull<Chunk>>>,
    /// The first byte behind the chunk.
    pub(crate) end: NonNull<u8>,
    /// Whether the chunk is memory of the global allocator, which it goes back to.
    owned: bool,
}

pub(crate) const HEADER: usize = size_of::<Chunk>();

impl Chunk {
    /// The first byte to allocate from.
    pub(crate) fn start(chunk: NonNull<Self>) -> NonNull<u8> {
        // SAFETY: a chunk is larger than its header.
        unsafe { chunk.cast::<u8>().add(HEADER) }
    }

    /// How many bytes the chunk has to allocate from.
    pub(crate) fn capacity(chunk: NonNull<Self>) -> usize {
        // SAFETY: the caller's chunk is valid, as every `NonNull<Chunk>` in this crate.
        let end = unsafe { chunk.as_ref() }.end;
        end.addr().get() - Self::start(chunk).addr().get()
    }

    /// Makes a chunk of a buffer that outlives it. `None`: there is no room for a header.
    ///
    /// # Safety
    /// The `bytes` bytes from `buffer` on are the caller's to give away.
    pub(crate) unsafe fn in_buffer(buffer: NonNull<u8>, bytes: usize) -> Option<NonNull<Self>> {
        let skip = buffer.align_offset(CHUNK_ALIGN);
        if bytes < skip {
            return None;
        }
        let addressable = (usize::MAX - NEAR).checked_sub(buffer.addr().get() + skip)?;
        let usable = (bytes - skip).min(addressable) / CHUNK_ALIGN * CHUNK_ALIGN;
        if usable < HEADER {
            return None;
        }
        // SAFETY: `skip + usable` is at most `bytes`.
        unsafe { Some(Self::write(buffer.add(skip), usable, None, false)) }
    }

    /// # Safety
    /// `bytes` bytes from `at` on are nobody else's, and both are multiples of `CHUNK_ALIGN`.
    unsafe fn write(
        at: NonNull<u8>,
        bytes: usize,
        previous: Option<NonNull<Self>>,
        owned: bool,
    ) -> NonNull<Self> {
        let chunk = at.cast::<Self>();
        // SAFETY: the caller's; a header fits, for `bytes` includes it.
        unsafe {
            chunk.write(Self {
                previous: Cell::new(previous),
                next: Cell::new(None),
                end: at.add(bytes),
                owned,
            });
        }
        chunk
    }
}

#[cfg(feature = "alloc")]
mod owned {
    use super::*;
    use alloc::alloc::{Layout, alloc, dealloc};

    impl Chunk {
        /// A new chunk of at least `capacity` bytes to allocate from, all inclusive no larger than
        /// any object may be. `None`: the global allocator has none.
        pub(crate) fn allocate(
            capacity: usize,
            previous: Option<NonNull<Self>>,
        ) -> Option<NonNull<Self>> {
            let bytes = capacity.checked_add(HEADER)?.checked_next_multiple_of(CHUNK_ALIGN)?;
            let layout = Layout::from_size_align(bytes, CHUNK_ALIGN).ok()?;
            // SAFETY: the layout has a header's size at least.
            let at = NonNull::new(unsafe { alloc(layout) })?;
            if at.addr().get() > usize::MAX - NEAR - bytes {
                // SAFETY: the block just allocated.
                unsafe { dealloc(at.as_ptr(), layout) };
                return None;
            }
            // SAFETY: the memory is new; size and alignment are multiples of CHUNK_ALIGN.
            unsafe { Some(Self::write(at, bytes, previous, true)) }
        }

        /// Gives a chunk back, if it is not in a buffer.
        ///
        /// # Safety
        /// Nothing refers to the chunk or to memory in it any more.
        pub(crate) unsafe fn free(chunk: NonNull<Self>) {
            // SAFETY: chunks stay valid until here.
            let Self { end, owned, .. } = unsafe { chunk.as_ref() };
            if !owned {
                return;
            }
            let bytes = end.addr().get() - chunk.addr().get();
            // SAFETY: the layout is the one it was allocated with.
            unsafe {
                dealloc(
                    chunk.as_ptr().cast(),
                    Layout::from_size_align_unchecked(bytes, CHUNK_ALIGN),
                );
            }
        }
    }
}

#[cfg(not(feature = "alloc"))]
impl Chunk {
    pub(crate) fn allocate(_: usize, _: Option<NonNull<Self>>) -> Option<NonNull<Self>> {
        None
    }

    /// # Safety
    /// None: there is nowhere to give it to.
    pub(crate) unsafe fn free(_: NonNull<Self>) {}
}
