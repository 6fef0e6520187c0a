//! The iterator that replaces a range of a vector.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;
use core::ptr::NonNull;

use super::ArenaVec;
use crate::error::AllocError;

/// An iterator that replaces elements of an [`ArenaVec`], made by [`splice`](ArenaVec::splice). It
/// returns the old elements. When it is dropped, it drops those that are left, and inserts the new
/// ones.
///
/// # Panics
///
/// Dropping it panics if there is no room for the new elements. The elements before and after the
/// range, and the new ones inserted until then, are still the vector's.
///
/// # Examples
///
/// ```
/// let arena = heapsmith::Arena::new();
/// let mut words = heapsmith::vec![in arena; "a", "b", "z"];
/// let mut old = words.splice(1..2, ["c", "d"]);
/// assert_eq!(old.next(), Some("b"));
/// drop(old);
/// assert_eq!(words, ["a", "c", "d", "z"]);
/// ```
pub struct ArenaSplice<'a, 'live, 'grow, I: Iterator> {
    /// With the elements before the range alone.
    vec: &'a mut ArenaVec<'live, 'grow, I::Item>,
    rest: Range<usize>,
    tail: Range<usize>,
    with: I,
}

impl<'a, 'live, 'grow, I: Iterator> ArenaSplice<'a, 'live, 'grow, I> {
    /// The vector has the elements up to `rest`, and elements in both ranges that are nobody's.
    pub(super) fn new(
        vec: &'a mut ArenaVec<'live, 'grow, I::Item>,
        rest: Range<usize>,
        tail: Range<usize>,
        with: I,
    ) -> Self {
        Self { vec, rest, tail, with }
    }

    /// Inserts all new elements in front of the tail.
    fn insert(&mut self) {
        let mut inserted = 0;
        while let Some(value) = self.with.next() {
            if self.vec.len == self.tail.start {
                // Twice as many at least, so the tail moves a logarithmic number of times.
                let more = self.with.size_hint().0.saturating_add(1);
                self.move_tail(more.max(inserted))
                    .or_else(|_| self.move_tail(more))
                    .unwrap_or_else(|e| e.panic());
            }
            // SAFETY: there is room in front of the tail.
            unsafe { self.vec.first.add(self.vec.len).write(value) };
            self.vec.len += 1;
            inserted += 1;
        }
    }

    /// Moves the tail to make room for `more` elements in front of it.
    fn move_tail(&mut self, more: usize) -> Result<(), AllocError> {
        let end = self.tail.end.checked_add(more).ok_or(AllocError::TooLarge)?;
        // Keeps the whole block, and with it the tail.
        self.vec.try_reserve(end - self.vec.len)?;
        // SAFETY: there is room for the tail up to `end`.
        unsafe {
            let from = self.vec.first.add(self.tail.start);
            from.copy_to(from.add(more), self.tail.len());
        }
        self.tail = self.tail.start + more..end;
        Ok(())
    }
}

impl<I: Iterator> Iterator for ArenaSplice<'_, '_, '_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        // SAFETY: the element was the vector's, and is no longer.
        self.rest.next().map(|at| unsafe { self.vec.first.add(at).read() })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rest.size_hint()
    }
}

impl<I: Iterator> DoubleEndedIterator for ArenaSplice<'_, '_, '_, I> {
    fn next_back(&mut self) -> Option<I::Item> {
        // SAFETY: as above.
        self.rest.next_back().map(|at| unsafe { self.vec.first.add(at).read() })
    }
}

impl<I: Iterator> ExactSizeIterator for ArenaSplice<'_, '_, '_, I> {}
impl<I: Iterator> FusedIterator for ArenaSplice<'_, '_, '_, I> {}

/// Gives the tail back to the vector, also if a destructor or the iterator panics.
struct Close<'b, 'a, 'live, 'grow, I: Iterator>(&'b mut ArenaSplice<'a, 'live, 'grow, I>);

impl<I: Iterator> Drop for Close<'_, '_, '_, '_, I> {
    fn drop(&mut self) {
        let (vec, tail) = (&mut *self.0.vec, self.0.tail.clone());
        // SAFETY: the tail is the vector's, and nothing is left where it goes to.
        unsafe { vec.first.add(tail.start).copy_to(vec.first.add(vec.len), tail.len()) };
        vec.len += tail.len();
    }
}

impl<I: Iterator> Drop for ArenaSplice<'_, '_, '_, I> {
    fn drop(&mut self) {
        let rest = core::mem::take(&mut self.rest);
        let close = Close(self);
        // SAFETY: these elements were the vector's, and are no longer.
        unsafe {
            let first = close.0.vec.first.add(rest.start);
            NonNull::slice_from_raw_parts(first, rest.len()).drop_in_place();
        }
        close.0.insert();
    }
}

impl<I: Iterator> fmt::Debug for ArenaSplice<'_, '_, '_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ArenaSplice").field("rest", &self.rest).finish_non_exhaustive()
    }
}
