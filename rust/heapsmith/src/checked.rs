//! Scopes whose rules are checked at run time.

use core::alloc::Layout;
use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::bump::Bump;
use crate::collections::Room;
use crate::error::AllocError;
use crate::methods::{
    block_methods, collection_methods, drop_methods, stage_methods, value_methods,
};
use crate::runs::Runs;
use crate::scope::Frame;

/// A scope that can be used, and have children, through a shared reference: for structures that
/// store several levels of scopes. Each call checks, with one comparison, that no child is open.
///
/// An allocated value lives as long as the borrow through which it was allocated.
///
/// # Examples
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
    level: Level<'a>, // dropped after the frame: destructors must not find the parent usable
    outer: PhantomData<fn(&'a ()) -> &'a ()>, // invariant, as in `Scope`
}

/// How deep a checked scope lies among the open ones.
struct Level<'a> {
    open_scopes: &'a Cell<u32>,
    /// The number of open scopes while this is the innermost.
    depth: u32,
}

impl<'a> Level<'a> {
    fn open(open_scopes: &'a Cell<u32>) -> Self {
        let depth = open_scopes.get() + 1;
        open_scopes.set(depth);
        Self { open_scopes, depth }
    }
}

impl Drop for Level<'_> {
    fn drop(&mut self) {
        self.open_scopes.set(self.depth - 1); // which ends forgotten children, too
    }
}

impl<'a> CheckedScope<'a> {
    pub(crate) fn new(bump: &'a Bump) -> Self {
        Self { frame: Frame::new(bump), level: Level::open(&bump.open_scopes), outer: PhantomData }
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
    pub(crate) fn room(&self) -> Room<'_> {
        Room::new(self.frame.bump, self.level.depth)
    }

    value_methods!('_);
    stage_methods!('_);
    collection_methods!('_);
    block_methods!();
    drop_methods!('_, 'a);

    /// Returns `true` if a child is open or was forgotten, so that nothing can be allocated here.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::new();
    /// let level = arena.checked_scope();
    /// let child = level.child();
    /// assert!(level.has_open_child() && !child.has_open_child());
    /// ```
    #[inline(always)]
    pub fn has_open_child(&self) -> bool {
        self.level.open_scopes.get() != self.level.depth
    }

    /// Opens a child scope. This scope cannot allocate until the child is dropped; a child that is
    /// forgotten (`mem::forget`) stays open.
    ///
    /// # Panics
    ///
    /// Panics if a child is already open.
    ///
    /// # Examples
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
    #[track_caller]
    pub fn child(&self) -> CheckedScope<'_> {
        self.try_child().unwrap_or_else(|e| e.panic())
    }

    /// Like [`child`](Self::child), but returns [`AllocError::ChildIsOpen`] if a child is already
    /// open.
    pub fn try_child(&self) -> Result<CheckedScope<'_>, AllocError> {
        self.bump().map(CheckedScope::new)
    }

    /// Ends everything in the scope, forgotten children included, runs its destructors and keeps
    /// the memory.
    ///
    /// # Panics
    ///
    /// Panics if a destructor panics. All destructors have run by then.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::new();
    /// let mut level = arena.checked_scope();
    /// for line in ["one", "two"] {
    ///     assert_eq!(level.alloc_drop(line.to_string()).len(), 3);
    ///     level.reset(); // drops the string
    /// }
    /// ```
    pub fn reset(&mut self) {
        self.level.open_scopes.set(self.level.depth);
        // SAFETY: whatever the scope allocated borrows it, and the exclusive borrow proves that it
        // is not used any more.
        unsafe { self.frame.end() };
    }

    /// Returns the number of bytes that can be allocated without a new piece of memory.
    ///
    /// # Examples
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

impl fmt::Debug for CheckedScope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedScope")
            .field("remaining", &self.remaining())
            .field("has_open_child", &self.has_open_child())
            .finish()
    }
}
