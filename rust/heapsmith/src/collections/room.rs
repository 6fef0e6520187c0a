//! Where a collection grows: an arena or scope that has no open child.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bump::Bump;
use crate::error::AllocError;

/// The engine of a collection's arena or scope. While the collection borrows it, a child can be
/// opened only in a checked scope, which the depth reveals.
#[derive(Clone, Copy)]
pub struct Room<'grow> {
    bump: &'grow Bump,
    depth: u32,
}

impl<'grow> Room<'grow> {
    /// `depth` is the number of checked scopes that are open while the collection's is the
    /// innermost.
    pub(crate) fn new(bump: &'grow Bump, depth: u32) -> Self {
        Self { bump, depth }
    }

    /// By value, as the other functions: the compiler may then keep a collection in registers.
    pub(crate) fn bump(self) -> Result<&'grow Bump, AllocError> {
        if self.bump.open_scopes.get() == self.depth {
            Ok(self.bump)
        } else {
            Err(AllocError::ChildIsOpen)
        }
    }

    /// Enlarges a block, in place or by moving it.
    ///
    /// # Safety
    /// The block was allocated here with the layout `old`, and no other pointer to it is used.
    pub(crate) unsafe fn grow(
        self,
        p: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        let bump = self.bump()?;
        if old.size() == 0 {
            return bump.allocate(new);
        }
        // SAFETY: the caller's promise.
        unsafe { bump.reallocate(p, old, new) }
    }

    /// Shrinks a block in place. Returns `false` if it is not the last block and stays as it is.
    ///
    /// # Safety
    /// The block of `old` bytes was allocated here, and nothing behind its first `new` bytes is
    /// used.
    pub(crate) unsafe fn shrink(self, p: NonNull<u8>, old: usize, new: usize) -> bool {
        // SAFETY: the caller's promise.
        old != new
            && self.bump().is_ok_and(|bump| unsafe { bump.resize_last(p, old, new) }.is_some())
    }
}
