//! Where a collection grows: an arena or scope, as long as no child of it is open.

use core::alloc::Layout;
use core::ptr::NonNull;

use crate::bump::Bump;
use crate::error::AllocError;

/// The engine of the arena or scope that a collection is in. While the collection borrows that,
/// only a checked scope can have a child opened, which the depth shows.
#[derive(Clone, Copy)]
pub(crate) struct Room<'grow> {
    bump: &'grow Bump,
    depth: u32,
}

impl<'grow> Room<'grow> {
    /// `depth` is how many checked scopes are open when whoever has the collection is innermost.
    pub(crate) fn new(bump: &'grow Bump, depth: u32) -> Self {
        Self { bump, depth }
    }

    pub(crate) fn bump(&self) -> Result<&'grow Bump, AllocError> {
        if self.bump.open_scopes.get() == self.depth {
            Ok(self.bump)
        } else {
            Err(AllocError::ChildIsOpen)
        }
    }

    /// Makes a block larger, where it is or elsewhere.
    ///
    /// # Safety
    /// The block has the layout `old` and came from here; nothing else refers to it.
    pub(crate) unsafe fn grow(
        &self,
        p: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, AllocError> {
        let bump = self.bump()?;
        if old.size() == 0 {
            return bump.allocate(new);
        }
        // SAFETY: the caller's.
        unsafe { bump.reallocate(p, old, new) }
    }

    /// Gives the end of a block back. False: something was allocated behind it, and it stays.
    ///
    /// # Safety
    /// The block has `old` bytes and came from here; nothing refers to what lies behind `new` bytes.
    pub(crate) unsafe fn shrink(&self, p: NonNull<u8>, old: usize, new: usize) -> bool {
        // SAFETY: the caller's.
        old != new
            && self.bump().is_ok_and(|bump| unsafe { bump.resize_last(p, old, new) }.is_some())
    }
}
