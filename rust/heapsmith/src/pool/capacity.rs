//! The slots of a pool: how many there are, and which are free.

use crate::error::AllocError;
use crate::pool::slot::NONE;
use crate::pool::tag::{PoolId, Tag};
use crate::pool::{Pool, Storage};

impl<T, S: Storage<T>, K> Pool<T, S, K> {
    /// Returns the number of rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ["a", "b"].into_iter().collect();
    /// assert_eq!(pool.len(), 2);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Returns `true` if the pool has no rows.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(heapsmith::Pool::<u8>::new().is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of rows that the pool can hold without allocating.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(heapsmith::InlinePool::<u8, 7>::inline().capacity(), 7);
    /// ```
    #[inline]
    pub fn capacity(&self) -> usize {
        self.storage.room() - self.retired as usize
    }

    /// Reserves capacity for at least `additional` more rows.
    ///
    /// # Panics
    ///
    /// Panics if the pool does not grow and has too few free slots, or if out of memory.
    ///
    /// # Complexity
    ///
    /// Linear in the slots if they must move.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// pool.reserve(100);
    /// let capacity = pool.capacity();
    /// pool.extend(0..100);
    /// assert_eq!(pool.capacity(), capacity);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        self.try_reserve(additional).unwrap_or_else(|e| e.panic());
    }

    /// Like [`reserve`](Self::reserve), but returns an error instead of panicking.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::InlinePool::<u8, 4>::inline();
    /// assert!(pool.try_reserve(4).is_ok());
    /// assert!(pool.try_reserve(5).is_err());
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        let free = self.storage.slots().len() - self.len() - self.retired as usize;
        match additional.checked_sub(free) {
            Some(missing) => self.grow(missing),
            None => Ok(()),
        }
    }

    /// Frees the slots after the last row. Does nothing in a pool of fixed capacity. Handles of
    /// rows that were removed from freed slots stay stale.
    ///
    /// # Complexity
    ///
    /// Linear in the slots.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<u64> = (0..1000).collect();
    /// let last = pool.handles().last().unwrap();
    /// pool.retain(|_, row| *row < 10);
    /// pool.shrink_to_fit();
    /// assert_eq!((pool.len(), pool.capacity()), (10, 10));
    /// pool.extend(0..1000); // with the same indices
    /// assert!(!pool.contains(last));
    /// ```
    pub fn shrink_to_fit(&mut self) {
        if S::IS_FIXED {
            return;
        }
        let slots = self.storage.slots();
        let is_retired = |i: usize| slots[i].next() == Some(i as u32);
        let kept = (0..slots.len())
            .rfind(|&i| slots[i].tag().is_some() || is_retired(i))
            .map_or(0, |last| last + 1);
        // New slots at these indices continue with the highest generation that was reached there.
        let generations = slots[kept..].iter().map(|slot| slot.generation());
        let highest = generations.fold(self.first_tag.generation(), u32::max);
        self.first_tag = Tag::new(self.id, highest);
        self.storage.truncate(kept);
        self.link_free_slots();
    }

    pub(crate) fn set_id(&mut self, id: PoolId) {
        self.first_tag = Tag::new(id, self.first_tag.generation());
        (self.id, self.has_id, self.last_tag) = (id, true, id.last_tag());
    }

    /// The pool's id, or 0 if it never had a slot.
    pub(crate) fn id_number(&self) -> u16 {
        if self.has_id { self.id.get() } else { 0 }
    }

    /// Rebuilds the list of free slots, lowest index first.
    pub(crate) fn link_free_slots(&mut self) {
        self.free = NONE;
        for (i, slot) in self.storage.slots_mut().iter_mut().enumerate().rev() {
            let i = i as u32;
            if slot.next().is_some_and(|next| next != i) {
                slot.set_next(self.free);
                self.free = i;
            }
        }
    }
}
