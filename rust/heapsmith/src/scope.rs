//! Scopes: parts of an arena's lifetime, which the compiler keeps apart.

use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::bump::{Bump, Position};
use crate::collections::Room;
use crate::error::AllocError;
use crate::methods::{
    block_methods, collection_methods, drop_methods, stage_methods, value_methods,
};
use crate::runs::Runs;

/// The state of an open scope. Dropping it runs the scope's destructors and rewinds.
pub(crate) struct Frame<'a> {
    pub(crate) bump: &'a Bump,
    base: Position,
    pub(crate) runs: Runs,
}

impl<'a> Frame<'a> {
    pub(crate) fn new(bump: &'a Bump) -> Self {
        Self { bump, base: bump.position(), runs: Runs::new() }
    }

    /// Runs the destructors and rewinds, even if a destructor panics.
    ///
    /// # Safety
    /// Nothing refers to what the scope allocated.
    #[inline]
    pub(crate) unsafe fn end(&mut self) {
        struct Rewind<'f, 'a>(&'f Frame<'a>);
        impl Drop for Rewind<'_, '_> {
            #[inline]
            fn drop(&mut self) {
                // SAFETY: the position is this scope's own; the rest is the caller's promise, and
                // the destructors have run.
                unsafe { self.0.bump.rewind(self.0.base) };
            }
        }
        Rewind(self).0.runs.drop_all();
    }
}

impl Drop for Frame<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: whatever the scope allocated borrows it.
        unsafe { self.end() };
    }
}

/// A part of an arena's lifetime. Values in it have the lifetime `'s` of the scope, not that of a
/// borrow of the scope, so they stay usable while a child scope is open.
///
/// Three rules keep scopes sound. The compiler enforces all of them:
///
/// * A value cannot leave the scope in which it was allocated.
/// * A scope cannot be used while a child of it is open.
/// * A value with a destructor may only borrow what outlives the scope, which `'outer` stands for.
///   Destructors run in reverse order when the scope ends, and none may find anything dropped
///   already. Values without a destructor may refer to anything in the same scope.
///
/// Scopes are modelled on the scope stack of the Frostbite engine. Their destructors are listed in
/// the scope's own memory.
///
/// # Examples
///
/// ```
/// # use heapsmith::Arena;
/// let mut arena = Arena::new();
/// arena.scope(|outer| {
///     let kept = outer.alloc(1);
///     outer.scope(|inner| *kept += *inner.alloc(2));
///     assert_eq!(*kept, 3);
/// });
/// ```
pub struct Scope<'s, 'outer: 's> {
    bump: &'s Bump,
    runs: &'s Runs,
    /// Invariant. If it could shrink to 's, values with destructors could borrow from their own
    /// scope.
    outer: PhantomData<fn(&'outer ()) -> &'outer ()>,
}

impl<'s, 'outer> Scope<'s, 'outer> {
    pub(crate) fn run<R>(bump: &Bump, body: impl for<'x> FnOnce(&mut Scope<'x, 'outer>) -> R) -> R {
        let frame = Frame::new(bump);
        body(&mut Scope { bump, runs: &frame.runs, outer: PhantomData })
    }

    #[inline(always)]
    pub(crate) fn bump(&self) -> Result<&Bump, AllocError> {
        Ok(self.bump)
    }

    #[inline(always)]
    fn runs(&self) -> &Runs {
        self.runs
    }

    #[inline]
    pub(crate) fn room(&self) -> Room<'_> {
        Room::new(self.bump, self.bump.open_scopes.get())
    }

    value_methods!('s);
    stage_methods!('s);
    collection_methods!('s);
    block_methods!();

    drop_methods!('s, 'outer);

    /// Calls a function with a child scope, as [`Arena::scope`](crate::Arena::scope) does. Until it
    /// returns, this scope cannot be used, but what this scope allocated can.
    ///
    /// # Panics
    ///
    /// Panics if the function or a destructor panics. All of the child's destructors have run by
    /// then.
    ///
    /// # Examples
    ///
    /// ```
    /// # heapsmith::Arena::new().scope(|scope| {
    /// let kept = scope.alloc(1);
    /// scope.scope(|child| *kept += *child.alloc(2));
    /// # });
    /// ```
    pub fn scope<'o, R>(&mut self, body: impl for<'x> FnOnce(&mut Scope<'x, 'o>) -> R) -> R {
        Scope::run(self.bump, body)
    }

    /// Opens a child scope that ends when the returned guard is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// # heapsmith::Arena::new().scope(|scope| {
    /// let kept = scope.alloc(1);
    /// let mut child = scope.guard();
    /// *kept += *child.scope().alloc(2);
    /// # });
    /// ```
    pub fn guard(&mut self) -> ScopeGuard<'_> {
        ScopeGuard::new(self.bump)
    }

    /// Returns the number of bytes that can be allocated without a new piece of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// heapsmith::Arena::with_capacity(100).scope(|scope| {
    ///     let before = scope.remaining();
    ///     scope.alloc([0u8; 50]);
    ///     assert_eq!(scope.remaining(), before - 50);
    /// });
    /// ```
    pub fn remaining(&self) -> usize {
        self.bump.remaining()
    }
}

/// A scope that ends when the guard is dropped. If the guard is forgotten instead, the scope's
/// destructors never run, and its memory is freed with its parent's.
///
/// # Examples
///
/// ```
/// # use heapsmith::Arena;
/// let mut arena = Arena::new();
/// let mut guard = arena.guard();
/// let scope = guard.scope();
/// let list = scope.alloc_drop(vec![1, 2, 3]);
/// list.push(4);
/// drop(guard); // drops the list
/// arena.reset();
/// ```
pub struct ScopeGuard<'a> {
    frame: Frame<'a>,
    /// Invariant, as in `Scope`.
    outer: PhantomData<fn(&'a ()) -> &'a ()>,
}

impl<'a> ScopeGuard<'a> {
    pub(crate) fn new(bump: &'a Bump) -> Self {
        Self { frame: Frame::new(bump), outer: PhantomData }
    }

    /// Returns the scope, to allocate in.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::new();
    /// let mut level = arena.guard();
    /// level.scope().alloc(1);
    /// level.scope().alloc(2); // the same scope again
    /// ```
    pub fn scope(&mut self) -> Scope<'_, 'a> {
        Scope { bump: self.frame.bump, runs: &self.frame.runs, outer: PhantomData }
    }

    /// Ends everything in the scope, runs its destructors and keeps the memory.
    ///
    /// # Panics
    ///
    /// Panics if a destructor panics. All destructors have run by then.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut arena = heapsmith::Arena::new();
    /// let mut level = arena.guard();
    /// for line in ["one", "two"] {
    ///     assert_eq!(level.scope().alloc_drop(line.to_string()).len(), 3);
    ///     level.reset(); // drops the string
    /// }
    /// ```
    pub fn reset(&mut self) {
        // SAFETY: whatever the scope allocated borrows the guard, and the exclusive borrow proves
        // that it is not used any more.
        unsafe { self.frame.end() };
    }
}

impl fmt::Debug for Scope<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("remaining", &self.remaining()).finish()
    }
}

impl fmt::Debug for ScopeGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeGuard").field("remaining", &self.frame.bump.remaining()).finish()
    }
}
