//! Iteration over elements that leave their vector.

use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use super::ArenaBox;

/// Yields the elements of an [`ArenaVec`](crate::ArenaVec) or an `ArenaBox<[T]>`, and drops those
/// that are not asked for.
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

// SAFETY: these are the elements' only owner.
unsafe impl<T: Send> Send for ArenaIntoIter<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for ArenaIntoIter<'_, T> {}

impl<'live, T> IntoIterator for ArenaBox<'live, [T]> {
    type Item = T;
    type IntoIter = ArenaIntoIter<'live, T>;

    fn into_iter(self) -> ArenaIntoIter<'live, T> {
        let end = self.len();
        // SAFETY: a place for elements is not null.
        let all = unsafe { NonNull::new_unchecked(ArenaBox::into_raw(self).cast()) };
        ArenaIntoIter { all, start: 0, end, owned: PhantomData }
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
        // SAFETY: the elements from `start` to `end` are there, and this one is theirs no more.
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
        // SAFETY: these elements are there, and nobody else drops them.
        unsafe {
            let first = self.all.add(self.start);
            let rest = NonNull::slice_from_raw_parts(first, self.end - self.start);
            ptr::drop_in_place(rest.as_ptr());
        }
    }
}
