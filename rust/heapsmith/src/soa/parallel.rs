//! Parallel iterators over the rows of a pool in columns.

use core::marker::PhantomData;

use rayon::iter::plumbing::{Consumer, Producer, ProducerCallback, UnindexedConsumer, bridge};
use rayon::prelude::*;

use crate::handle::Handle;
use crate::pool::Storage;
use crate::soa::table::Table;
use crate::soa::{IterMut, Mut, Ref, Soa, SoaPool, access};

/// A parallel iterator over handles and rows: from `par_iter` of a [`SoaPool`].
pub struct ParIter<'a, T: Soa, K = T> {
    handles: &'a [Handle<K>],
    table: &'a Table<T::Fields>,
    /// The rows outlive `'a`.
    refs: PhantomData<fn(&'a T)>,
}

/// A mutable parallel iterator over handles and rows: from `par_iter_mut` of a [`SoaPool`].
pub struct ParIterMut<'a, T: Soa, K = T>(IterMut<'a, T, K>);

impl<'a, T: Soa, K> ParIter<'a, T, K>
where
    T::Fields: Sync,
    Ref<'a, T>: Send,
{
    fn rows(self) -> impl IndexedParallelIterator<Item = (Handle<K>, Ref<'a, T>)> {
        let table = self.table;
        self.handles.par_iter().enumerate().map(move |(position, handle)| {
            let fields = table.refs(position).expect("there is a row for each handle");
            (*handle, access::refs::<T>(fields))
        })
    }
}

impl<'a, T: Soa, K> Producer for ParIterMut<'a, T, K>
where
    T::Fields: Send,
{
    type Item = (Handle<K>, Mut<'a, T>);
    type IntoIter = IterMut<'a, T, K>;

    fn into_iter(self) -> IterMut<'a, T, K> {
        self.0
    }

    fn split_at(self, rows: usize) -> (Self, Self) {
        let (left, right) = self.0.split_at(rows);
        (Self(left), Self(right))
    }
}

impl<'a, T: Soa, K> ParallelIterator for ParIter<'a, T, K>
where
    T::Fields: Sync,
    Ref<'a, T>: Send,
{
    type Item = (Handle<K>, Ref<'a, T>);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.rows().drive_unindexed(consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.handles.len())
    }
}

impl<'a, T: Soa, K> IndexedParallelIterator for ParIter<'a, T, K>
where
    T::Fields: Sync,
    Ref<'a, T>: Send,
{
    fn len(&self) -> usize {
        self.handles.len()
    }

    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        self.rows().drive(consumer)
    }

    fn with_producer<B: ProducerCallback<Self::Item>>(self, callback: B) -> B::Output {
        self.rows().with_producer(callback)
    }
}

impl<'a, T: Soa, K> ParallelIterator for ParIterMut<'a, T, K>
where
    T::Fields: Send,
    Mut<'a, T>: Send,
{
    type Item = (Handle<K>, Mut<'a, T>);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

impl<'a, T: Soa, K> IndexedParallelIterator for ParIterMut<'a, T, K>
where
    T::Fields: Send,
    Mut<'a, T>: Send,
{
    fn len(&self) -> usize {
        self.0.len()
    }

    fn drive<C: Consumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge(self, consumer)
    }

    fn with_producer<B: ProducerCallback<Self::Item>>(self, callback: B) -> B::Output {
        callback.callback(self)
    }
}

/// For `par_iter`, with the feature `rayon`. The columns are slices, which have parallel iterators
/// of their own.
impl<'a, T: Soa, S: Storage<u32>, K> IntoParallelIterator for &'a SoaPool<T, S, K>
where
    T::Fields: Sync,
    Ref<'a, T>: Send,
{
    type Item = (Handle<K>, Ref<'a, T>);
    type Iter = ParIter<'a, T, K>;

    fn into_par_iter(self) -> ParIter<'a, T, K> {
        ParIter { handles: &self.handles, table: &self.table, refs: PhantomData }
    }
}

/// For `par_iter_mut`, with the feature `rayon`.
impl<'a, T: Soa, S: Storage<u32>, K> IntoParallelIterator for &'a mut SoaPool<T, S, K>
where
    T::Fields: Send,
    Mut<'a, T>: Send,
{
    type Item = (Handle<K>, Mut<'a, T>);
    type Iter = ParIterMut<'a, T, K>;

    fn into_par_iter(self) -> ParIterMut<'a, T, K> {
        ParIterMut(self.iter_mut())
    }
}
