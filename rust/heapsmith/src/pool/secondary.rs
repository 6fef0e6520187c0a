//! Values beside a pool, found by the handles of its rows.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut};

use crate::handle::Handle;
use crate::pool::secondary_iter::{IntoIter, Iter, IterMut};
use crate::pool::tag::Tag;

/// The value of a row, with the row's tag.
#[derive(Clone)]
pub(super) struct Entry<V> {
    pub(super) tag: Tag,
    pub(super) value: V,
}

/// Values of type `V` for some rows of a [`Pool`](crate::Pool) or [`SoaPool`](crate::SoaPool) of
/// type `T`, found by the handles of those rows.
///
/// A value lies at the index of its row, so finding one costs what finding a row costs. The map
/// takes memory for every index up to the largest. If few rows have a value, a
/// `HashMap<Handle<T>, V>` takes less.
///
/// The map does not know the pool. When a row is removed, its value stays, and no other handle finds
/// it. It is dropped when a value is inserted for another row in the same slot; `retain` drops such
/// values at once. The values of one map belong to the rows of one pool.
///
/// # Complexity
///
/// Constant for operations on one value, amortized where the map grows.
///
/// # Examples
///
/// ```
/// use heapsmith::{Pool, SecondaryMap};
///
/// let mut names = Pool::new();
/// let (ada, alan) = (names.insert("Ada"), names.insert("Alan"));
/// let mut born = SecondaryMap::new();
/// born.insert(ada, 1815);
/// born.insert(alan, 1912);
/// assert_eq!(born[ada], 1815);
/// names.remove(ada);
/// let grace = names.insert("Grace"); // in the slot that was Ada's
/// assert_eq!(born.get(grace), None);
/// born.retain(|handle, _| names.contains(handle));
/// assert_eq!(born.len(), 1);
/// ```
pub struct SecondaryMap<T, V> {
    entries: Vec<Option<Entry<V>>>,
    len: usize,
    rows: PhantomData<fn() -> T>,
}

impl<T, V> SecondaryMap<T, V> {
    /// Creates an empty map without memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = heapsmith::SecondaryMap::<String, u32>::new();
    /// assert_eq!((map.len(), map.capacity()), (0, 0));
    /// ```
    pub const fn new() -> Self {
        Self { entries: Vec::new(), len: 0, rows: PhantomData }
    }

