//! Iterators that remove the rows of a pool.

use core::iter::FusedIterator;
use core::mem;
use core::ops::Range;

use crate::handle::Handle;
use crate::pool::{Growable, Iter, IterMut, Pool, Storage};

/// An iterator that moves the rows out of a pool, with the handles they had.
pub struct IntoIter<T, S = Growable<T>> {
    pool: Pool<T, S>,
    indices: Range<u32>,
}

/// An iterator that removes the rows of a pool: from [`Pool::drain`].
pub struct Drain<'a, T, S: Storage<T> = Growable<T>> {
    pool: &'a mut Pool<T, S>,
    indices: Range<u32>,
}

impl<'a, T, S: Storage<T>> Drain<'a, T, S> {
    pub(crate) fn new(pool: &'a mut Pool<T, S>) -> Self {
        let indices = 0..pool.end_index();
        Self { pool, indices }
    }
}

/// Removes the rows that are left. If a destructor panics, the others run before the panic
/// continues.
impl<T, S: Storage<T>> Drop for Drain<'_, T, S> {
    fn drop(&mut self) {
        struct RemoveRest<'d, 'a, T, S: Storage<T>>(&'d mut Drain<'a, T, S>);
        impl<T, S: Storage<T>> Drop for RemoveRest<'_, '_, T, S> {
            fn drop(&mut self) {
                while self.0.next().is_some() {}
            }
        }
        let rest = RemoveRest(self);
        while rest.0.next().is_some() {}
        mem::forget(rest);
    }
}

fn take_at<T, S: Storage<T>>(pool: &mut Pool<T, S>, index: u32) -> Option<(Handle<T>, T)> {
    let handle = pool.handle_at(index)?;
    pool.remove(handle).map(|row| (handle, row))
}

macro_rules! taking_iterator {
    ($name:ty $(, $life:lifetime)?) => {
        impl<$($life,)? T, S: Storage<T>> Iterator for $name {
            type Item = (Handle<T>, T);

            fn next(&mut self) -> Option<Self::Item> {
                self.indices.find_map(|index| take_at(&mut self.pool, index))
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.pool.len(), Some(self.pool.len()))
            }
        }

        impl<$($life,)? T, S: Storage<T>> DoubleEndedIterator for $name {
            fn next_back(&mut self) -> Option<Self::Item> {
                self.indices.by_ref().rev().find_map(|index| take_at(&mut self.pool, index))
            }
        }

        impl<$($life,)? T, S: Storage<T>> ExactSizeIterator for $name {}
        impl<$($life,)? T, S: Storage<T>> FusedIterator for $name {}
    };
}

taking_iterator!(Drain<'a, T, S>, 'a);
taking_iterator!(IntoIter<T, S>);

impl<T, S: Storage<T>> IntoIterator for Pool<T, S> {
    type Item = (Handle<T>, T);
    type IntoIter = IntoIter<T, S>;

    fn into_iter(self) -> IntoIter<T, S> {
        IntoIter { indices: 0..self.end_index(), pool: self }
    }
}

impl<'a, T, S: Storage<T>> IntoIterator for &'a Pool<T, S> {
    type Item = (Handle<T>, &'a T);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T, S: Storage<T>> IntoIterator for &'a mut Pool<T, S> {
    type Item = (Handle<T>, &'a mut T);
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}
