//! Iterators that remove the rows of a pool.

use core::iter::FusedIterator;
use core::mem;
use core::ops::Range;

use crate::handle::Handle;
use crate::pool::{Growable, Iter, IterMut, Pool, Storage};

/// An iterator that moves the rows out of a pool, with the handles they had.
pub struct IntoIter<T, S = Growable<T>, K = T> {
    pool: Pool<T, S, K>,
    indices: Range<u32>,
}

/// An iterator that removes the rows of a pool: from [`Pool::drain`].
pub struct Drain<'a, T, S: Storage<T> = Growable<T>, K = T> {
    pool: &'a mut Pool<T, S, K>,
    indices: Range<u32>,
}

impl<'a, T, S: Storage<T>, K> Drain<'a, T, S, K> {
    pub(crate) fn new(pool: &'a mut Pool<T, S, K>) -> Self {
        let indices = 0..pool.end_index();
        Self { pool, indices }
    }
}

/// Removes the rows that are left. If a destructor panics, the others run before the panic
/// continues.
impl<T, S: Storage<T>, K> Drop for Drain<'_, T, S, K> {
    fn drop(&mut self) {
        struct RemoveRest<'d, 'a, T, S: Storage<T>, K>(&'d mut Drain<'a, T, S, K>);
        impl<T, S: Storage<T>, K> Drop for RemoveRest<'_, '_, T, S, K> {
            fn drop(&mut self) {
                while self.0.next().is_some() {}
            }
        }
        let rest = RemoveRest(self);
        while rest.0.next().is_some() {}
        mem::forget(rest);
    }
}

fn take_at<T, S: Storage<T>, K>(pool: &mut Pool<T, S, K>, index: u32) -> Option<(Handle<K>, T)> {
    let handle = pool.handle_at(index)?;
    pool.remove(handle).map(|row| (handle, row))
}

macro_rules! taking_iterator {
    ($name:ty $(, $life:lifetime)?) => {
        impl<$($life,)? T, S: Storage<T>, K> Iterator for $name {
            type Item = (Handle<K>, T);

            fn next(&mut self) -> Option<Self::Item> {
                self.indices.find_map(|index| take_at(&mut self.pool, index))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.pool.len(), Some(self.pool.len()))
            }
        }

        impl<$($life,)? T, S: Storage<T>, K> DoubleEndedIterator for $name {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.indices.by_ref().rev().find_map(|index| take_at(&mut self.pool, index))
            }
        }

        impl<$($life,)? T, S: Storage<T>, K> ExactSizeIterator for $name {}
        impl<$($life,)? T, S: Storage<T>, K> FusedIterator for $name {}
    };
}

taking_iterator!(Drain<'a, T, S, K>, 'a);
taking_iterator!(IntoIter<T, S, K>);

impl<T, S: Storage<T>, K> IntoIterator for Pool<T, S, K> {
    type Item = (Handle<K>, T);
    type IntoIter = IntoIter<T, S, K>;

    fn into_iter(self) -> IntoIter<T, S, K> {
        IntoIter { indices: 0..self.end_index(), pool: self }
    }
}

impl<'a, T, S: Storage<T>, K> IntoIterator for &'a Pool<T, S, K> {
    type Item = (Handle<K>, &'a T);
    type IntoIter = Iter<'a, T, K>;

    fn into_iter(self) -> Iter<'a, T, K> {
        self.iter()
    }
}

impl<'a, T, S: Storage<T>, K> IntoIterator for &'a mut Pool<T, S, K> {
    type Item = (Handle<K>, &'a mut T);
    type IntoIter = IterMut<'a, T, K>;

    fn into_iter(self) -> IterMut<'a, T, K> {
        self.iter_mut()
    }
}
