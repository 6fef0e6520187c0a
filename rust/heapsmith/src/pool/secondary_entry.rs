//! Entries: the value of a row, or the place for it.

use crate::handle::Handle;
use crate::pool::secondary::SecondaryMap;

/// The value of a row in a [`SecondaryMap`], or the place for it: from [`SecondaryMap::entry`].
pub enum Entry<'a, K, V> {
    /// The row has a value.
    Occupied(OccupiedEntry<'a, K, V>),
    /// The row has no value.
    Vacant(VacantEntry<'a, K, V>),
}

/// The value of a row, which can be removed: from [`Entry`].
pub struct OccupiedEntry<'a, K, V> {
    map: &'a mut SecondaryMap<K, V>,
    handle: Handle<K>,
}

/// The place for the value of a row: from [`Entry`].
pub struct VacantEntry<'a, K, V> {
    map: &'a mut SecondaryMap<K, V>,
    handle: Handle<K>,
}

impl<K, V> SecondaryMap<K, V> {
    /// Returns the entry of a row, to read, insert or remove its value.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// let mut pool = Pool::new();
    /// let handle = pool.insert("row");
    /// let mut visits = SecondaryMap::new();
    /// for _ in 0..3 {
    ///     visits.entry(handle).and_modify(|n| *n += 1).or_insert(1);
    /// }
    /// let SecondaryEntry::Occupied(entry) = visits.entry(handle) else { unreachable!() };
    /// assert_eq!((entry.remove(), visits.len()), (3, 0));
    /// ```
    pub fn entry(&mut self, handle: Handle<K>) -> Entry<'_, K, V> {
        if self.contains(handle) {
            Entry::Occupied(OccupiedEntry { map: self, handle })
        } else {
            Entry::Vacant(VacantEntry { map: self, handle })
        }
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
    pub fn get_or_insert_with(&mut self, handle: Handle<K>, make: impl FnOnce() -> V) -> &mut V {
        if !self.contains(handle) {
            self.insert(handle, make());
        }
        self.get_mut(handle).expect("the row has a value")
    }
}

impl<'a, K, V> Entry<'a, K, V> {
    /// Returns the row's handle.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// assert_eq!(heapsmith::SecondaryMap::<_, u8>::new().entry(handle).handle(), handle);
    /// ```
    pub fn handle(&self) -> Handle<K> {
        match self {
            Self::Occupied(entry) => entry.handle(),
            Self::Vacant(entry) => entry.handle(),
        }
    }

    /// Calls a function with the value, if there is one.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// let mut map = heapsmith::SecondaryMap::from_iter([(handle, 1)]);
    /// let doubled = map.entry(handle).and_modify(|n| *n *= 2).or_insert(0);
    /// assert_eq!(*doubled, 2);
    /// ```
    #[must_use]
    pub fn and_modify(mut self, modify: impl FnOnce(&mut V)) -> Self {
        if let Self::Occupied(entry) = &mut self {
            modify(entry.get_mut());
        }
        self
    }

    /// Returns a mutable reference to the value, after inserting `value` if the row has no
    /// value.
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
    /// *map.entry(handle).or_insert(1) += 1;
    /// assert_eq!(map[handle], 2);
    /// ```
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// Returns a mutable reference to the value, after inserting the result of `make` if the row has
    /// no value.
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
    /// map.entry(handle).or_insert_with(Vec::new).push('a');
    /// assert_eq!(map[handle], ['a']);
    /// ```
    pub fn or_insert_with(self, make: impl FnOnce() -> V) -> &'a mut V {
        match self {
            Self::Occupied(entry) => entry.into_mut(),
            Self::Vacant(entry) => entry.insert(make()),
        }
    }

    /// Returns a mutable reference to the value, after inserting the default if the row has
    /// no value.
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
    /// let mut map = heapsmith::SecondaryMap::<_, u32>::new();
    /// *map.entry(handle).or_default() += 1;
    /// assert_eq!(map[handle], 1);
    /// ```
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

