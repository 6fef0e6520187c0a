//! The name of a heap, in a block of the process's heap.

use core::alloc::Layout;
use core::ops::Deref;
use core::ptr::NonNull;

use super::global::Heapsmith;
use super::source::Source;
use crate::error::AllocError;
use crate::fill::dangling;

pub(super) struct Name {
    bytes: NonNull<[u8]>, // a block of their own, valid UTF-8
}

impl Name {
    pub(super) fn copy_of(text: &str) -> Result<Self, AllocError> {
        let layout = Layout::for_value(text);
        let block = match layout.size() {
            0 => dangling(layout),
            _ => NonNull::new(Heapsmith.allocate(layout))
                .ok_or(AllocError::OutOfMemory { layout })?,
        };
        // SAFETY: the block is new and has room for the text.
        unsafe { block.as_ptr().copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        Ok(Self { bytes: NonNull::slice_from_raw_parts(block, text.len()) })
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        // SAFETY: the bytes are those of a `str`.
        unsafe { core::str::from_utf8_unchecked(self.bytes.as_ref()) }
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let layout = Layout::for_value::<str>(self);
        if layout.size() != 0 {
            // SAFETY: the block was allocated with this layout, and is not used any more.
            unsafe { Heapsmith.free(self.bytes.cast().as_ptr(), layout) }
        }
    }
}
