//! Parts of a table: a range of rows, so many rows at a time, several rows at once.

use core::marker::PhantomData;
use core::ops::Range;

use crate::soa::columns::Columns;
use crate::soa::table::Table;

impl<F: Columns> Table<F> {
    /// Swaps two rows.
    pub(crate) fn swap(&mut self, a: usize, b: usize) {
        assert!(a.max(b) < self.len(), "the positions are those of rows");
        // SAFETY: both rows are initialized.
        unsafe { F::swap(self.starts(), a, b) };
    }

    /// The columns of a range of rows, which is in bounds.
    pub(crate) fn slices_in(&self, rows: Range<usize>) -> F::Slices<'_> {
        assert!(rows.start <= rows.end && rows.end <= self.len(), "the range is in bounds");
        // SAFETY: the rows are initialized, and borrowed as the table is.
        unsafe { F::slices(F::skip(self.starts(), rows.start), rows.len()) }
    }

    /// The same, mutable.
    pub(crate) fn slices_in_mut(&mut self, rows: Range<usize>) -> F::SlicesMut<'_> {
        assert!(rows.start <= rows.end && rows.end <= self.len(), "the range is in bounds");
        // SAFETY: the rows are initialized, and borrowed as the table is.
        unsafe { F::slices_mut(F::skip(self.starts(), rows.start), rows.len()) }
    }

    /// The columns of the first `first` rows, and then of `others` rows at a time. When all rows are
    /// used up, the columns are empty.
    pub(crate) fn parts_mut(&mut self, first: usize, others: usize) -> PartsMut<'_, F> {
        let (starts, left) = (self.starts(), self.len());
        PartsMut { starts, left, next: first, others, table: PhantomData }
    }

    /// Several rows at once. `None` unless all positions differ and are those of rows.
    pub(crate) fn disjoint_muts<const N: usize>(
        &mut self,
        positions: [usize; N],
    ) -> Option<[F::Muts<'_>; N]> {
        for (i, at) in positions.iter().enumerate() {
            if *at >= self.len() || positions[..i].contains(at) {
                return None;
            }
        }
        // SAFETY: the rows are initialized and differ, and are borrowed as the table is.
        Some(positions.map(|at| unsafe { F::muts(self.starts(), at) }))
    }
}

/// An endless iterator over the columns of so many rows at a time.
pub(crate) struct PartsMut<'a, F: Columns> {
    /// Of the rows that are left.
    starts: F::Starts,
    left: usize,
    /// The rows of the next part, and of those after it.
    next: usize,
    others: usize,
    table: PhantomData<&'a mut Table<F>>,
}

// SAFETY: the iterator stands for mutable references to rows, which nothing else has.
unsafe impl<F: Columns + Send> Send for PartsMut<'_, F> {}
// SAFETY: as above.
unsafe impl<F: Columns + Sync> Sync for PartsMut<'_, F> {}

impl<'a, F: Columns> Iterator for PartsMut<'a, F> {
    type Item = F::SlicesMut<'a>;

    fn next(&mut self) -> Option<F::SlicesMut<'a>> {
        let rows = core::mem::replace(&mut self.next, self.others).min(self.left);
        let starts = self.starts;
        self.left -= rows;
        // SAFETY: so many rows were left, are initialized, and are in no other part. The table is
        // borrowed for as long as they are.
        unsafe {
            self.starts = F::skip(starts, rows);
            Some(F::slices_mut(starts, rows))
        }
    }
}
