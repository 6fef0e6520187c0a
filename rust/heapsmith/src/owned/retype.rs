//! Boxes of trait objects, and pinned boxes.

use core::pin::Pin;
use core::ptr::NonNull;

use super::{Memory, Owned};

/// Turns a box of a sized type into a box of a trait object, or a box of an array into a box of a
/// slice. The type that the result is used as says which.
///
/// `Box` does so without a macro, which only the standard library can.
///
/// # Examples
///
/// ```
/// use core::fmt::Display;
/// use heapsmith::{Arena, ArenaBox, unsize};
///
/// let arena = Arena::new();
/// let shown: [ArenaBox<'_, dyn Display>; 2] =
///     [unsize!(arena.alloc_box(1)), unsize!(arena.alloc_box(String::from("two")))];
/// assert_eq!(shown[0].to_string() + &shown[1].to_string(), "1two");
///
/// let list: ArenaBox<'_, [u8]> = unsize!(arena.alloc_box([1, 2, 3]));
/// assert_eq!(list.len(), 3);
/// ```
#[macro_export]
macro_rules! unsize {
    ($boxed:expr $(,)?) => {
        match $boxed {
            boxed => {
                let value = $crate::Owned::as_non_null(&boxed);
                // SAFETY: the pointer is the box's own. A coercion, which this is if it compiles,
                // keeps the address and describes the same value.
                unsafe { $crate::Owned::with_type(boxed, value) }
            }
        }
    };
}

impl<'live, T: ?Sized, M: Memory> Owned<'live, T, M> {
    /// Returns the address of the value.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let number = arena.alloc_box(7);
    /// assert_eq!(ArenaBox::as_non_null(&number).as_ptr().cast_const(), &raw const *number);
    /// ```
    #[inline]
    pub fn as_non_null(owner: &Self) -> NonNull<T> {
        owner.value
    }

    /// Turns the box into one that owns the same value as another type. [`unsize!`](crate::unsize)
    /// does so safely where Rust coerces pointers.
    ///
    /// # Safety
    ///
    /// `value` comes from [`as_non_null`](Self::as_non_null) for this box, and points at a value of
    /// type `U` with the size and alignment of the box's. Dropping it as a `U` is valid.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// #[repr(transparent)]
    /// struct Meters(f64);
    ///
    /// let arena = Arena::new();
    /// let number = arena.alloc_box(1.5);
    /// let value = ArenaBox::as_non_null(&number).cast::<Meters>();
    /// // SAFETY: both types are represented alike.
    /// let length: ArenaBox<'_, Meters> = unsafe { ArenaBox::with_type(number, value) };
    /// assert_eq!(length.0, 1.5);
    /// ```
    #[inline]
    pub unsafe fn with_type<U: ?Sized>(owner: Self, value: NonNull<U>) -> Owned<'live, U, M> {
        let (_, memory) = Self::into_parts(owner);
        // SAFETY: the same block for the same time, and the caller's promise.
        unsafe { Owned::from_parts(value, memory) }
    }

    /// Calls a function with a pinned reference to the value, then drops the value.
    ///
    /// A pinned value must be dropped before its memory is used for something else. A box cannot
    /// promise that if it can be forgotten, since an arena can be reset then, and a heap dropped.
    /// This call cannot be forgotten.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::future::Future;
    /// use core::task::{Context, Poll, Waker};
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let future = arena.alloc_box(async { 1 + 1 });
    /// let result = ArenaBox::pinned(future, |future| {
    ///     future.poll(&mut Context::from_waker(Waker::noop()))
    /// });
    /// assert_eq!(result, Poll::Ready(2));
    /// ```
    pub fn pinned<R>(mut owner: Self, body: impl FnOnce(Pin<&mut T>) -> R) -> R {
        // SAFETY: the value stays where it is until it is dropped at the end, also after a panic.
        body(unsafe { Pin::new_unchecked(&mut *owner) })
    }
}

impl<T: ?Sized, M: Memory> Owned<'static, T, M> {
    /// Pins a box whose allocator is never reset or dropped, because it is borrowed for `'static`.
    /// For other boxes, there is [`pinned`](Self::pinned), which explains the difference.
    ///
    /// # Examples
    ///
    /// ```
    /// use core::future::Future;
    /// use core::task::{Context, Poll, Waker};
    /// use heapsmith::{Arena, ArenaBox};
    ///
    /// let arena: &'static Arena = Box::leak(Box::new(Arena::new()));
    /// let mut future = ArenaBox::into_pin(arena.alloc_box(async { 1 + 1 }));
    /// let mut context = Context::from_waker(Waker::noop());
    /// assert_eq!(future.as_mut().poll(&mut context), Poll::Ready(2));
    /// ```
    pub fn into_pin(owner: Self) -> Pin<Self> {
        // SAFETY: nothing moves the value out of the pinned box, and its block is used for nothing
        // else until the box is dropped.
        unsafe { Pin::new_unchecked(owner) }
    }
}

/// Moving a box does not move its value.
impl<T: ?Sized, M: Memory> Unpin for Owned<'_, T, M> {}