impl<'a, K, V> OccupiedEntry<'a, K, V> {
    /// Returns the row's handle.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// let mut pool = Pool::new();
    /// let handle = pool.insert("row");
    /// let mut map = SecondaryMap::from_iter([(handle, 1)]);
    /// let SecondaryEntry::Occupied(entry) = map.entry(handle) else { unreachable!() };
    /// assert_eq!(entry.handle(), handle);
    /// ```
    pub fn handle(&self) -> Handle<K> {
        self.handle
    }

    /// Returns a reference to the value.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// let mut pool = Pool::new();
    /// let handle = pool.insert("row");
    /// let mut map = SecondaryMap::from_iter([(handle, 1)]);
    /// if let SecondaryEntry::Occupied(mut entry) = map.entry(handle) {
    ///     *entry.get_mut() += 1;
    ///     assert_eq!(*entry.get(), 2);
    /// }
    /// ```
    pub fn get(&self) -> &V {
        self.map.get(self.handle).expect("the row has a value")
    }

    /// Returns a mutable reference to the value.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// let mut pool = Pool::new();
    /// let handle = pool.insert("row");
    /// let mut map = SecondaryMap::from_iter([(handle, 1)]);
    /// if let SecondaryEntry::Occupied(mut entry) = map.entry(handle) {
    ///     *entry.get_mut() += 1;
    /// }
    /// assert_eq!(map[handle], 2);
    /// ```
    pub fn get_mut(&mut self) -> &mut V {
        self.map.get_mut(self.handle).expect("the row has a value")
    }

    /// Returns a mutable reference to the value that lives as long as the map is borrowed.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Handle, Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// fn find(map: &mut SecondaryMap<char, u8>, handle: Handle<char>) -> Option<&mut u8> {
    ///     match map.entry(handle) {
    ///         SecondaryEntry::Occupied(entry) => Some(entry.into_mut()),
    ///         SecondaryEntry::Vacant(_) => None,
    ///     }
    /// }
    /// let mut pool = Pool::new();
    /// let handle = pool.insert('a');
    /// assert_eq!(find(&mut SecondaryMap::from_iter([(handle, 1)]), handle), Some(&mut 1));
    /// ```
    pub fn into_mut(self) -> &'a mut V {
        self.map.get_mut(self.handle).expect("the row has a value")
    }

    /// Replaces the value and returns the old one.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// let mut pool = Pool::new();
    /// let handle = pool.insert('a');
    /// let mut map = SecondaryMap::from_iter([(handle, 1)]);
    /// let SecondaryEntry::Occupied(mut entry) = map.entry(handle) else { unreachable!() };
    /// assert_eq!((entry.insert(2), map[handle]), (1, 2));
    /// ```
    pub fn insert(&mut self, value: V) -> V {
        core::mem::replace(self.get_mut(), value)
    }

    /// Removes and returns the value.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// let mut pool = Pool::new();
    /// let handle = pool.insert('a');
    /// let mut map = SecondaryMap::from_iter([(handle, 1)]);
    /// if let SecondaryEntry::Occupied(entry) = map.entry(handle) {
    ///     assert_eq!(entry.remove(), 1);
    /// }
    /// assert!(map.is_empty());
    /// ```
    pub fn remove(self) -> V {
        self.map.remove(self.handle).expect("the row has a value")
    }
}

impl<'a, K, V> VacantEntry<'a, K, V> {
    /// Returns the row's handle.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// let mut pool = Pool::new();
    /// let handle = pool.insert('a');
    /// let mut map = SecondaryMap::<_, u8>::new();
    /// let SecondaryEntry::Vacant(entry) = map.entry(handle) else { unreachable!() };
    /// assert_eq!(entry.handle(), handle);
    /// ```
    pub fn handle(&self) -> Handle<K> {
        self.handle
    }

    /// Inserts the value and returns a reference to it.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Pool, SecondaryMap, pool::SecondaryEntry};
    ///
    /// let mut pool = Pool::new();
    /// let handle = pool.insert('a');
    /// let mut map = SecondaryMap::new();
    /// if let SecondaryEntry::Vacant(entry) = map.entry(handle) {
    ///     *entry.insert(1) += 1;
    /// }
    /// assert_eq!(map[handle], 2);
    /// ```
    pub fn insert(self, value: V) -> &'a mut V {
        self.map.insert(self.handle, value);
        self.map.get_mut(self.handle).expect("the row has a value")
    }
}
