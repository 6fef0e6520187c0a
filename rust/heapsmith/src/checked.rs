//! Scopes whose rules are checked at run time.

use core::alloc::Layout;
use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::block_methods::block_methods;
use crate::bump::Bump;
use crate::collections::{Room, collection_methods};
use crate::drop_methods::drop_methods;
use crate::error::AllocError;
use crate::methods::value_methods;
use crate::runs::Runs;
use crate::scope::Frame;

/// A scope that may be used, and have children, through a shared reference: for structures that
/// keep several levels of scopes at hand. That no scope is used while a child of it is open is
/// checked in each call, at the cost of one comparison.
///
/// What it allocates lives as long as the borrow it was allocated through.
///
/// ```
/// # use heapsmith::{AllocError, Arena};
/// let mut arena = Arena::new();
/// let level = arena.checked_scope();
/// let kept = level.alloc(1);
/// {
///     let line = level.child();
///     *kept += *line.alloc(2);
///     assert_eq!(level.try_alloc(3), Err(AllocError::ChildIsOpen));
/// }
/// assert_eq!(*level.alloc(4), 4);
/// ```
pub struct CheckedScope<'a> {
    frame: Frame<'a>,
    place: Place<'a>, // ends after the frame: destructors must not find the parent free to use
    outer: PhantomData<fn(&'a ()) -> &'a ()>, // invariant, as in `Scope`
}

/// A checked scope's place among the open ones.
struct Place<'a> {
    open_scopes: &'a Cell<u32>,
    /// How many scopes are open when this is the innermost.
    depth: u32,
}

impl<'a> Place<'a> {
    fn take(open_scopes: &'a Cell<u32>) -> Self {
        let depth = open_scopes.get() + 1;
        open_scopes.set(depth);
        Self { open_scopes, depth }
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.open_scopes.set(self.depth - 1); // forgotten children end here too
    }
}

impl<'a> CheckedScope<'a> {
    pub(crate) fn new(bump: &'a Bump) -> Self {
        Self { frame: Frame::new(bump), place: Place::take(&bump.open_scopes), outer: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn bump(&self) -> Result<&Bump, AllocError> {
        if self.has_open_child() { Err(AllocError::ChildIsOpen) } else { Ok(self.frame.bump) }
    }

    #[inline(always)]
    fn runs(&self) -> &Runs {
        &self.frame.runs
    }

    #[inline]
    fn room(&self) -> Room<'_> {
        Room::new(self.frame.bump, self.place.depth)
    }

    value_methods!('_);
    collection_methods!('_);
    block_methods!();
    drop_methods!('_, 'a);

    /// Whether a child is open, or was forgotten, so that nothing can be allocated here.
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::new();
    /// let level = arena.checked_scope();
    /// let child = level.child();
    /// assert!(level.has_open_child() && !child.has_open_child());
    /// ```
    #[inline(always)]
    pub fn has_open_child(&self) -> bool {
        self.place.open_scopes.get() != self.place.depth
    }

    /// Opens a child scope; this one cannot allocate until it ends. A child that is forgotten
    /// (`mem::forget`) never does.
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::new();
    /// let level = arena.checked_scope();
    /// let name = level.alloc_str("kept");
    /// {
    ///     let line = level.child();
    ///     line.alloc_str(name); // ends here
    /// }
    /// level.alloc(1);
    /// ```
    ///
    /// # Panics
    /// When a child is open already.
    #[track_caller]
    pub fn child(&self) -> CheckedScope<'_> {
        self.try_child().unwrap_or_else(|e| e.panic())
    }

    /// [`child`](Self::child), or [`AllocError::ChildIsOpen`].
    pub fn try_child(&self) -> Result<CheckedScope<'_>, AllocError> {
        self.bump().map(CheckedScope::new)
    }

    /// Bytes that can be allocated without a new chunk.
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::with_capacity(100);
    /// let level = arena.checked_scope();
    /// let before = level.remaining();
    /// level.child().alloc([0u8; 50]);
    /// assert_eq!(level.remaining(), before);
    /// ```
    pub fn remaining(&self) -> usize {
        self.frame.bump.remaining()
    }
}
