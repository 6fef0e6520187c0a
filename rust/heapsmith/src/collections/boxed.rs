//! Owners of single values, or slices, in arenas and scopes.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;

/// The owner of a value in an arena or scope, which drops it where the owner ends: for values whose
/// destructors should run before the end of all, or that are moved on. Made by
/// [`Arena::alloc_box`](crate::Arena::alloc_box), [`Scope::alloc_box`](crate::Scope::alloc_box) and
/// [`ArenaVec::into_boxed_slice`](crate::ArenaVec::into_boxed_slice).
///
/// One pointer large. It frees no memory: the place stays taken until the arena goes back. Values
/// that need not be dropped are better off as the `&mut T` of `alloc`.
///
/// ```
/// # use heapsmith::{Arena, ArenaBox};
/// let mut arena = Arena::new();
/// arena.scope(|scope| {
///     let list = scope.alloc_box(vec![1, 2, 3]);
///     let list: Vec<i32> = ArenaBox::into_inner(list); // moved out: nothing is left to drop
///     assert_eq!(list.len(), 3);
/// });
/// ```
pub struct ArenaBox<'live, T: ?Sized> {
    value: NonNull<T>,
    owned: PhantomData<(&'live (), T)>,
}

// SAFETY: the owner has the value alone, and its place is nobody else's for 'live.
unsafe impl<T: Send + ?Sized> Send for ArenaBox<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync + ?Sized> Sync for ArenaBox<'_, T> {}

impl<'live, T: ?Sized> ArenaBox<'live, T> {
    /// The owner of a value that [`into_raw`](Self::into_raw) gave away.
    ///
    /// Both together change a type for one that it can be coerced to:
    ///
    /// ```
    /// # use heapsmith::{Arena, ArenaBox};
    /// let arena = Arena::new();
    /// let name = ArenaBox::into_raw(arena.alloc_box(String::from("name")));
    /// // SAFETY: this is that value's owner again, and the arena is borrowed as before.
    /// let shown: ArenaBox<'_, dyn core::fmt::Display> = unsafe { ArenaBox::from_raw(name) };
    /// assert_eq!(shown.to_string(), "name");
    /// ```
    ///
    /// # Safety
    /// The value is there for `'live`, in memory that nobody else uses meanwhile, and has no other
    /// owner.
    #[inline]
    pub unsafe fn from_raw(value: *mut T) -> Self {
        // SAFETY: a place for a value is not null.
        Self { value: unsafe { NonNull::new_unchecked(value) }, owned: PhantomData }
    }

    /// The value's address; nothing drops the value any more.
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    /// let arena = Arena::new();
    /// let name = ArenaBox::into_raw(arena.alloc_box(String::from("name")));
    /// // SAFETY: this is that value's owner again.
    /// let name: ArenaBox<'_, String> = unsafe { ArenaBox::from_raw(name) };
    /// assert_eq!(*name, "name");
    /// ```
    #[inline]
    pub fn into_raw(owner: Self) -> *mut T {
        ManuallyDrop::new(owner).value.as_ptr()
    }

    /// The value as if it had been allocated without an owner. Nothing drops it any more.
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    /// let arena = Arena::new();
    /// let number: &mut i32 = ArenaBox::leak(arena.alloc_box(1));
    /// *number += 1;
    /// ```
    #[inline]
    pub fn leak(owner: Self) -> &'live mut T
    where
        T: 'live,
    {
        // SAFETY: the value is there for 'live, and this was its owner.
        unsafe { &mut *Self::into_raw(owner) }
    }
}

impl<T> ArenaBox<'_, T> {
    /// Takes the value out.
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    /// let arena = Arena::new();
    /// let list = arena.alloc_box(vec![1, 2]);
    /// assert_eq!(ArenaBox::into_inner(list), [1, 2]);
    /// ```
    #[inline]
    pub fn into_inner(owner: Self) -> T {
        // SAFETY: the value is there, and nobody else drops it.
        unsafe { Self::into_raw(owner).read() }
    }
}

impl<T: ?Sized> Drop for ArenaBox<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the value is there, and nobody else drops it.
        unsafe { self.value.drop_in_place() }
    }
}

crate::owner::owner_traits!(ArenaBox);
