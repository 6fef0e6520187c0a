//! Parts of the columns.

use core::ops::RangeBounds;

use crate::collections::bounds;
use crate::pool::Storage;
use crate::soa::{Slices, SlicesMut, Soa, SoaPool, access};

impl<T: Soa, S: Storage<u32>, K> SoaPool<T, S, K> {
    /// Returns each field of the rows at a range of positions as a slice.
    ///
    /// # Panics
    ///
    /// Panics if the range is out of bounds.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = (0..9).map(|n| (n, n * n)).collect();
    /// let (numbers, squares) = pool.columns_in(3..5);
    /// assert_eq!((numbers, squares), (&[3, 4][..], &[9, 16][..]));
    /// ```
    #[track_caller]
    pub fn columns_in(&self, positions: impl RangeBounds<usize>) -> Slices<'_, T> {
        access::slices::<T>(self.table.slices_in(bounds(positions, self.len())))
    }

    /// Returns each field of the rows at a range of positions as a mutable slice.
    ///
    /// # Panics
    ///
    /// Panics if the range is out of bounds.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (0..4).map(|n| (n, n)).collect();
    /// pool.columns_in_mut(2..).1.fill(7);
    /// assert_eq!(pool.columns().1, [0, 1, 7, 7]);
    /// ```
    #[track_caller]
    pub fn columns_in_mut(&mut self, positions: impl RangeBounds<usize>) -> SlicesMut<'_, T> {
        let positions = bounds(positions, self.len());
        access::slices_mut::<T>(self.table.slices_in_mut(positions))
    }

    /// Returns the columns of the rows before a position, and of those from there on.
    ///
    /// # Panics
    ///
    /// Panics if the position is greater than the number of rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = (0..4).map(|n| (n, n * n)).collect();
    /// let (left, right) = pool.split_columns(1);
    /// assert_eq!((left.1, right.1), (&[0][..], &[1, 4, 9][..]));
    /// ```
    #[track_caller]
    pub fn split_columns(&self, at: usize) -> (Slices<'_, T>, Slices<'_, T>) {
        self.check_split(at);
        (self.columns_in(..at), self.columns_in(at..))
    }

    #[track_caller]
    fn check_split(&self, at: usize) {
        assert!(at <= self.len(), "split: position {at} is out of bounds (len {})", self.len());
    }

    /// Like [`split_columns`](Self::split_columns), but the columns are mutable.
    ///
    /// # Panics
    ///
    /// Panics if the position is greater than the number of rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (0..4).map(|n| (n, n)).collect();
    /// let (left, right) = pool.split_columns_mut(2);
    /// left.1.swap_with_slice(right.1);
    /// assert_eq!(pool.columns().1, [2, 3, 0, 1]);
    /// ```
    #[track_caller]
    pub fn split_columns_mut(&mut self, at: usize) -> (SlicesMut<'_, T>, SlicesMut<'_, T>) {
        self.check_split(at);
        let mut parts = self.table.parts_mut(at, self.len() - at).map(access::slices_mut::<T>);
        let both = (parts.next(), parts.next());
        (both.0.expect("there are two parts"), both.1.expect("there are two parts"))
    }

    /// Returns an iterator over the columns of `rows` rows at a time; the last may be fewer.
    ///
    /// # Panics
    ///
    /// Panics if `rows` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = (1..=10).map(|n| (n, ())).collect();
    /// let sums: Vec<u32> = pool.split_columns_by(4).map(|(n, _)| n.iter().sum()).collect();
    /// assert_eq!(sums, [1 + 2 + 3 + 4, 5 + 6 + 7 + 8, 9 + 10]);
    /// ```
    #[track_caller]
    pub fn split_columns_by(
        &self,
        rows: usize,
    ) -> impl ExactSizeIterator<Item = Slices<'_, T>> + DoubleEndedIterator {
        assert!(rows != 0, "split_columns_by: parts of 0 rows");
        (0..self.len().div_ceil(rows)).map(move |part| {
            let first = part * rows;
            self.columns_in(first..self.len().min(first.saturating_add(rows)))
        })
    }

    /// Like [`split_columns_by`](Self::split_columns_by), but the columns are mutable.
    ///
    /// # Panics
    ///
    /// Panics if `rows` is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (1..=10u64).map(|n| (n, 0)).collect();
    /// std::thread::scope(|threads| {
    ///     for (numbers, squares) in pool.split_columns_by_mut(4) {
    ///         threads.spawn(|| squares.iter_mut().zip(numbers).for_each(|(s, n)| *s = *n * *n));
    ///     }
    /// });
    /// assert_eq!(pool.columns().1.iter().sum::<u64>(), 385);
    /// ```
    #[track_caller]
    pub fn split_columns_by_mut(&mut self, rows: usize) -> impl Iterator<Item = SlicesMut<'_, T>> {
        assert!(rows != 0, "split_columns_by_mut: parts of 0 rows");
        let parts = self.len().div_ceil(rows);
        self.table.parts_mut(rows, rows).take(parts).map(access::slices_mut::<T>)
    }
}
