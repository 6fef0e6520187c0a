//! Iterators over the rows of a pool, by ascending index.

use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice;

use crate::handle::Handle;
use crate::pool::slot::Slot;
use crate::pool::tag::Tag;
use crate::pool::{Pool, Storage};

/// A reference to a slot, which converts to one to its row.
trait SlotReference {
    type Row;
    fn row(self) -> Option<(Tag, Self::Row)>;
}

impl<'a, T> SlotReference for &'a Slot<T> {
    type Row = &'a T;

    #[inline(always)]
    fn row(self) -> Option<(Tag, &'a T)> {
        let tag = self.tag()?;
        Some((tag, self.get(tag)?))
    }
}

impl<'a, T> SlotReference for &'a mut Slot<T> {
    type Row = &'a mut T;

    #[inline(always)]
    fn row(self) -> Option<(Tag, &'a mut T)> {
        let tag = self.tag()?;
        Some((tag, self.get_mut(tag)?))
    }
}

/// An iterator over slots, with a view of those ahead.
trait Slots: DoubleEndedIterator<Item: SlotReference> + ExactSizeIterator {
    type Row;
    fn ahead(&self) -> &[Slot<Self::Row>];
}

impl<T> Slots for slice::Iter<'_, Slot<T>> {
    type Row = T;

    #[inline(always)]
    fn ahead(&self) -> &[Slot<T>] {
        self.as_slice()
    }
}

impl<T> Slots for slice::IterMut<'_, Slot<T>> {
    type Row = T;

    #[inline(always)]
    fn ahead(&self) -> &[Slot<T>] {
        self.as_slice()
    }
}

/// An item of an iterator over live rows: a handle and a reference to its row.
type Found<I> = (Handle<<I as Slots>::Row>, <<I as Iterator>::Item as SlotReference>::Row);

/// An iterator over the live ones among some slots.
#[derive(Clone)]
struct Live<I> {
    slots: I,
    /// The index of the next slot.
    first: u32,
    left: usize,
}

impl<I: Slots> Live<I> {
    #[inline(always)]
    fn next(&mut self) -> Option<Found<I>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        loop {
            let (slot, index) = (self.slots.next()?, self.first);
            self.first += 1;
            if let Some((tag, row)) = slot.row() {
                return Some((Handle::new(tag, index), row));
            }
        }
    }

    #[inline(always)]
    fn next_back(&mut self) -> Option<Found<I>> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        loop {
            let slot = self.slots.next_back()?;
            if let Some((tag, row)) = slot.row() {
                return Some((Handle::new(tag, self.first + self.slots.len() as u32), row));
            }
        }
    }

    /// Where many slots are dead, finds the live ones among up to 64 at a time: a branch on each
    /// slot would be mispredicted about every second time.
    #[inline(always)]
    fn fold<A>(mut self, mut so_far: A, mut step: impl FnMut(A, Found<I>) -> A) -> A {
        if self.left >= self.slots.len() / 8 * 7 {
            while let Some(found) = self.next() {
                so_far = step(so_far, found);
            }
            return so_far;
        }
        while self.left > 0 {
            let ahead = self.slots.ahead();
            let ahead = &ahead[..ahead.len().min(64)];
            let bit = |(i, slot): (usize, &Slot<_>)| u64::from(slot.tag().is_some()) << i;
            let mut live = ahead.iter().enumerate().map(bit).fold(0, |live, bit| live | bit);
            let (end, mut next) = (ahead.len(), 0);
            self.left -= live.count_ones() as usize;
            while live != 0 {
                let at = live.trailing_zeros() as usize;
                live &= live - 1;
                if let Some((tag, row)) = self.slots.nth(at - next).and_then(SlotReference::row) {
                    so_far = step(so_far, (Handle::new(tag, self.first + at as u32), row));
                }
                next = at + 1;
            }
            if next < end {
                self.slots.nth(end - next - 1);
            }
            self.first += end as u32;
        }
        so_far
    }
}

