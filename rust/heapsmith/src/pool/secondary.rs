//! Values beside a pool, found by the handles of its rows.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::array;
use core::fmt;
use core::marker::PhantomData;
use core::mem;
use core::ops::{Index, IndexMut};

use crate::error::{AllocError, Full};
use crate::handle::Handle;
use crate::pool::tag::Tag;

/// The value of a row, with the row's tag.
#[derive(Clone)]
pub(super) struct Entry<V> {
    pub(super) tag: Tag,
    pub(super) value: V,
}

/// Values of type `V` for some rows of a [`Pool`](crate::Pool) or [`SoaPool`](crate::SoaPool),
/// found by the handles of those rows. `K` is the pool's key, which is the type of its rows unless
/// the pool is a [`KeyedPool`](crate::KeyedPool).
///
/// A value lies at the index of its row, so finding one costs what finding a row costs. The map
/// takes memory for every index up to the largest. If few rows have a value, a
/// `HashMap<Handle<K>, V>` takes less.
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
pub struct SecondaryMap<K, V> {
    pub(super) entries: Vec<Option<Entry<V>>>,
    pub(super) len: usize,
    key: PhantomData<fn() -> K>,
}

impl<K, V> SecondaryMap<K, V> {
    /// Creates an empty map without memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let map = heapsmith::SecondaryMap::<String, u32>::new();
    /// assert_eq!((map.len(), map.capacity()), (0, 0));
    /// ```
    pub const fn new() -> Self {
        Self { entries: Vec::new(), len: 0, key: PhantomData }
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
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        let mut map = Self::new();
        map.set_capacity(capacity);
        map
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

    /// Makes room for the rows with the first `capacity` indices, if there is less.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<char> = ('a'..='z').collect();
    /// let mut map = heapsmith::SecondaryMap::<char, u32>::new();
    /// map.set_capacity(pool.capacity());
    /// assert!(map.capacity() >= 26);
    /// ```
    #[track_caller]
    pub fn set_capacity(&mut self, capacity: usize) {
        self.try_set_capacity(capacity).unwrap_or_else(|e| e.panic());
    }

    /// Like [`set_capacity`](Self::set_capacity), but returns an error if out of memory.
    pub fn try_set_capacity(&mut self, capacity: usize) -> Result<(), AllocError> {
        let additional = capacity.saturating_sub(self.entries.len());
        let reserved = self.entries.try_reserve_exact(additional);
        reserved.map_err(|_| Self::refusal(capacity))
    }

    fn refusal(capacity: usize) -> AllocError {
        let layout = Layout::array::<Option<Entry<V>>>(capacity);
        layout.map_or(AllocError::TooLarge, |layout| AllocError::NoRoom { layout, remaining: 0 })
    }

    /// Inserts the value of a row, and returns the one that the row had before. The value of
    /// another row in the same slot is dropped.
    ///
    /// The map takes memory for all indices up to the row's. A handle from an untrusted integer can
    /// have any index below 2^32.
    ///
    /// # Panics
    ///
    /// Panics if out of memory. [`try_insert`](Self::try_insert) returns the value instead.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// let mut map = heapsmith::SecondaryMap::new();
    /// assert_eq!((map.insert(handle, 1), map.insert(handle, 2)), (None, Some(1)));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, handle: Handle<K>, value: V) -> Option<V> {
        self.try_reach(handle).unwrap_or_else(|e| e.panic());
        self.place(handle, value)
    }

    /// Like [`insert`](Self::insert), but returns the value if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// let mut map = heapsmith::SecondaryMap::new();
    /// assert_eq!((map.try_insert(handle, 1), map.try_insert(handle, 2)), (Ok(None), Ok(Some(1))));
    /// ```
    pub fn try_insert(&mut self, handle: Handle<K>, value: V) -> Result<Option<V>, Full<V>> {
        match self.try_reach(handle) {
            Ok(()) => Ok(self.place(handle, value)),
            Err(_) => Err(Full(value)),
        }
    }

