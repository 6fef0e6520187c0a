//! The iterator that removes a range of a vector.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::NonNull;

/// An iterator that removes elements of an [`ArenaVec`](crate::ArenaVec), made by
/// [`drain`](crate::ArenaVec::drain). It drops the elements that are left.
///
/// # Examples
///
/// ```
/// let arena = heapsmith::Arena::new();
/// let mut words = arena.vec();
/// words.extend(["a", "b", "c"].map(String::from));
/// let mut removed = words.drain(..2);
/// assert_eq!(removed.next_back().as_deref(), Some("b"));
/// drop(removed);
/// assert_eq!(words[0], "c");
/// ```
pub struct ArenaDrain<'a, T> {
    first: NonNull<T>, // of the vector
    len: &'a mut usize,
    pub(super) rest: Range<usize>,
    tail: Range<usize>,
    owned: PhantomData<&'a mut T>,
}

impl<'a, T> ArenaDrain<'a, T> {
    pub(super) fn new(
        first: NonNull<T>,
        len: &'a mut usize,
        rest: Range<usize>,
        tail: Range<usize>,
    ) -> Self {
        Self { first, len, rest, tail, owned: PhantomData }
    }

    /// Returns the elements that the iterator has not returned.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = heapsmith::Arena::new();
    /// let mut list = heapsmith::vec![in arena; 1, 2, 3];
    /// let mut removed = list.drain(..);
    /// removed.next();
    /// assert_eq!(removed.as_slice(), [2, 3]);
    /// ```
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: these elements were the vector's, and are still there.
        unsafe {
            let first = self.first.add(self.rest.start);
            NonNull::slice_from_raw_parts(first, self.rest.len()).as_ref()
        }
    }
}

impl<T> Iterator for ArenaDrain<'_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        // SAFETY: the element was the vector's, and is no longer.
        self.rest.next().map(|at| unsafe { self.first.add(at).read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl<T> DoubleEndedIterator for ArenaDrain<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        // SAFETY: as above.
        self.rest.next_back().map(|at| unsafe { self.first.add(at).read() })
    }
}

impl<T> ExactSizeIterator for ArenaDrain<'_, T> {}
impl<T> FusedIterator for ArenaDrain<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for ArenaDrain<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ArenaDrain").field(&self.as_slice()).finish()
    }
}

/// Moves the tail, also if a destructor panics.
struct Close<'a, 'b, T>(&'b mut ArenaDrain<'a, T>);

impl<T> Drop for Close<'_, '_, T> {
    fn drop(&mut self) {
        let it = &mut *self.0;
        let moved = it.tail.len();
        // SAFETY: the tail is the vector's, and nothing is left where it goes to.
        unsafe { it.first.add(it.tail.start).copy_to(it.first.add(*it.len), moved) };
        *it.len += moved;
    }
}

impl<T> Drop for ArenaDrain<'_, T> {
    fn drop(&mut self) {
        let rest = core::mem::take(&mut self.rest);
        let close = Close(self);
        // SAFETY: these elements were the vector's, and are no longer.
        unsafe {
            let first = close.0.first.add(rest.start);
            NonNull::slice_from_raw_parts(first, rest.len()).drop_in_place();
        }
    }
}
