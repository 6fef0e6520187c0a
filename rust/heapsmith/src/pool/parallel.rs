//! Parallel iterators over the rows of a pool.

use core::marker::PhantomData;

use rayon::iter::plumbing::UnindexedConsumer;
use rayon::prelude::*;

use crate::handle::Handle;
use crate::pool::slot::Slot;
use crate::pool::{Pool, Storage};

/// A parallel iterator over handles and rows: from `par_iter` of a [`Pool`].
pub struct ParIter<'a, T, K = T> {
    slots: &'a [Slot<T>],
    key: PhantomData<fn() -> K>,
}

/// A mutable parallel iterator over handles and rows: from `par_iter_mut` of a [`Pool`].
pub struct ParIterMut<'a, T, K = T> {
    slots: &'a mut [Slot<T>],
    key: PhantomData<fn() -> K>,
}

impl<'a, T: Sync, K> ParallelIterator for ParIter<'a, T, K> {
    type Item = (Handle<K>, &'a T);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let row = |(index, slot): (usize, &'a Slot<T>)| {
            let tag = slot.tag()?;
            Some((Handle::new(tag, index as u32), slot.get(tag)?))
        };
        self.slots.par_iter().enumerate().filter_map(row).drive_unindexed(consumer)
    }
}

impl<'a, T: Send, K> ParallelIterator for ParIterMut<'a, T, K> {
    type Item = (Handle<K>, &'a mut T);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let row = |(index, slot): (usize, &'a mut Slot<T>)| {
            let tag = slot.tag()?;
            Some((Handle::new(tag, index as u32), slot.get_mut(tag)?))
        };
        self.slots.par_iter_mut().enumerate().filter_map(row).drive_unindexed(consumer)
    }
}

/// For `par_iter`, with the feature `rayon`. The rows are divided by their slots, also by those
/// without a row.
impl<'a, T: Sync, S: Storage<T>, K> IntoParallelIterator for &'a Pool<T, S, K> {
    type Item = (Handle<K>, &'a T);
    type Iter = ParIter<'a, T, K>;

    fn into_par_iter(self) -> ParIter<'a, T, K> {
        ParIter { slots: self.storage.slots(), key: PhantomData }
    }
}

/// For `par_iter_mut`, with the feature `rayon`.
impl<'a, T: Send, S: Storage<T>, K> IntoParallelIterator for &'a mut Pool<T, S, K> {
    type Item = (Handle<K>, &'a mut T);
    type Iter = ParIterMut<'a, T, K>;

    fn into_par_iter(self) -> ParIterMut<'a, T, K> {
        ParIterMut { slots: self.storage.slots_mut(), key: PhantomData }
    }
}
