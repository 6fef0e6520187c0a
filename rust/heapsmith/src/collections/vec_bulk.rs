//! Many elements of a vector at a time.

use core::mem::MaybeUninit;
use core::ops::{Bound, Range, RangeBounds};
use core::ptr::NonNull;

use super::{ArenaDrain, ArenaSplice, ArenaVec};
use crate::error::AllocError;

/// The length of a vector while elements are written behind it. The compiler keeps it in a
/// register; it is stored at the end, also if a clone panics.
pub(super) struct Length<'a> {
    stored: &'a mut usize,
    now: usize,
}

impl<'a> Length<'a> {
    #[inline]
    pub(super) fn of(stored: &'a mut usize) -> Self {
        let now = *stored;
        Self { stored, now }
    }

    #[inline]
    pub(super) fn now(&self) -> usize {
        self.now
    }

    #[inline]
    pub(super) fn add_one(&mut self) {
        self.now += 1;
    }
}

impl Drop for Length<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.stored = self.now;
    }
}

/// The indices of a range in a vector of `len` elements.
#[track_caller]
pub(crate) fn bounds(range: impl RangeBounds<usize>, len: usize) -> Range<usize> {
    let start = match range.start_bound() {
        Bound::Included(&at) => at,
        Bound::Excluded(&at) => at.checked_add(1).expect("the range starts after usize::MAX"),
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(&at) => at.checked_add(1).expect("the range ends after usize::MAX"),
        Bound::Excluded(&at) => at,
        Bound::Unbounded => len,
    };
    assert!(start <= end && end <= len, "range {start}..{end} is out of bounds (len {len})");
    start..end
}

impl<'live, 'grow, T> ArenaVec<'live, 'grow, T> {
    /// Appends clones of the elements of a slice.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend_from_slice(&["a", "b"]);
    /// assert_eq!(list, ["a", "b"]);
    /// ```
    #[track_caller]
    pub fn extend_from_slice(&mut self, from: &[T])
    where
        T: Clone,
    {
        self.try_extend_from_slice(from).unwrap_or_else(|e| e.panic());
    }

    /// Like [`extend_from_slice`](Self::extend_from_slice), but returns an error if there is no
    /// room. Nothing is appended then.
    pub fn try_extend_from_slice(&mut self, from: &[T]) -> Result<(), AllocError>
    where
        T: Clone,
    {
        if !self.make_room(from.len()) {
            return Err(self.refusal(from.len()));
        }
        // SAFETY: there is room for all clones, and a borrowed slice is not in it.
        unsafe { self.append_clones(NonNull::from(from)) };
        Ok(())
    }

    /// Appends clones of the elements of several slices, after reserving capacity once.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend_from_slices(&[&[1, 2], &[], &[3]]);
    /// assert_eq!(list, [1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn extend_from_slices(&mut self, from: &[&[T]])
    where
        T: Clone,
    {
        self.try_extend_from_slices(from).unwrap_or_else(|e| e.panic());
    }

    /// Like [`extend_from_slices`](Self::extend_from_slices), but returns an error if there is no
    /// room. Nothing is appended then.
    pub fn try_extend_from_slices(&mut self, from: &[&[T]]) -> Result<(), AllocError>
    where
        T: Clone,
    {
        let total = from.iter().try_fold(0usize, |sum, part| sum.checked_add(part.len()));
        self.try_reserve(total.ok_or(AllocError::TooLarge)?)?;
        for part in from {
            // SAFETY: there is room for all clones, and a borrowed slice is not in it.
            unsafe { self.append_clones(NonNull::from(*part)) };
        }
        Ok(())
    }

    /// # Safety
    /// There is room for as many elements as `from` has, and `from` stays as it is.
    unsafe fn append_clones(&mut self, from: NonNull<[T]>)
    where
        T: Clone,
    {
        let first = self.first;
        let mut len = Length::of(&mut self.len);
        // SAFETY: the caller's promise.
        for value in unsafe { from.as_ref() } {
            // SAFETY: as above.
            unsafe { first.add(len.now()).write(value.clone()) };
            len.add_one();
        }
    }

    /// Appends clones of the elements in a range of this vector.
    ///
    /// # Panics
    ///
    /// Panics if there is no room, or if the range is out of bounds.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// list.extend_from_within(1..);
    /// assert_eq!(list, [1, 2, 3, 2, 3]);
    /// ```
    #[track_caller]
    pub fn extend_from_within(&mut self, range: impl RangeBounds<usize>)
    where
        T: Clone,
    {
        let range = bounds(range, self.len);
        self.reserve(range.len());
        // SAFETY: the elements are in bounds, and there is room behind them for their clones.
        unsafe {
            let from = NonNull::slice_from_raw_parts(self.first.add(range.start), range.len());
            self.append_clones(from);
        }
    }

    /// Moves all elements of another vector to the end of this one.
    ///
    /// # Panics
    ///
    /// Panics if there is no room. Nothing has moved then.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let (mut list, mut more) = (arena.vec(), arena.vec());
    /// list.push(1);
    /// more.extend([2, 3]);
    /// list.append(&mut more);
    /// assert_eq!(list, [1, 2, 3]);
    /// assert!(more.is_empty());
    /// ```
    #[track_caller]
    pub fn append(&mut self, other: &mut ArenaVec<'_, '_, T>) {
        self.reserve(other.len);
        // SAFETY: there is room, the blocks are not the same, and the elements change their owner.
        unsafe { other.first.copy_to_nonoverlapping(self.first.add(self.len), other.len) };
        self.len += core::mem::take(&mut other.len);
    }