macro_rules! live_iterator {
    ($(#[$doc:meta])* $name:ident: $slots:ident, $item:ty, $from:pat => $to:expr) => {
        $(#[$doc])*
        pub struct $name<'a, T, K = T>(Live<slice::$slots<'a, Slot<T>>>, PhantomData<fn() -> K>);

        impl<'a, T, K> Iterator for $name<'a, T, K> {
            type Item = $item;

            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$from| $to)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.0.left, Some(self.0.left))
            }

            #[inline(always)]
            fn fold<A, F: FnMut(A, $item) -> A>(self, so_far: A, mut step: F) -> A {
                self.0.fold(so_far, |so_far, $from| step(so_far, $to))
            }
        }

        impl<T, K> DoubleEndedIterator for $name<'_, T, K> {
            #[inline(always)]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$from| $to)
            }
        }

        impl<T, K> ExactSizeIterator for $name<'_, T, K> {}
        impl<T, K> FusedIterator for $name<'_, T, K> {}
    };
}

live_iterator! {
    /// An iterator over handles and rows: from [`Pool::iter`].
    Iter: Iter, (Handle<K>, &'a T), (handle, row) => (handle.cast(), row)
}
live_iterator! {
    /// A mutable iterator over handles and rows: from [`Pool::iter_mut`].
    IterMut: IterMut, (Handle<K>, &'a mut T), (handle, row) => (handle.cast(), row)
}
live_iterator! {
    /// An iterator over rows: from [`Pool::rows`].
    Rows: Iter, &'a T, (_, row) => row
}
live_iterator! {
    /// A mutable iterator over rows: from [`Pool::rows_mut`].
    RowsMut: IterMut, &'a mut T, (_, row) => row
}
live_iterator! {
    /// An iterator over handles: from [`Pool::handles`].
    Handles: Iter, Handle<K>, (handle, _) => handle.cast()
}

macro_rules! clone_iterator {
    ($($name:ident)*) => {$(
        impl<T, K> Clone for $name<'_, T, K> {
            fn clone(&self) -> Self {
                Self(self.0.clone(), PhantomData)
            }
        }
    )*};
}
clone_iterator!(Iter Rows Handles);

impl<T, S: Storage<T>, K> Pool<T, S, K> {
    #[inline]
    fn live(&self) -> Live<slice::Iter<'_, Slot<T>>> {
        Live { slots: self.storage.slots().iter(), first: 0, left: self.len() }
    }

    #[inline]
    fn live_mut(&mut self) -> Live<slice::IterMut<'_, Slot<T>>> {
        let left = self.len();
        Live { slots: self.storage.slots_mut().iter_mut(), first: 0, left }
    }

    /// Returns an iterator over all rows and their handles, by ascending index.
    ///
    /// # Complexity
    ///
    /// Linear in the slots, as for every iterator over a pool.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ["Ada", "Grace"].into_iter().collect();
    /// for (handle, row) in &pool {
    ///     assert_eq!(pool[handle], *row);
    /// }
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T, K> {
        Iter(self.live(), PhantomData)
    }

    /// Returns a mutable iterator over all rows and their handles.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<u64> = (1..=3).collect();
    /// for (handle, row) in &mut pool {
    ///     *row = handle.to_bits().get();
    /// }
    /// assert!(pool.iter().all(|(handle, row)| handle.to_bits().get() == *row));
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T, K> {
        IterMut(self.live_mut(), PhantomData)
    }

    /// Returns an iterator over all rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = (1..=3).collect();
    /// assert_eq!(pool.rows().rev().copied().collect::<Vec<_>>(), [3, 2, 1]);
    /// ```
    #[inline]
    pub fn rows(&self) -> Rows<'_, T, K> {
        Rows(self.live(), PhantomData)
    }

    /// Returns a mutable iterator over all rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = (1..=3).collect();
    /// pool.rows_mut().for_each(|row| *row *= 10);
    /// assert!(pool.rows().eq(&[10, 20, 30]));
    /// ```
    #[inline]
    pub fn rows_mut(&mut self) -> RowsMut<'_, T, K> {
        RowsMut(self.live_mut(), PhantomData)
    }

    /// Returns an iterator over the handles of all rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = (1..=3).collect();
    /// let largest = pool.handles().max_by_key(|handle| pool[*handle]).unwrap();
    /// assert_eq!(pool[largest], 3);
    /// ```
    #[inline]
    pub fn handles(&self) -> Handles<'_, T, K> {
        Handles(self.live(), PhantomData)
    }
}
