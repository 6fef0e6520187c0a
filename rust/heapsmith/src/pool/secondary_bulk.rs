//! All values of a secondary map.

use crate::handle::Handle;
use crate::pool::secondary::SecondaryMap;
use crate::pool::secondary_iter::{Drain, Iter, IterMut};

impl<K, V> SecondaryMap<K, V> {
    /// Keeps the values for which `keep` returns `true`, and drops the others, in the order of their
    /// indices.
    ///
    /// # Complexity
    ///
    /// Linear in the largest index.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = (0..9).collect();
    /// let mut map: heapsmith::SecondaryMap<_, _> = pool.iter().map(|(h, n)| (h, n * n)).collect();
    /// pool.retain(|_, n| *n % 2 == 0);
    /// map.retain(|handle, _| pool.contains(handle)); // drops the values of removed rows
    /// assert!(map.values().eq(&[0, 4, 16, 36, 64]));
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<K>, &mut V) -> bool) {
        for (at, slot) in self.entries.iter_mut().enumerate() {
            let dropped =
                slot.take_if(|entry| !keep(Handle::new(entry.tag, at as u32), &mut entry.value));
            self.len -= usize::from(dropped.is_some());
        }
    }

    /// Drops all values and keeps the memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let mut map = heapsmith::SecondaryMap::from_iter([(pool.insert('a'), 1)]);
    /// map.clear();
    /// assert!(map.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.len = 0;
        self.entries.clear();
    }

    /// Removes all values and returns them with their handles, in the order of their indices. The
    /// map keeps its memory. If the iterator is forgotten, the values that are left leak.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let (a, b) = (pool.insert('a'), pool.insert('b'));
    /// let mut map = heapsmith::SecondaryMap::from_iter([(b, 2), (a, 1)]);
    /// assert!(map.drain().eq([(a, 1), (b, 2)]));
    /// assert!(map.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, K, V> {
        let left = core::mem::take(&mut self.len);
        Drain::new(self.entries.drain(..), left)
    }

    /// Returns an iterator over handles and values, in the order of their indices.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ["a", "bc"].into_iter().collect();
    /// let lengths: heapsmith::SecondaryMap<_, _> = pool.iter().map(|(h, s)| (h, s.len())).collect();
    /// for (handle, length) in &lengths {
    ///     assert_eq!(pool[handle].len(), *length);
    /// }
    /// ```
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter::new(self.entries.iter(), self.len)
    }

    /// Returns an iterator over handles and mutable references to values.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ["a", "bc"].into_iter().collect();
    /// let mut map: heapsmith::SecondaryMap<_, _> = pool.handles().map(|h| (h, 0)).collect();
    /// map.iter_mut().for_each(|(handle, value)| *value = pool[handle].len());
    /// assert!(map.values().eq(&[1, 2]));
    /// ```
    pub fn iter_mut(&mut self) -> IterMut<'_, K, V> {
        IterMut::new(self.entries.iter_mut(), self.len)
    }

    /// Returns an iterator over the values.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let map = heapsmith::SecondaryMap::from_iter([(pool.insert('a'), 1), (pool.insert('b'), 2)]);
    /// assert_eq!(map.values().sum::<i32>(), 3);
    /// ```
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// Returns a mutable iterator over the values.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert('a');
    /// let mut map = heapsmith::SecondaryMap::from_iter([(handle, 1)]);
    /// map.values_mut().for_each(|value| *value *= 10);
    /// assert_eq!(map[handle], 10);
    /// ```
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> + ExactSizeIterator {
        self.iter_mut().map(|(_, value)| value)
    }

    /// Returns an iterator over the handles that have values.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let (a, b) = (pool.insert('a'), pool.insert('b'));
    /// let map = heapsmith::SecondaryMap::from_iter([(b, 2), (a, 1)]);
    /// assert!(map.handles().eq([a, b]));
    /// ```
    pub fn handles(
        &self,
    ) -> impl DoubleEndedIterator<Item = Handle<K>> + ExactSizeIterator + Clone {
        self.iter().map(|(handle, _)| handle)
    }
}
