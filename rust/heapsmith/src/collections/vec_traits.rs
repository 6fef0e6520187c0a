//! The traits that vectors in arenas share with other collections.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

use super::vec_bulk::Length;
use super::{ArenaIntoIter, ArenaVec};
use crate::ArenaBox;

impl<T> Deref for ArenaVec<'_, '_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> DerefMut for ArenaVec<'_, '_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T> AsRef<[T]> for ArenaVec<'_, '_, T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T> AsMut<[T]> for ArenaVec<'_, '_, T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T> Borrow<[T]> for ArenaVec<'_, '_, T> {
    fn borrow(&self) -> &[T] {
        self
    }
}

impl<T> BorrowMut<[T]> for ArenaVec<'_, '_, T> {
    fn borrow_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: fmt::Debug> fmt::Debug for ArenaVec<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl<T: PartialEq, S: AsRef<[T]> + ?Sized> PartialEq<S> for ArenaVec<'_, '_, T> {
    fn eq(&self, other: &S) -> bool {
        self.as_slice() == other.as_ref()
    }
}

impl<T: Eq> Eq for ArenaVec<'_, '_, T> {}

impl<T: PartialOrd> PartialOrd for ArenaVec<'_, '_, T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.as_slice().partial_cmp(other.as_slice())
    }
}

impl<T: Ord> Ord for ArenaVec<'_, '_, T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_slice().cmp(other.as_slice())
    }
}

impl<T: Hash> Hash for ArenaVec<'_, '_, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

/// The clone lies in the same arena or scope. Panics if there is no room.
impl<T: Clone> Clone for ArenaVec<'_, '_, T> {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.room());
        clone.extend_from_slice(self);
        clone
    }
}

/// Panics if there is no room.
impl<T> Extend<T> for ArenaVec<'_, '_, T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, from: I) {
        let mut from = from.into_iter();
        let promised = from.size_hint().0;
        self.reserve(promised);
        // SAFETY: there is room for so many.
        unsafe { self.fill_promised(from.by_ref().take(promised)) };
        // Each time the capacity doubles at least.
        while let Err(value) = self.fill(&mut from) {
            self.reserve(from.size_hint().0.saturating_add(1));
            self.push(value);
        }
    }
}

impl<T> ArenaVec<'_, '_, T> {
    /// Appends the elements that an iterator promised, without a look at the capacity for each.
    ///
    /// # Safety
    /// There is room for all that the iterator returns.
    #[inline]
    unsafe fn fill_promised(&mut self, from: impl Iterator<Item = T>) {
        let first = self.first;
        let mut len = Length::of(&mut self.len);
        from.for_each(|value| {
            // SAFETY: the caller's promise.
            unsafe { first.add(len.now()).write(value) };
            len.add_one();
        });
    }

    /// Appends elements while there is capacity. The error is the element that has no room.
    #[inline]
    fn fill(&mut self, from: &mut impl Iterator<Item = T>) -> Result<(), T> {
        let (first, capacity) = (self.first, self.capacity());
        let mut len = Length::of(&mut self.len);
        from.try_for_each(|value| {
            if len.now() == capacity {
                return Err(value);
            }
            // SAFETY: there is capacity left.
            unsafe { first.add(len.now()).write(value) };
            len.add_one();
            Ok(())
        })
    }
}

/// Panics if there is no room.
impl<'a, T: Copy> Extend<&'a T> for ArenaVec<'_, '_, T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, from: I) {
        self.extend(from.into_iter().copied());
    }
}

/// As [`ArenaVec::into_boxed_slice`].
impl<'live, T> From<ArenaVec<'live, '_, T>> for ArenaBox<'live, [T]> {
    fn from(list: ArenaVec<'live, '_, T>) -> Self {
        list.into_boxed_slice()
    }
}

impl<'live, T> IntoIterator for ArenaVec<'live, '_, T> {
    type Item = T;
    type IntoIter = ArenaIntoIter<'live, T>;

    fn into_iter(self) -> ArenaIntoIter<'live, T> {
        self.into_boxed_slice().into_iter()
    }
}

impl<'a, T> IntoIterator for &'a ArenaVec<'_, '_, T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut ArenaVec<'_, '_, T> {
    type Item = &'a mut T;
    type IntoIter = core::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// Appends what is written, or returns an error if there is no room.
#[cfg(feature = "std")]
impl std::io::Write for ArenaVec<'_, '_, u8> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.try_append(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(e) => Err(std::io::Error::new(std::io::ErrorKind::OutOfMemory, e)),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
