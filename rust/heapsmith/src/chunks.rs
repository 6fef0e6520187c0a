//! What an arena does with its chunks as a whole: going back over several, starting over, figures.

use core::ptr::NonNull;

use crate::bump::{Bump, Position};
use crate::chunk::Chunk;

impl Bump {
    #[cold]
    pub(crate) fn rewind_chunks(&self, to: Position) {
        match to.chunk.or_else(|| self.first_chunk()) {
            Some(chunk) if to.chunk.is_none() => self.go_to(chunk, Chunk::start(chunk)),
            Some(chunk) => self.go_to(chunk, to.at),
            None => {}
        }
    }

    fn first_chunk(&self) -> Option<NonNull<Chunk>> {
        let mut chunk = self.chunk.get()?;
        // SAFETY: linked chunks are valid.
        while let Some(previous) = unsafe { chunk.as_ref() }.previous.get() {
            chunk = previous;
        }
        Some(chunk)
    }

    /// The position if it can be gone back to, for it lies in what has been allocated. By pointers of
    /// ours: the caller's may be those of a chunk that was freed, at the same address.
    pub(crate) fn own(&self, position: Position) -> Option<Position> {
        let Some(wanted) = position.chunk else { return Some(position) }; // before the first chunk
        let mut chunk = self.chunk.get();
        let mut top = self.at.get();
        while let Some(c) = chunk {
            if c == wanted {
                let start = Chunk::start(c);
                let bytes = position.at.addr().get().checked_sub(start.addr().get())?;
                // SAFETY: not after `top`, which lies in the chunk.
                let at = (position.at <= top).then(|| unsafe { start.add(bytes) })?;
                return Some(Position { chunk: Some(c), at });
            }
            // SAFETY: linked chunks are valid.
            chunk = unsafe { c.as_ref() }.previous.get();
            // SAFETY: as above.
            top = chunk.map_or(top, |c| unsafe { c.as_ref() }.end);
        }
        None
    }

    /// Ends everything. One chunk is kept, the largest: a program that does the same again needs
    /// fewer chunks each time, and one in the end.
    pub(crate) fn reset(&mut self) {
        let Some(first) = self.first_chunk() else { return };
        let mut largest = first;
        let mut chunk = Some(first);
        while let Some(c) = chunk {
            if Chunk::capacity(c) > Chunk::capacity(largest) {
                largest = c;
            }
            // SAFETY: linked chunks are valid.
            chunk = unsafe { c.as_ref() }.next.get();
        }
        self.free_all_but(Some(largest));
        self.go_to(largest, Chunk::start(largest));
    }

    pub(crate) fn free_all_but(&mut self, kept: Option<NonNull<Chunk>>) {
        let mut chunk = self.first_chunk();
        while let Some(c) = chunk {
            // SAFETY: linked chunks are valid until freed, and each is freed once.
            unsafe {
                chunk = c.as_ref().next.get();
                if Some(c) == kept {
                    c.as_ref().previous.set(None);
                    c.as_ref().next.set(None);
                } else {
                    Chunk::free(c);
                }
            }
        }
    }

    /// Frees the kept chunk that comes after `chunk`, and links past it.
    pub(crate) fn free_after(&self, chunk: Option<NonNull<Chunk>>) {
        let Some(chunk) = chunk else { return };
        // SAFETY: linked chunks are valid; what is kept holds nothing.
        unsafe {
            let Some(dropped) = chunk.as_ref().next.get() else { return };
            let after = dropped.as_ref().next.get();
            chunk.as_ref().next.set(after);
            if let Some(after) = after {
                after.as_ref().previous.set(Some(chunk));
            }
            Chunk::free(dropped);
        }
    }

    /// Bytes of all chunks, and how many of them lie before the position.
    pub(crate) fn bytes(&self) -> (usize, usize) {
        let (mut held, mut used) = (0, 0);
        let mut chunk = self.first_chunk();
        let mut is_behind = false;
        while let Some(c) = chunk {
            let capacity = Chunk::capacity(c);
            held += capacity;
            if Some(c) == self.chunk.get() {
                used += capacity - self.remaining();
                is_behind = true;
            } else if !is_behind {
                used += capacity;
            }
            // SAFETY: linked chunks are valid.
            chunk = unsafe { c.as_ref() }.next.get();
        }
        (held, used)
    }
}
