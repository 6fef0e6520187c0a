//! Iterators over the values of a secondary map, by ascending index, and maps made by iterators.

use alloc::vec;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::slice;

use crate::handle::Handle;
use crate::pool::secondary::{Entry, SecondaryMap};

/// Defines an iterator over entries. `$some` turns an item of the entries into an option.
macro_rules! iterator {
    ($(#[$about:meta])+ $name:ident<$($life:lifetime)?>, $entries:ty, $value:ty, $some:expr, $field:expr) => {
        $(#[$about])+
        pub struct $name<$($life,)? K, V> {
            entries: $entries,
            /// The index of the next entry.
            first: u32,
            /// The number of values that are left.
            left: usize,
            key: PhantomData<fn() -> K>,
        }

        impl<$($life,)? K, V> $name<$($life,)? K, V> {
            pub(super) fn new(entries: $entries, left: usize) -> Self {
                Self { entries, first: 0, left, key: PhantomData }
            }
        }

        impl<$($life,)? K, V> Iterator for $name<$($life,)? K, V> {
            type Item = (Handle<K>, $value);

            fn next(&mut self) -> Option<Self::Item> {
                loop {
                    let (entry, index) = (self.entries.next()?, self.first);
                    self.first += 1;
                    if let Some(entry) = $some(entry) {
                        self.left -= 1;
                        return Some((Handle::new(entry.tag, index), $field(entry)));
                    }
                }
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.left, Some(self.left))
            }
        }

        impl<$($life,)? K, V> DoubleEndedIterator for $name<$($life,)? K, V> {
            fn next_back(&mut self) -> Option<Self::Item> {
                loop {
                    let entry = self.entries.next_back()?;
                    let index = self.first + self.entries.len() as u32;
                    if let Some(entry) = $some(entry) {
                        self.left -= 1;
                        return Some((Handle::new(entry.tag, index), $field(entry)));
                    }
                }
            }
        }

        impl<$($life,)? K, V> ExactSizeIterator for $name<$($life,)? K, V> {}
        impl<$($life,)? K, V> FusedIterator for $name<$($life,)? K, V> {}
    };
}

iterator!(
    /// An iterator over handles and values: from [`SecondaryMap::iter`].
    Iter<'a>, slice::Iter<'a, Option<Entry<V>>>, &'a V,
    Option::as_ref, |entry: &'a Entry<V>| &entry.value
);
iterator!(
    /// A mutable iterator over handles and values: from [`SecondaryMap::iter_mut`].
    IterMut<'a>, slice::IterMut<'a, Option<Entry<V>>>, &'a mut V,
    Option::as_mut, |entry: &'a mut Entry<V>| &mut entry.value
);
iterator!(
    /// An iterator that moves the values out of a map, with their handles.
    IntoIter<>, vec::IntoIter<Option<Entry<V>>>, V,
    core::convert::identity, |entry: Entry<V>| entry.value
);
iterator!(
    /// An iterator that removes the values of a map: from [`SecondaryMap::drain`].
    Drain<'a>, vec::Drain<'a, Option<Entry<V>>>, V,
    core::convert::identity, |entry: Entry<V>| entry.value
);

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), ..*self }
    }
}

impl<K, V> IntoIterator for SecondaryMap<K, V> {
    type Item = (Handle<K>, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter::new(self.entries.into_iter(), self.len)
    }
}

impl<'a, K, V> IntoIterator for &'a SecondaryMap<K, V> {
    type Item = (Handle<K>, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut SecondaryMap<K, V> {
    type Item = (Handle<K>, &'a mut V);
    type IntoIter = IterMut<'a, K, V>;

    fn into_iter(self) -> IterMut<'a, K, V> {
        self.iter_mut()
    }
}

impl<K, V> Extend<(Handle<K>, V)> for SecondaryMap<K, V> {
    fn extend<I: IntoIterator<Item = (Handle<K>, V)>>(&mut self, values: I) {
        for (handle, value) in values {
            self.insert(handle, value);
        }
    }
}

impl<K, V> FromIterator<(Handle<K>, V)> for SecondaryMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (Handle<K>, V)>>(values: I) -> Self {
        let mut map = Self::new();
        map.extend(values);
        map
    }
}
