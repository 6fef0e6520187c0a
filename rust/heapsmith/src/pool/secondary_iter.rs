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
        pub struct $name<$($life,)? T, V> {
            entries: $entries,
            /// The index of the next entry.
            first: u32,
            /// The number of values that are left.
            left: usize,
            rows: PhantomData<fn() -> T>,
        }

        impl<$($life,)? T, V> $name<$($life,)? T, V> {
            pub(super) fn new(entries: $entries, left: usize) -> Self {
                Self { entries, first: 0, left, rows: PhantomData }
            }
        }

        impl<$($life,)? T, V> Iterator for $name<$($life,)? T, V> {
            type Item = (Handle<T>, $value);

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

        impl<$($life,)? T, V> DoubleEndedIterator for $name<$($life,)? T, V> {
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

        impl<$($life,)? T, V> ExactSizeIterator for $name<$($life,)? T, V> {}
        impl<$($life,)? T, V> FusedIterator for $name<$($life,)? T, V> {}
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
    /// An iterator over handles and owned values.
    IntoIter<>, vec::IntoIter<Option<Entry<V>>>, V,
    core::convert::identity, |entry: Entry<V>| entry.value
);

impl<'a, T, V> IntoIterator for &'a SecondaryMap<T, V> {
    type Item = (Handle<T>, &'a V);
    type IntoIter = Iter<'a, T, V>;

    fn into_iter(self) -> Iter<'a, T, V> {
        self.iter()
    }
}

impl<'a, T, V> IntoIterator for &'a mut SecondaryMap<T, V> {
    type Item = (Handle<T>, &'a mut V);
    type IntoIter = IterMut<'a, T, V>;

    fn into_iter(self) -> IterMut<'a, T, V> {
        self.iter_mut()
    }
}

impl<T, V> Extend<(Handle<T>, V)> for SecondaryMap<T, V> {
    fn extend<I: IntoIterator<Item = (Handle<T>, V)>>(&mut self, values: I) {
        for (handle, value) in values {
            self.insert(handle, value);
        }
    }
}

impl<T, V> FromIterator<(Handle<T>, V)> for SecondaryMap<T, V> {
    fn from_iter<I: IntoIterator<Item = (Handle<T>, V)>>(values: I) -> Self {
        let mut map = Self::new();
        map.extend(values);
        map
    }
}
