//! Iterators over the rows of a pool in columns, by ascending position.

use core::iter::{Copied, FusedIterator};
use core::marker::PhantomData;
use core::slice;

use crate::handle::Handle;
use crate::pool::{Growable, Storage};
use crate::soa::table::{RowsMut, Table};
use crate::soa::{Mut, Ref, Soa, SoaPool, access};

/// An iterator over handles and rows: from [`SoaPool::iter`].
pub struct Iter<'a, T: Soa, K = T> {
    handles: core::iter::Enumerate<Copied<slice::Iter<'a, Handle<K>>>>,
    table: &'a Table<T::Fields>,
    /// The rows outlive `'a`.
    refs: PhantomData<fn() -> &'a T>,
}

/// A mutable iterator over handles and rows: from [`SoaPool::iter_mut`].
pub struct IterMut<'a, T: Soa, K = T> {
    handles: slice::Iter<'a, Handle<K>>,
    rows: RowsMut<'a, T::Fields>,
    refs: PhantomData<fn() -> &'a T>,
}

/// An iterator that removes the rows of a pool: from [`SoaPool::drain`].
pub struct Drain<'a, T: Soa, S: Storage<u32> = Growable<u32>, K = T> {
    pool: &'a mut SoaPool<T, S, K>,
}

impl<T: Soa, S: Storage<u32>, K> SoaPool<T, S, K> {
    /// Returns an iterator over all rows and their handles, in the order of the columns.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = [('a', 1), ('b', 2)].into_iter().collect();
    /// for (handle, (name, number)) in &pool {
    ///     assert_eq!(pool.get(handle), Some((name, number)));
    /// }
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T, K> {
        Iter {
            handles: self.handles.iter().copied().enumerate(),
            table: &self.table,
            refs: PhantomData,
        }
    }

    /// Returns a mutable iterator over all rows and their handles.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = [('a', 1), ('b', 2)].into_iter().collect();
    /// for (_, (_, number)) in &mut pool {
    ///     *number *= 10;
    /// }
    /// assert_eq!(pool.columns().1, [10, 20]);
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T, K> {
        IterMut { handles: self.handles.iter(), rows: self.table.rows_mut(), refs: PhantomData }
    }
}

impl<'a, T: Soa, K> Iterator for Iter<'a, T, K> {
    type Item = (Handle<K>, Ref<'a, T>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (position, handle) = self.handles.next()?;
        Some((handle, access::refs::<T>(self.table.refs(position)?)))
    }

    /// In constant time.
    #[inline]
    fn nth(&mut self, rows: usize) -> Option<Self::Item> {
        let (position, handle) = self.handles.nth(rows)?;
        Some((handle, access::refs::<T>(self.table.refs(position)?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.handles.size_hint()
    }
}

impl<T: Soa, K> DoubleEndedIterator for Iter<'_, T, K> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let (position, handle) = self.handles.next_back()?;
        Some((handle, access::refs::<T>(self.table.refs(position)?)))
    }

    /// In constant time.
    #[inline]
    fn nth_back(&mut self, rows: usize) -> Option<Self::Item> {
        let (position, handle) = self.handles.nth_back(rows)?;
        Some((handle, access::refs::<T>(self.table.refs(position)?)))
    }
}

impl<T: Soa, K> Clone for Iter<'_, T, K> {
    fn clone(&self) -> Self {
        Self { handles: self.handles.clone(), table: self.table, refs: PhantomData }
    }
}

impl<'a, T: Soa, K> Iterator for IterMut<'a, T, K> {
    type Item = (Handle<K>, Mut<'a, T>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some((*self.handles.next()?, access::muts::<T>(self.rows.next()?)))
    }

    /// In constant time.
    #[inline]
    fn nth(&mut self, rows: usize) -> Option<Self::Item> {
        // Both advance, even behind the last row.
        let (handle, row) = (self.handles.nth(rows), self.rows.nth(rows));
        Some((*handle?, access::muts::<T>(row?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl<T: Soa, K> DoubleEndedIterator for IterMut<'_, T, K> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        Some((*self.handles.next_back()?, access::muts::<T>(self.rows.next_back()?)))
    }

    /// In constant time.
    #[inline]
    fn nth_back(&mut self, rows: usize) -> Option<Self::Item> {
        let (handle, row) = (self.handles.nth_back(rows), self.rows.nth_back(rows));
        Some((*handle?, access::muts::<T>(row?)))
    }
}

#[cfg(feature = "rayon")]
impl<'a, T: Soa, K> IterMut<'a, T, K> {
    /// The first `rows` rows that are left, and the others.
    pub(super) fn split_at(self, rows: usize) -> (Self, Self) {
        let (near, far) = self.handles.as_slice().split_at(rows);
        let (left, right) = self.rows.split_at(rows);
        let part = |handles: slice::Iter<'a, _>, rows| Self { handles, rows, refs: PhantomData };
        (part(near.iter(), left), part(far.iter(), right))
    }
}

impl<'a, T: Soa, S: Storage<u32>, K> Drain<'a, T, S, K> {
    pub(super) fn new(pool: &'a mut SoaPool<T, S, K>) -> Self {
        Self { pool }
    }
}

impl<T: Soa, S: Storage<u32>, K> Iterator for Drain<'_, T, S, K> {
    type Item = (Handle<K>, T);

    fn next(&mut self) -> Option<Self::Item> {
        let &handle = self.pool.handles.last()?;
        Some((handle, self.pool.remove(handle)?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.pool.len(), Some(self.pool.len()))
    }
}

/// Removes the rows that are left.
impl<T: Soa, S: Storage<u32>, K> Drop for Drain<'_, T, S, K> {
    fn drop(&mut self) {
        self.pool.clear();
    }
}

impl<T: Soa, K> ExactSizeIterator for Iter<'_, T, K> {}
impl<T: Soa, K> ExactSizeIterator for IterMut<'_, T, K> {}
impl<T: Soa, S: Storage<u32>, K> ExactSizeIterator for Drain<'_, T, S, K> {}
impl<T: Soa, K> FusedIterator for Iter<'_, T, K> {}
impl<T: Soa, K> FusedIterator for IterMut<'_, T, K> {}
impl<T: Soa, S: Storage<u32>, K> FusedIterator for Drain<'_, T, S, K> {}

impl<'a, T: Soa, S: Storage<u32>, K> IntoIterator for &'a SoaPool<T, S, K> {
    type Item = (Handle<K>, Ref<'a, T>);
    type IntoIter = Iter<'a, T, K>;

    fn into_iter(self) -> Iter<'a, T, K> {
        self.iter()
    }
}

impl<'a, T: Soa, S: Storage<u32>, K> IntoIterator for &'a mut SoaPool<T, S, K> {
    type Item = (Handle<K>, Mut<'a, T>);
    type IntoIter = IterMut<'a, T, K>;

    fn into_iter(self) -> IterMut<'a, T, K> {
        self.iter_mut()
    }
}
