//! Iterators over the rows of a pool, in the order of their indices.

use core::iter::{Enumerate, FusedIterator};
use core::slice;

use crate::handle::Handle;
use crate::pool::slot::Slot;
use crate::pool::tag::Tag;
use crate::pool::{Pool, Storage};

/// A reference to a slot, from which one to its row is made.
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

/// The live ones among some slots.
#[derive(Clone)]
struct Live<I> {
    slots: Enumerate<I>,
    left: usize,
}

impl<I: Iterator<Item: SlotReference>> Live<I> {
    #[inline(always)]
    fn next<T>(&mut self) -> Option<(Handle<T>, <I::Item as SlotReference>::Row)> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        self.slots
            .find_map(|(i, slot)| slot.row().map(|(tag, row)| (Handle::new(tag, i as u32), row)))
    }

    #[inline(always)]
    fn next_back<T>(&mut self) -> Option<(Handle<T>, <I::Item as SlotReference>::Row)>
    where
        I: DoubleEndedIterator + ExactSizeIterator,
    {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let mut slots = self.slots.by_ref().rev();
        slots.find_map(|(i, slot)| slot.row().map(|(tag, row)| (Handle::new(tag, i as u32), row)))
    }
}

macro_rules! live_iterator {
    ($(#[$doc:meta])* $name:ident: $slots:ident, $item:ty, $from:pat => $to:expr) => {
        $(#[$doc])*
        pub struct $name<'a, T>(Live<slice::$slots<'a, Slot<T>>>);

        impl<'a, T> Iterator for $name<'a, T> {
            type Item = $item;

            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                self.0.next().map(|$from: (Handle<T>, _)| $to)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.0.left, Some(self.0.left))
            }
        }

        impl<T> DoubleEndedIterator for $name<'_, T> {
            #[inline(always)]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.0.next_back().map(|$from: (Handle<T>, _)| $to)
            }
        }

        impl<T> ExactSizeIterator for $name<'_, T> {}
        impl<T> FusedIterator for $name<'_, T> {}
    };
}

live_iterator! {
    /// Handles and rows; see [`Pool::iter`].
    Iter: Iter, (Handle<T>, &'a T), pair => pair
}
live_iterator! {
    /// Handles and rows to be changed; see [`Pool::iter_mut`].
    IterMut: IterMut, (Handle<T>, &'a mut T), pair => pair
}
live_iterator! {
    /// Rows; see [`Pool::rows`].
    Rows: Iter, &'a T, (_, row) => row
}
live_iterator! {
    /// Rows to be changed; see [`Pool::rows_mut`].
    RowsMut: IterMut, &'a mut T, (_, row) => row
}
live_iterator! {
    /// Handles; see [`Pool::handles`].
    Handles: Iter, Handle<T>, (handle, _) => handle
}

macro_rules! clone_iterator {
    ($($name:ident)*) => {$(
        impl<T> Clone for $name<'_, T> {
            fn clone(&self) -> Self {
                Self(self.0.clone())
            }
        }
    )*};
}
clone_iterator!(Iter Rows Handles);

impl<T, S: Storage<T>> Pool<T, S> {
    #[inline]
    fn live(&self) -> Live<slice::Iter<'_, Slot<T>>> {
        Live { slots: self.storage.slots().iter().enumerate(), left: self.len() }
    }

    #[inline]
    fn live_mut(&mut self) -> Live<slice::IterMut<'_, Slot<T>>> {
        let left = self.len();
        Live { slots: self.storage.slots_mut().iter_mut().enumerate(), left }
    }

    /// All rows with their handles, in the order of their indices.
    ///
    /// Complexity: linear in the slots, as for every iterator over a pool.
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ["Ada", "Grace"].into_iter().collect();
    /// for (handle, row) in &pool {
    ///     assert_eq!(pool[handle], *row);
    /// }
    /// ```
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self.live())
    }

    /// All rows with their handles, to be changed.
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<u64> = (1..=3).collect();
    /// for (handle, row) in &mut pool {
    ///     *row = handle.to_bits().get();
    /// }
    /// assert!(pool.iter().all(|(handle, row)| handle.to_bits().get() == *row));
    /// ```
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut(self.live_mut())
    }

    /// All rows.
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = (1..=3).collect();
    /// assert_eq!(pool.rows().rev().copied().collect::<Vec<_>>(), [3, 2, 1]);
    /// ```
    #[inline]
    pub fn rows(&self) -> Rows<'_, T> {
        Rows(self.live())
    }

    /// All rows, to be changed.
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = (1..=3).collect();
    /// pool.rows_mut().for_each(|row| *row *= 10);
    /// assert!(pool.rows().eq(&[10, 20, 30]));
    /// ```
    #[inline]
    pub fn rows_mut(&mut self) -> RowsMut<'_, T> {
        RowsMut(self.live_mut())
    }

    /// The handles of all rows.
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = (1..=3).collect();
    /// let largest = pool.handles().max_by_key(|handle| pool[*handle]).unwrap();
    /// assert_eq!(pool[largest], 3);
    /// ```
    #[inline]
    pub fn handles(&self) -> Handles<'_, T> {
        Handles(self.live())
    }
}
