//! Collecting iterators into an arena or scope.

use super::{ArenaString, ArenaVec, Room};
use crate::{Arena, ArenaBox, BufferArena, CheckedScope, Scope, Upstream, UpstreamArena};

/// A borrowed arena or scope, in which a collection can grow for `'grow`. The slices that it turns
/// into live for `'live`.
///
/// This trait is sealed. It has no methods to call.
pub trait GrowIn<'live, 'grow>: sealed::HasRoom<'grow> {}

mod sealed {
    pub trait HasRoom<'grow> {
        fn room(self) -> super::Room<'grow>;
    }
}

/// Implements both traits for references to a type, which has a `room` as a `$target`.
macro_rules! grow_in {
    ([$($generics:tt)*], $live:lifetime, $type:ty, $target:ident) => {
        impl<'grow, $($generics)*> sealed::HasRoom<'grow> for &'grow $type {
            #[inline]
            fn room(self) -> Room<'grow> {
                $target::room(self)
            }
        }
        impl<'grow, $($generics)*> GrowIn<$live, 'grow> for &'grow $type {}
    };
}

grow_in!([], 'grow, Arena, Arena);
grow_in!(['b], 'grow, BufferArena<'b>, Arena);
grow_in!(['up, U: Upstream], 'grow, UpstreamArena<'up, U>, Arena);
grow_in!(['s, 'outer], 's, Scope<'s, 'outer>, Scope);
grow_in!(['a], 'grow, CheckedScope<'a>, CheckedScope);

/// A collection of items of type `T` that can be made in an arena or scope, by
/// [`CollectIn::collect_in`].
///
/// It is implemented for [`ArenaVec`], [`ArenaString`] (of `char` and `&str`), boxed slices, plain
/// slices of elements without destructors, and for `Option` and `Result` of these, which stop at
/// the first `None` or error.
pub trait FromIteratorIn<'live, 'grow, T>: Sized {
    /// Makes the collection.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{ArenaVec, FromIteratorIn};
    ///
    /// let arena = heapsmith::Arena::new();
    /// assert_eq!(ArenaVec::from_iter_in(1..4, &arena), [1, 2, 3]);
    /// ```
    fn from_iter_in(from: impl IntoIterator<Item = T>, place: impl GrowIn<'live, 'grow>) -> Self;
}

impl<'live, 'grow, T> FromIteratorIn<'live, 'grow, T> for ArenaVec<'live, 'grow, T> {
    fn from_iter_in(from: impl IntoIterator<Item = T>, place: impl GrowIn<'live, 'grow>) -> Self {
        let mut list = Self::new(place.room());
        list.extend(from);
        list
    }
}

impl<'live, 'grow, T> FromIteratorIn<'live, 'grow, T> for ArenaBox<'live, [T]> {
    fn from_iter_in(from: impl IntoIterator<Item = T>, place: impl GrowIn<'live, 'grow>) -> Self {
        ArenaVec::from_iter_in(from, place).into_boxed_slice()
    }
}

/// A type with a destructor does not compile, as with [`ArenaVec::into_slice`].
impl<'live, 'grow, T> FromIteratorIn<'live, 'grow, T> for &'live mut [T] {
    fn from_iter_in(from: impl IntoIterator<Item = T>, place: impl GrowIn<'live, 'grow>) -> Self {
        ArenaVec::from_iter_in(from, place).into_slice()
    }
}

impl<'live, 'grow, T> FromIteratorIn<'live, 'grow, T> for ArenaString<'live, 'grow>
where
    Self: Extend<T>,
{
    fn from_iter_in(from: impl IntoIterator<Item = T>, place: impl GrowIn<'live, 'grow>) -> Self {
        let mut text = Self::new(ArenaVec::new(place.room()));
        text.extend(from);
        text
    }
}

impl<'live, 'grow, T, E, C> FromIteratorIn<'live, 'grow, Result<T, E>> for Result<C, E>
where
    C: FromIteratorIn<'live, 'grow, T>,
{
    fn from_iter_in(
        from: impl IntoIterator<Item = Result<T, E>>,
        place: impl GrowIn<'live, 'grow>,
    ) -> Self {
        let mut error = None;
        let values = from.into_iter().map_while(|item| item.map_err(|e| error = Some(e)).ok());
        let all = C::from_iter_in(values.fuse(), place);
        error.map_or(Ok(all), Err)
    }
}

impl<'live, 'grow, T, C> FromIteratorIn<'live, 'grow, Option<T>> for Option<C>
where
    C: FromIteratorIn<'live, 'grow, T>,
{
    fn from_iter_in(
        from: impl IntoIterator<Item = Option<T>>,
        place: impl GrowIn<'live, 'grow>,
    ) -> Self {
        let items = from.into_iter().map(|item| item.ok_or(()));
        Result::from_iter_in(items, place).ok()
    }
}

/// Collects iterators into an arena or scope.
pub trait CollectIn: Iterator + Sized {
    /// Makes a collection of the items in an arena or scope, as `collect` does on the heap.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Arena, ArenaBox, ArenaString, ArenaVec, CollectIn};
    ///
    /// let arena = Arena::new();
    /// let squares: ArenaVec<'_, '_, u32> = (0..4).map(|n| n * n).collect_in(&arena);
    /// assert_eq!(squares, [0, 1, 4, 9]);
    /// let fixed: &mut [u32] = squares.into_iter().rev().collect_in(&arena);
    /// assert_eq!(fixed, [9, 4, 1, 0]);
    /// let names: ArenaBox<'_, [String]> = ["a", "b"].map(String::from).into_iter().collect_in(&arena);
    /// let joined: ArenaString<'_, '_> = names.iter().map(|name| name.as_str()).collect_in(&arena);
    /// assert_eq!(joined, "ab");
    /// let bad: Result<&mut [u32], _> = ["1", "x"].iter().map(|s| s.parse()).collect_in(&arena);
    /// assert!(bad.is_err());
    /// ```
    fn collect_in<'live, 'grow, C>(self, place: impl GrowIn<'live, 'grow>) -> C
    where
        C: FromIteratorIn<'live, 'grow, Self::Item>,
    {
        C::from_iter_in(self, place)
    }
}

impl<I: Iterator> CollectIn for I {}