    /// Creates an empty map with memory for the rows with the first `capacity` indices.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<char> = ('a'..='z').collect();
    /// let map = heapsmith::SecondaryMap::<char, u32>::with_capacity(pool.capacity());
    /// assert!(map.capacity() >= 26);
    /// ```
    pub fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), len: 0, rows: PhantomData }
    }

    /// Returns the number of values.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ["a", "b"].into_iter().collect();
    /// let lengths: heapsmith::SecondaryMap<_, _> = pool.iter().map(|(h, s)| (h, s.len())).collect();
    /// assert_eq!(lengths.len(), 2);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if the map has no values.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(heapsmith::SecondaryMap::<String, u32>::new().is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of indices for which there is memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = (0..10).collect();
    /// let mut map = heapsmith::SecondaryMap::new();
    /// map.insert(pool.handle_at(9).unwrap(), 'x');
    /// assert!(map.capacity() >= 10);
    /// ```
    pub fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    /// Inserts the value of a row, and returns the one that the row had before. The value of
    /// another row in the same slot is dropped.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// let mut map = heapsmith::SecondaryMap::new();
    /// assert_eq!((map.insert(handle, 1), map.insert(handle, 2)), (None, Some(1)));
    /// ```
    pub fn insert(&mut self, handle: Handle<T>, value: V) -> Option<V> {
        let (at, tag) = (handle.index() as usize, handle.tag());
        if at >= self.entries.len() {
            self.entries.resize_with(at + 1, || None);
        }
        let old = self.entries[at].replace(Entry { tag, value });
        self.len += usize::from(old.is_none());
        old.filter(|entry| entry.tag == tag).map(|entry| entry.value)
    }

    /// Removes and returns the value of a row.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// let mut map = heapsmith::SecondaryMap::new();
    /// map.insert(handle, 1);
    /// assert_eq!((map.remove(handle), map.remove(handle)), (Some(1), None));
    /// ```
    pub fn remove(&mut self, handle: Handle<T>) -> Option<V> {
        let entry = self.entries.get_mut(handle.index() as usize)?;
        let removed = entry.take_if(|entry| entry.tag == handle.tag())?;
        self.len -= 1;
        Some(removed.value)
    }

    /// Returns `true` if the row has a value.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let (a, b) = (pool.insert('a'), pool.insert('b'));
    /// let map = heapsmith::SecondaryMap::from_iter([(b, 1)]);
    /// assert!(map.contains(b) && !map.contains(a));
    /// ```
    #[inline]
    pub fn contains(&self, handle: Handle<T>) -> bool {
        self.get(handle).is_some()
    }

    /// Returns a reference to the value of a row.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let (a, b) = (pool.insert('a'), pool.insert('b'));
    /// let map = heapsmith::SecondaryMap::from_iter([(b, 1)]);
    /// assert_eq!((map.get(a), map.get(b)), (None, Some(&1)));
    /// ```
    #[inline]
    pub fn get(&self, handle: Handle<T>) -> Option<&V> {
        let entry = self.entries.get(handle.index() as usize)?.as_ref()?;
        if entry.tag == handle.tag() { Some(&entry.value) } else { None }
    }

    /// Returns a mutable reference to the value of a row.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert('a');
    /// let mut map = heapsmith::SecondaryMap::from_iter([(handle, 1)]);
    /// *map.get_mut(handle).unwrap() += 1;
    /// assert_eq!(map[handle], 2);
    /// ```
    #[inline]
    pub fn get_mut(&mut self, handle: Handle<T>) -> Option<&mut V> {
        let entry = self.entries.get_mut(handle.index() as usize)?.as_mut()?;
        if entry.tag == handle.tag() { Some(&mut entry.value) } else { None }
    }

    /// Returns a mutable reference to the value of a row, after inserting the result of `make` if
    /// the row has none.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// let mut visits = heapsmith::SecondaryMap::new();
    /// for _ in 0..3 {
    ///     *visits.get_or_insert_with(handle, || 0) += 1;
    /// }
    /// assert_eq!(visits[handle], 3);
    /// ```
    pub fn get_or_insert_with(&mut self, handle: Handle<T>, make: impl FnOnce() -> V) -> &mut V {
        if !self.contains(handle) {
            self.insert(handle, make());
        }
        self.get_mut(handle).expect("the row has a value")
    }

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
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<T>, &mut V) -> bool) {
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
    pub fn iter(&self) -> Iter<'_, T, V> {
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
    pub fn iter_mut(&mut self) -> IterMut<'_, T, V> {
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
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.iter().map(|(_, value)| value)
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
    pub fn handles(&self) -> impl DoubleEndedIterator<Item = Handle<T>> + ExactSizeIterator {
        self.iter().map(|(handle, _)| handle)
    }
}

impl<T, V> IntoIterator for SecondaryMap<T, V> {
    type Item = (Handle<T>, V);
    type IntoIter = IntoIter<T, V>;

    fn into_iter(self) -> IntoIter<T, V> {
        IntoIter::new(self.entries.into_iter(), self.len)
    }
}

impl<T, V> Default for SecondaryMap<T, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, V: Clone> Clone for SecondaryMap<T, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), len: self.len, rows: PhantomData }
    }
}

/// Maps are equal if the same handles have equal values.
impl<T, V: PartialEq> PartialEq for SecondaryMap<T, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T, V: Eq> Eq for SecondaryMap<T, V> {}

impl<T, V: fmt::Debug> fmt::Debug for SecondaryMap<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Returns the value of a row. Panics if the row has none.
impl<T, V> Index<Handle<T>> for SecondaryMap<T, V> {
    type Output = V;

    #[track_caller]
    fn index(&self, handle: Handle<T>) -> &V {
        self.get(handle).unwrap_or_else(|| panic!("no value for {handle:?}"))
    }
}

impl<T, V> IndexMut<Handle<T>> for SecondaryMap<T, V> {
    #[track_caller]
    fn index_mut(&mut self, handle: Handle<T>) -> &mut V {
        self.get_mut(handle).unwrap_or_else(|| panic!("no value for {handle:?}"))
    }
}