    /// Makes the entries reach to a row's index.
    fn try_reach(&mut self, handle: Handle<K>) -> Result<(), AllocError> {
        let count = (handle.index() as usize).checked_add(1).ok_or(AllocError::TooLarge)?;
        if count > self.entries.len() {
            let more = count - self.entries.len();
            let reserved = self.entries.try_reserve(more);
            let reserved = reserved.or_else(|_| self.entries.try_reserve_exact(more));
            reserved.map_err(|_| Self::refusal(count))?;
            self.entries.resize_with(count, || None);
        }
        Ok(())
    }

    /// An item for each index: the handle and the value, or nothing.
    #[cfg(feature = "serde")]
    pub(crate) fn slots(&self) -> impl Iterator<Item = Option<(Handle<K>, &V)>> {
        (0..).zip(&self.entries).map(|(index, entry)| {
            let entry = entry.as_ref()?;
            Some((Handle::new(entry.tag, index), &entry.value))
        })
    }

    fn place(&mut self, handle: Handle<K>, value: V) -> Option<V> {
        let tag = handle.tag();
        let old = self.entries[handle.index() as usize].replace(Entry { tag, value });
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
    pub fn remove(&mut self, handle: Handle<K>) -> Option<V> {
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
    pub fn contains(&self, handle: Handle<K>) -> bool {
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
    pub fn get(&self, handle: Handle<K>) -> Option<&V> {
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
    pub fn get_mut(&mut self, handle: Handle<K>) -> Option<&mut V> {
        let entry = self.entries.get_mut(handle.index() as usize)?.as_mut()?;
        if entry.tag == handle.tag() { Some(&mut entry.value) } else { None }
    }

    /// Returns mutable references to the values of several rows at once, or `None` if a row has no
    /// value or a handle occurs twice.
    ///
    /// # Complexity
    ///
    /// O(`N` log `N`).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let (a, b) = (pool.insert('a'), pool.insert('b'));
    /// let mut map = heapsmith::SecondaryMap::from_iter([(a, 1), (b, 2)]);
    /// let [first, second] = map.get_disjoint_mut([b, a]).unwrap();
    /// core::mem::swap(first, second);
    /// assert_eq!((map[a], map[b]), (2, 1));
    /// assert!(map.get_disjoint_mut([a, a]).is_none());
    /// ```
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [Handle<K>; N],
    ) -> Option<[&mut V; N]> {
        let mut order: [usize; N] = array::from_fn(|i| i);
        order.sort_unstable_by_key(|&i| handles[i].index());
        let mut found = [const { None }; N];
        // The entries from the index `first` on, of which nothing was taken yet.
        let (mut rest, mut first) = (&mut self.entries[..], 0);
        for i in order {
            let at = handles[i].index() as usize;
            let from = mem::take(&mut rest).get_mut(at.checked_sub(first)?..)?;
            let (entry, after) = from.split_first_mut()?;
            let entry = entry.as_mut().filter(|entry| entry.tag == handles[i].tag())?;
            found[i] = Some(&mut entry.value);
            (rest, first) = (after, at + 1);
        }
        Some(found.map(|value| value.expect("each handle has a value")))
    }
}

impl<K, V> Default for SecondaryMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V: Clone> Clone for SecondaryMap<K, V> {
    fn clone(&self) -> Self {
        Self { entries: self.entries.clone(), len: self.len, key: PhantomData }
    }
}

/// Maps are equal if the same handles have equal values.
impl<K, V: PartialEq> PartialEq for SecondaryMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K, V: Eq> Eq for SecondaryMap<K, V> {}

impl<K, V: fmt::Debug> fmt::Debug for SecondaryMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Returns the value of a row. Panics if the row has none.
impl<K, V> Index<Handle<K>> for SecondaryMap<K, V> {
    type Output = V;

    #[track_caller]
    fn index(&self, handle: Handle<K>) -> &V {
        self.get(handle).unwrap_or_else(|| panic!("no value for {handle:?}"))
    }
}

impl<K, V> IndexMut<Handle<K>> for SecondaryMap<K, V> {
    #[track_caller]
    fn index_mut(&mut self, handle: Handle<K>) -> &mut V {
        self.get_mut(handle).unwrap_or_else(|| panic!("no value for {handle:?}"))
    }
}
