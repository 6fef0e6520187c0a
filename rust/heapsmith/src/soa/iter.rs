//! Iterators over the rows of a pool in columns, by ascending position.

use core::iter::{Copied, FusedIterator};
use core::slice;

use crate::handle::Handle;
use crate::pool::{Growable, Storage};
use crate::soa::table::{RowsMut, Table};
use crate::soa::{Mut, Ref, Soa, SoaPool};

/// An iterator over handles and rows: from [`SoaPool::iter`].
pub struct Iter<'a, T: Soa> {
    handles: core::iter::Enumerate<Copied<slice::Iter<'a, Handle<T>>>>,
    table: &'a Table<T::Fields>,
}

/// A mutable iterator over handles and rows: from [`SoaPool::iter_mut`].
pub struct IterMut<'a, T: Soa> {
    handles: Copied<slice::Iter<'a, Handle<T>>>,
    rows: RowsMut<'a, T::Fields>,
}

/// An iterator that removes the rows of a pool: from [`SoaPool::drain`].
pub struct Drain<'a, T: Soa, S: Storage<u32> = Growable<u32>> {
    pool: &'a mut SoaPool<T, S>,
}

impl<T: Soa, S: Storage<u32>> SoaPool<T, S> {
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
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { handles: self.handles.iter().copied().enumerate(), table: &self.table }
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
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut { handles: self.handles.iter().copied(), rows: self.table.rows_mut() }
    }
}

impl<'a, T: Soa> Iterator for Iter<'a, T> {
    type Item = (Handle<T>, Ref<'a, T>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (position, handle) = self.handles.next()?;
        Some((handle, T::name_refs(self.table.refs(position)?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.handles.size_hint()
    }
}

impl<T: Soa> DoubleEndedIterator for Iter<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let (position, handle) = self.handles.next_back()?;
        Some((handle, T::name_refs(self.table.refs(position)?)))
    }
}

impl<T: Soa> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self { handles: self.handles.clone(), table: self.table }
    }
}

impl<'a, T: Soa> Iterator for IterMut<'a, T> {
    type Item = (Handle<T>, Mut<'a, T>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some((self.handles.next()?, T::name_muts(self.rows.next()?)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.rows.size_hint()
    }
}

impl<T: Soa> DoubleEndedIterator for IterMut<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        Some((self.handles.next_back()?, T::name_muts(self.rows.next_back()?)))
    }
}

impl<'a, T: Soa, S: Storage<u32>> Drain<'a, T, S> {
    pub(super) fn new(pool: &'a mut SoaPool<T, S>) -> Self {
        Self { pool }
    }
}

impl<T: Soa, S: Storage<u32>> Iterator for Drain<'_, T, S> {
    type Item = (Handle<T>, T);

    fn next(&mut self) -> Option<Self::Item> {
        let &handle = self.pool.handles.last()?;
        Some((handle, self.pool.remove(handle)?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.pool.len(), Some(self.pool.len()))
    }
}

/// Removes the rows that are left.
impl<T: Soa, S: Storage<u32>> Drop for Drain<'_, T, S> {
    fn drop(&mut self) {
        self.pool.clear();
    }
}

impl<T: Soa> ExactSizeIterator for Iter<'_, T> {}
impl<T: Soa> ExactSizeIterator for IterMut<'_, T> {}
impl<T: Soa, S: Storage<u32>> ExactSizeIterator for Drain<'_, T, S> {}
impl<T: Soa> FusedIterator for Iter<'_, T> {}
impl<T: Soa> FusedIterator for IterMut<'_, T> {}
impl<T: Soa, S: Storage<u32>> FusedIterator for Drain<'_, T, S> {}

impl<'a, T: Soa, S: Storage<u32>> IntoIterator for &'a SoaPool<T, S> {
    type Item = (Handle<T>, Ref<'a, T>);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T: Soa, S: Storage<u32>> IntoIterator for &'a mut SoaPool<T, S> {
    type Item = (Handle<T>, Mut<'a, T>);
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}
