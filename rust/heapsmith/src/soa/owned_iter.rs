//! The iterator that moves the rows out of a pool in columns.

use alloc::vec;
use core::iter::FusedIterator;
use core::ops::Range;

use crate::handle::Handle;
use crate::pool::Storage;
use crate::soa::columns::Columns;
use crate::soa::table::Table;
use crate::soa::{Soa, SoaPool, access};

/// An iterator that moves the rows out of a pool, with the handles they had.
pub struct IntoIter<T: Soa, K = T> {
    handles: vec::IntoIter<Handle<K>>,
    rows: IntoRows<T::Fields>,
}

/// The rows of a table that gave them up.
struct IntoRows<F: Columns> {
    /// The block. Its length is 0.
    table: Table<F>,
    /// The positions that are left, all of initialized rows.
    positions: Range<usize>,
}

impl<F: Columns> IntoRows<F> {
    fn new(mut table: Table<F>) -> Self {
        Self { positions: 0..table.give_up_rows(), table }
    }

    /// Takes out the row at a position that was just removed from those that are left.
    #[inline(always)]
    fn take(&self, at: usize) -> F {
        // SAFETY: the row is initialized, and each position comes once.
        unsafe { F::read(self.table.starts(), at) }
    }
}

/// Drops the rows that are left. The table then frees the block, even if a destructor panics.
impl<F: Columns> Drop for IntoRows<F> {
    fn drop(&mut self) {
        let Range { start, end } = self.positions;
        // SAFETY: the rows are initialized, and not used any more.
        unsafe { F::drop_rows(F::skip(self.table.starts(), start), end - start) };
    }
}

impl<T: Soa, K> Iterator for IntoIter<T, K> {
    type Item = (Handle<K>, T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let position = self.rows.positions.next()?;
        Some((self.handles.next()?, access::join(self.rows.take(position))))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.positions.size_hint()
    }
}

impl<T: Soa, K> DoubleEndedIterator for IntoIter<T, K> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let position = self.rows.positions.next_back()?;
        Some((self.handles.next_back()?, access::join(self.rows.take(position))))
    }
}

impl<T: Soa, K> ExactSizeIterator for IntoIter<T, K> {}
impl<T: Soa, K> FusedIterator for IntoIter<T, K> {}

/// In the order of the columns.
///
/// # Examples
///
/// ```
/// let pool: heapsmith::SoaPool<_> = [('a', 1), ('b', 2)].into_iter().collect();
/// let rows: Vec<_> = pool.into_iter().map(|(_, row)| row).collect();
/// assert_eq!(rows, [('a', 1), ('b', 2)]);
/// ```
impl<T: Soa, S: Storage<u32>, K> IntoIterator for SoaPool<T, S, K> {
    type Item = (Handle<K>, T);
    type IntoIter = IntoIter<T, K>;

    fn into_iter(self) -> IntoIter<T, K> {
        IntoIter { handles: self.handles.into_iter(), rows: IntoRows::new(self.table) }
    }
}
