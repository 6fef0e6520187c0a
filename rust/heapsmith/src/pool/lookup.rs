//! Finding the rows of a pool.

use core::ops::{Index, IndexMut};

use crate::handle::Handle;
use crate::pool::{Pool, Storage, slot};

impl<T, S: Storage<T>, K> Pool<T, S, K> {
    /// Returns `true` if the pool has the handle's row.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert(1);
    /// assert!(pool.contains(handle));
    /// pool.remove(handle);
    /// assert!(!pool.contains(handle));
    /// ```
    #[inline]
    pub fn contains(&self, handle: Handle<K>) -> bool {
        self.get(handle).is_some()
    }

    /// Returns a reference to the handle's row, or `None` if the handle is stale or foreign.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert(1);
    /// assert_eq!(pool.get(handle), Some(&1));
    /// pool.clear();
    /// assert_eq!(pool.get(handle), None);
    /// ```
    #[inline(always)]
    pub fn get(&self, handle: Handle<K>) -> Option<&T> {
        self.storage.slots().get(handle.index() as usize)?.get(handle.tag())
    }

    /// Returns a mutable reference to the handle's row, or `None` if the handle is stale or
    /// foreign.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert(1);
    /// if let Some(row) = pool.get_mut(handle) {
    ///     *row += 1;
    /// }
    /// assert_eq!(pool[handle], 2);
    /// ```
    #[inline(always)]
    pub fn get_mut(&mut self, handle: Handle<K>) -> Option<&mut T> {
        self.storage.slots_mut().get_mut(handle.index() as usize)?.get_mut(handle.tag())
    }

    /// Returns mutable references to several rows at once, or `None` if a handle is stale or
    /// foreign or occurs twice.
    ///
    /// # Complexity
    ///
    /// Quadratic in `N`.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let (a, b) = (pool.insert(1), pool.insert(2));
    /// let [first, second] = pool.get_disjoint_mut([a, b]).unwrap();
    /// core::mem::swap(first, second);
    /// assert_eq!((pool[a], pool[b]), (2, 1));
    /// assert!(pool.get_disjoint_mut([a, a]).is_none());
    /// ```
    pub fn get_disjoint_mut<const N: usize>(
        &mut self,
        handles: [Handle<K>; N],
    ) -> Option<[&mut T; N]> {
        let wanted = handles.map(|handle| (handle.index() as usize, handle.tag()));
        slot::disjoint_rows(self.storage.slots_mut(), wanted)
    }

    /// Returns the end of the range of indices that rows have had: the number of slots.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ('a'..='c').collect();
    /// let text: String = (0..pool.end_index()).filter_map(|i| pool.get_at(i)).collect();
    /// assert_eq!(text, "abc");
    /// ```
    #[inline]
    pub fn end_index(&self) -> u32 {
        self.storage.slots().len() as u32
    }

    /// Returns the handle of the row in slot `index`, or `None` if the slot has no row.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert(1);
    /// assert_eq!(pool.handle_at(handle.index()), Some(handle));
    /// assert_eq!(pool.handle_at(1), None);
    /// ```
    #[inline]
    pub fn handle_at(&self, index: u32) -> Option<Handle<K>> {
        let tag = self.storage.slots().get(index as usize)?.tag()?;
        Some(Handle::new(tag, index))
    }

    /// Returns a reference to the row in slot `index`, or `None` if the slot has no row.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ['a', 'b'].into_iter().collect();
    /// assert_eq!((pool.get_at(1), pool.get_at(2)), (Some(&'b'), None));
    /// ```
    #[inline]
    pub fn get_at(&self, index: u32) -> Option<&T> {
        let slot = self.storage.slots().get(index as usize)?;
        slot.get(slot.tag()?)
    }

    /// Returns a mutable reference to the row in slot `index`, or `None` if the slot has no row.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = ['a', 'b'].into_iter().collect();
    /// pool.get_at_mut(0).unwrap().make_ascii_uppercase();
    /// assert_eq!(pool.get_at(0), Some(&'A'));
    /// ```
    #[inline]
    pub fn get_at_mut(&mut self, index: u32) -> Option<&mut T> {
        let slot = self.storage.slots_mut().get_mut(index as usize)?;
        slot.get_mut(slot.tag()?)
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn refuse<K>(handle: Handle<K>, id: u16) -> ! {
    if handle.pool_id() == id {
        panic!(
            "stale handle: the row of slot {} in generation {} was removed",
            handle.index(),
            handle.generation()
        );
    }
    panic!("foreign handle: it belongs to pool {}, and this is pool {id}", handle.pool_id());
}

/// Returns the handle's row. Panics if the handle is stale or foreign.
impl<T, S: Storage<T>, K> Index<Handle<K>> for Pool<T, S, K> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, handle: Handle<K>) -> &T {
        match self.get(handle) {
            Some(row) => row,
            None => refuse(handle, self.id_number()),
        }
    }
}

impl<T, S: Storage<T>, K> IndexMut<Handle<K>> for Pool<T, S, K> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, handle: Handle<K>) -> &mut T {
        let id = self.id_number();
        match self.get_mut(handle) {
            Some(row) => row,
            None => refuse(handle, id),
        }
    }
}