    /// Moves the elements from `at` on to a new vector in the same arena or scope.
    ///
    /// # Panics
    ///
    /// Panics if there is no room, or if `at > len`.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// assert_eq!(list.split_off(1), [2, 3]);
    /// assert_eq!(list, [1]);
    /// ```
    #[must_use = "`truncate` drops the elements"]
    #[track_caller]
    pub fn split_off(&mut self, at: usize) -> Self {
        assert!(at <= self.len, "split_off: index {at} is out of bounds (len {})", self.len);
        let mut other = Self::new(self.room());
        let moved = self.len - at;
        other.try_reserve_exact(moved).unwrap_or_else(|e| e.panic());
        // SAFETY: there is room, and the elements change their owner.
        unsafe { self.first.add(at).copy_to_nonoverlapping(other.first, moved) };
        (self.len, other.len) = (at, moved);
        other
    }

    /// Shortens the vector to `len` elements, or appends clones of `value`.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.resize(3, 'a');
    /// list.resize(2, 'b');
    /// assert_eq!(list, ['a', 'a']);
    /// ```
    #[track_caller]
    pub fn resize(&mut self, len: usize, value: T)
    where
        T: Clone,
    {
        self.resize_with(len, || value.clone());
    }

    /// Shortens the vector to `len` elements, or appends elements that `make` returns.
    ///
    /// # Panics
    ///
    /// Panics if there is no room.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut next = 0;
    /// let mut list = arena.vec();
    /// list.resize_with(3, || { next += 1; next });
    /// assert_eq!(list, [1, 2, 3]);
    /// ```
    #[track_caller]
    pub fn resize_with(&mut self, len: usize, mut make: impl FnMut() -> T) {
        self.truncate(len);
        let added = len - self.len;
        self.reserve(added);
        let first = self.first;
        let mut now = Length::of(&mut self.len);
        for _ in 0..added {
            // SAFETY: there is room for all of them.
            unsafe { first.add(now.now()).write(make()) };
            now.add_one();
        }
    }

    /// Removes the elements of a range, and returns an iterator over them. The elements after the
    /// range move to its start when the iterator is dropped.
    ///
    /// If the iterator is leaked, the elements from the start of the range on are lost.
    ///
    /// # Panics
    ///
    /// Panics if the range is out of bounds.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3, 4]);
    /// assert!(list.drain(1..3).eq([2, 3]));
    /// assert_eq!(list, [1, 4]);
    /// ```
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> ArenaDrain<'_, T> {
        let range = bounds(range, self.len);
        let tail = range.end..self.len;
        self.len = range.start; // in case the iterator is leaked
        ArenaDrain::new(self.first, &mut self.len, range, tail)
    }

    /// Replaces the elements of a range by those of an iterator, and returns an iterator over the
    /// old ones. The new elements are inserted when that iterator is dropped.
    ///
    /// If the iterator is leaked, the elements from the start of the range on are lost.
    ///
    /// # Panics
    ///
    /// Panics if the range is out of bounds. Dropping the iterator panics if there is no room.
    ///
    /// # Complexity
    ///
    /// Linear in the new elements and those after the range, if the new ones are as many as their
    /// iterator promised; otherwise the latter move a logarithmic number of times.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = heapsmith::vec![in arena; 1, 2, 3, 4];
    /// assert!(list.splice(1..3, [7, 8, 9]).eq([2, 3]));
    /// assert_eq!(list, [1, 7, 8, 9, 4]);
    /// ```
    #[track_caller]
    pub fn splice<I: IntoIterator<Item = T>>(
        &mut self,
        range: impl RangeBounds<usize>,
        with: I,
    ) -> ArenaSplice<'_, 'live, 'grow, I::IntoIter> {
        let (range, with) = (bounds(range, self.len), with.into_iter());
        let tail = range.end..self.len;
        self.len = range.start; // in case the iterator is leaked
        ArenaSplice::new(self, range, tail, with)
    }

    /// Returns the unused capacity, to be written before [`set_len`](Self::set_len).
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec_with_capacity::<u8>(10);
    /// list.spare_capacity_mut()[0].write(7);
    /// // SAFETY: the first element was written.
    /// unsafe { list.set_len(1) };
    /// assert_eq!(list, [7]);
    /// ```
    #[inline]
    pub fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<T>] {
        let spare = self.capacity() - self.len;
        // SAFETY: the block has room for so many elements, and the borrow is unique.
        unsafe { NonNull::slice_from_raw_parts(self.first.add(self.len).cast(), spare).as_mut() }
    }

    /// Sets the number of elements. Nothing is dropped.
    ///
    /// # Safety
    ///
    /// `len` is at most the capacity, and the first `len` elements have been written.
    ///
    /// # Examples
    ///
    /// ```
    /// # let arena = heapsmith::Arena::new();
    /// let mut list = arena.vec();
    /// list.extend([1, 2, 3]);
    /// // SAFETY: both elements were written.
    /// unsafe { list.set_len(2) };
    /// assert_eq!(list, [1, 2]);
    /// ```
    #[inline]
    pub unsafe fn set_len(&mut self, len: usize) {
        debug_assert!(len <= self.capacity());
        self.len = len;
    }
}
