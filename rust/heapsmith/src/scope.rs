//! Scopes: parts of an arena's lifetime, kept apart by the compiler.

use core::alloc::Layout;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::block_methods::block_methods;
use crate::bump::{Bump, Position};
use crate::collections::{Room, collection_methods};
use crate::drop_methods::drop_methods;
use crate::error::AllocError;
use crate::methods::value_methods;
use crate::runs::Runs;

/// What is open while a scope is: dropping it runs the scope's destructors and goes back.
pub(crate) struct Frame<'a> {
    pub(crate) bump: &'a Bump,
    base: Position,
    pub(crate) runs: Runs,
}

impl<'a> Frame<'a> {
    pub(crate) fn new(bump: &'a Bump) -> Self {
        Self { bump, base: bump.position(), runs: Runs::new() }
    }
}

impl Drop for Frame<'_> {
    #[inline]
    fn drop(&mut self) {
        struct GoBack<'f, 'a>(&'f Frame<'a>);
        impl Drop for GoBack<'_, '_> {
            #[inline]
            fn drop(&mut self) {
                // SAFETY: what was allocated since cannot be referred to any more: lifetimes see to
                // that, and destructors have run. The position is this scope's own.
                unsafe { self.0.bump.rewind(self.0.base) };
            }
        }
        let back = GoBack(self); // even if a destructor panics
        back.0.runs.drop_all();
    }
}

/// A part of an arena's lifetime. What is allocated in it carries the scope's own lifetime `'s`,
/// not that of a borrow of the scope: so a child scope may be opened while it is in use.
///
/// Three rules keep this sound, each a compile error to break.
///
/// * What a scope allocated cannot leave it.
/// * A scope cannot be used while a child of it is open.
/// * A value with a destructor may refer only to what outlives the scope: `'outer`. Its destructor
///   runs at the scope's end, after those of what was allocated later, and must not find anything
///   dropped. Values without one may refer to anything in the same scope.
///
/// The idea is the scope stack of the Frostbite engine, with its destructors in the memory itself.
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
    /// Invariant: were it to shrink to 's, values with destructors could refer to their own scope.
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
    fn room(&self) -> Room<'_> {
        Room::new(self.bump, self.bump.open_scopes.get())
    }

    value_methods!('s);
    collection_methods!('s);
    block_methods!();

    drop_methods!('s, 'outer);

    /// Runs a function in a child scope, as [`Arena::scope`](crate::Arena::scope) does. This scope
    /// cannot be used meanwhile; what it allocated can.
    ///
    /// ```
    /// # heapsmith::Arena::new().scope(|scope| {
    /// let kept = scope.alloc(1);
    /// scope.scope(|child| *kept += *child.alloc(2));
    /// # });
    /// ```
    ///
    /// # Panics
    /// When the function or a destructor panics. All of the child's destructors have run then.
    pub fn scope<'o, R>(&mut self, body: impl for<'x> FnOnce(&mut Scope<'x, 'o>) -> R) -> R {
        Scope::run(self.bump, body)
    }

    /// A child scope that ends when the guard is dropped.
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

    /// Bytes that can be allocated without a new chunk.
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

/// A scope that ends when this is dropped. If it is forgotten instead, its destructors never run,
/// and its memory comes back with its parent's.
///
/// ```
/// # use heapsmith::Arena;
/// let mut arena = Arena::new();
/// let mut guard = arena.guard();
/// let scope = guard.scope();
/// let list = scope.alloc_drop(vec![1, 2, 3]);
/// list.push(4);
/// drop(guard);  // drops the list
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

    /// The scope, to allocate in.
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
}
