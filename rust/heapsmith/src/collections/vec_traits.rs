//! The traits that vectors in arenas share with other collections.

use core::borrow::{Borrow, BorrowMut};
use core::fmt;
use core::ops::{Deref, DerefMut};

use super::{ArenaIntoIter, ArenaVec};

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

/// Panics if there is no room.
impl<T> Extend<T> for ArenaVec<'_, '_, T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, from: I) {
        let from = from.into_iter();
        self.reserve(from.size_hint().0);
        from.for_each(|value| self.push(value));
    }
}

/// Panics if there is no room.
impl<'a, T: Copy> Extend<&'a T> for ArenaVec<'_, '_, T> {
    fn extend<I: IntoIterator<Item = &'a T>>(&mut self, from: I) {
        self.extend(from.into_iter().copied());
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
