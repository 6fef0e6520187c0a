//! The iterator that removes the elements of a vector for which a function says so.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::{Range, RangeBounds};
use core::ptr::NonNull;

use super::ArenaVec;
use super::vec_bulk::bounds;

/// An iterator that removes elements of an [`ArenaVec`], made by
/// [`extract_if`](ArenaVec::extract_if). It removes only the elements that it returns.
///
/// # Examples
///
/// ```
/// let arena = heapsmith::Arena::new();
/// let mut list = heapsmith::vec![in arena; 1, 2, 3, 4];
/// let mut even = list.extract_if(.., |n| *n % 2 == 0);
/// assert_eq!(even.next(), Some(2));
/// drop(even); // 4 was not asked for, so it stays
/// assert_eq!(list, [1, 3, 4]);
/// ```
pub struct ArenaExtractIf<'a, T, F> {
    first: NonNull<T>,  // of the vector
    len: &'a mut usize, // with the elements that were kept until now
    rest: Range<usize>, // not looked at
    end: usize,         // of all elements
    is_removed: F,
    owned: PhantomData<&'a mut T>,
}

impl<T> ArenaVec<'_, '_, T> {
    /// Returns an iterator that removes the elements of a range for which `is_removed` returns
    /// `true`. The others stay, in order, as do all elements that the iterator has not reached when
    /// it is dropped, or when `is_removed` panics.
    ///
    /// If the iterator is leaked, the elements that it has not reached are lost.
    ///
    /// # Panics
    ///
    /// Panics if the range is out of bounds.
    ///
    /// # Complexity
    ///
    /// Each element moves once at most.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = heapsmith::vec![in arena; 1, 2, 3, 4, 5, 6];
    /// assert!(list.extract_if(1.., |n| *n % 2 == 1).eq([3, 5]));
    /// assert_eq!(list, [1, 2, 4, 6]);
    /// ```
    #[track_caller]
    pub fn extract_if<F: FnMut(&mut T) -> bool>(
        &mut self,
        range: impl RangeBounds<usize>,
        is_removed: F,
    ) -> ArenaExtractIf<'_, T, F> {
        let rest = bounds(range, self.len);
        let end = self.len;
        self.len = rest.start; // in case the iterator is leaked
        let len = &mut self.len;
        ArenaExtractIf { first: self.first, len, rest, end, is_removed, owned: PhantomData }
    }
}

impl<T, F: FnMut(&mut T) -> bool> Iterator for ArenaExtractIf<'_, T, F> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while !self.rest.is_empty() {
            // SAFETY: the element was not read, and nothing else refers to it.
            let mut element = unsafe { self.first.add(self.rest.start) };
            // SAFETY: as above.
            let is_removed = (self.is_removed)(unsafe { element.as_mut() });
            self.rest.start += 1; // after the call: an element whose call panics stays
            // SAFETY: the element is returned once, or moved to the end of those that were kept.
            unsafe {
                if is_removed {
                    return Some(element.read());
                }
                element.copy_to(self.first.add(*self.len), 1);
            }
            *self.len += 1;
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.rest.len()))
    }
}

impl<T, F: FnMut(&mut T) -> bool> FusedIterator for ArenaExtractIf<'_, T, F> {}

impl<T, F> fmt::Debug for ArenaExtractIf<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArenaExtractIf").field("rest", &self.rest).finish_non_exhaustive()
    }
}

impl<T, F> Drop for ArenaExtractIf<'_, T, F> {
    fn drop(&mut self) {
        let kept = self.end - self.rest.start;
        // SAFETY: these elements are the vector's, and nothing is left where they go to.
        unsafe { self.first.add(self.rest.start).copy_to(self.first.add(*self.len), kept) };
        *self.len += kept;
    }
}
