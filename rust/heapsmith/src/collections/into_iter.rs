//! The iterator that moves elements out of a vector.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use crate::ArenaBox;

/// An iterator that moves the elements out of an [`ArenaVec`](crate::ArenaVec) or an
/// `ArenaBox<[T]>`. It drops the elements that are left.
///
/// # Examples
///
/// ```
/// let arena = heapsmith::Arena::new();
/// let mut words = arena.vec();
/// words.extend(["a", "b", "c"].map(String::from));
/// let mut words = words.into_iter();
/// assert_eq!(words.next_back().as_deref(), Some("c"));
/// assert_eq!(words.len(), 2);
/// ```
pub struct ArenaIntoIter<'live, T> {
    all: NonNull<T>,
    start: usize,
    end: usize,
    owned: PhantomData<(&'live (), T)>,
}

// SAFETY: the iterator is the only owner of its elements.
unsafe impl<T: Send> Send for ArenaIntoIter<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for ArenaIntoIter<'_, T> {}

impl<'live, T> IntoIterator for ArenaBox<'live, [T]> {
    type Item = T;
    type IntoIter = ArenaIntoIter<'live, T>;

    fn into_iter(self) -> ArenaIntoIter<'live, T> {
        let end = self.len();
        // SAFETY: the address of a slice is not null.
        let all = unsafe { NonNull::new_unchecked(ArenaBox::into_raw(self).cast()) };
        ArenaIntoIter { all, start: 0, end, owned: PhantomData }
    }
}

impl<T> ArenaIntoIter<'_, T> {
    /// Returns the elements that the iterator has not returned.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut list = heapsmith::vec![in arena; 1, 2, 3].into_iter();
    /// list.next();
    /// assert_eq!(list.as_slice(), [2, 3]);
    /// ```
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: the iterator owns these elements, which were not read.
        unsafe {
            NonNull::slice_from_raw_parts(self.all.add(self.start), self.end - self.start).as_ref()
        }
    }

    /// Returns the elements that the iterator has not returned, to be changed.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut list = heapsmith::vec![in arena; 3, 1, 2].into_iter();
    /// list.as_mut_slice().sort();
    /// assert!(list.eq([1, 2, 3]));
    /// ```
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: as above.
        unsafe {
            NonNull::slice_from_raw_parts(self.all.add(self.start), self.end - self.start).as_mut()
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for ArenaIntoIter<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ArenaIntoIter").field(&self.as_slice()).finish()
    }
}

impl<T> Iterator for ArenaIntoIter<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.start == self.end {
            return None;
        }
        self.start += 1;
        // SAFETY: the iterator owns the elements from `start` to `end`, and this one no longer.
        Some(unsafe { self.all.add(self.start - 1).read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.end - self.start;
        (len, Some(len))
    }
}

impl<T> DoubleEndedIterator for ArenaIntoIter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        if self.start == self.end {
            return None;
        }
        self.end -= 1;
        // SAFETY: as in `next`.
        Some(unsafe { self.all.add(self.end).read() })
    }
}

impl<T> ExactSizeIterator for ArenaIntoIter<'_, T> {}
impl<T> core::iter::FusedIterator for ArenaIntoIter<'_, T> {}

impl<T> Drop for ArenaIntoIter<'_, T> {
    fn drop(&mut self) {
        // SAFETY: the iterator owns these elements.
        unsafe {
            let first = self.all.add(self.start);
            let rest = NonNull::slice_from_raw_parts(first, self.end - self.start);
            ptr::drop_in_place(rest.as_ptr());
        }
    }
}
