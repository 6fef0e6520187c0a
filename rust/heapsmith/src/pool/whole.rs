//! What concerns all rows of a pool together: memory, ending them, making and printing pools.

use core::fmt;

use crate::error::AllocError;
use crate::handle::Handle;
use crate::pool::slot::NONE;
use crate::pool::{Drain, Pool, Storage};

impl<T, S: Storage<T>> Pool<T, S> {
    /// Makes room for `additional` rows.
    ///
    /// Complexity: linear in the slots, if they must move.
    ///
    /// # Panics
    /// When a pool that does not grow has not that many free slots, or there is no memory.
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

    /// [`reserve`](Self::reserve), or an error when there is no room.
    ///
    /// ```
    /// let mut pool = heapsmith::FixedPool::<u8, 4>::inline();
    /// assert!(pool.try_reserve(4).is_ok());
    /// assert!(pool.try_reserve(5).is_err());
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        let free = self.storage.slots().len() - self.len() - self.retired as usize;
        match additional.checked_sub(free) {
            Some(missing) => self.storage.try_grow(missing),
            None => Ok(()),
        }
    }

    /// Gives back the memory behind the last row, unless the pool has a fixed capacity. Handles of
    /// rows that ended there remain stale.
    ///
    /// Complexity: linear in the slots.
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
        if self.storage.is_fixed() {
            return;
        }
        let slots = self.storage.slots();
        let is_retired = |i: usize| slots[i].next() == Some(i as u32);
        let kept = (0..slots.len())
            .rfind(|&i| slots[i].tag().is_some() || is_retired(i))
            .map_or(0, |last| last + 1);
        // Slots that come back go on where the furthest of them ended.
        let generations = slots[kept..].iter().map(|slot| slot.generation());
        self.first_generation = generations.fold(self.first_generation, u32::max);
        self.storage.truncate(kept);
        self.link_free_slots();
    }

    /// Makes the list of free slots anew, those with the lowest indices first.
    fn link_free_slots(&mut self) {
        self.free = NONE;
        for (i, slot) in self.storage.slots_mut().iter_mut().enumerate().rev() {
            let i = i as u32;
            if slot.next().is_some_and(|next| next != i) {
                slot.set_next(self.free);
                self.free = i;
            }
        }
    }

    /// Ends all rows. Their handles are stale from then on; the memory is kept.
    ///
    /// All destructors run, also when one of them panics.
    ///
    /// Complexity: linear in the slots.
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert(1);
    /// pool.clear();
    /// assert!(pool.is_empty() && !pool.contains(handle));
    /// ```
    pub fn clear(&mut self) {
        drop(self.drain());
    }

    /// Ends all rows and returns them one by one, in the order of their indices. Those that are not
    /// asked for end when the iterator is dropped; if it is forgotten, they live on in the pool.
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = (1..=3).collect();
    /// let sum: i32 = pool.drain().map(|(_, row)| row).sum();
    /// assert_eq!((sum, pool.len()), (6, 0));
    /// ```
    pub fn drain(&mut self) -> Drain<'_, T, S> {
        Drain::new(self)
    }

    /// Ends the rows for which the function returns false, in the order of their indices.
    ///
    /// Complexity: linear in the slots.
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = (1..=9).collect();
    /// pool.retain(|_, row| *row % 3 == 0);
    /// assert_eq!(pool.rows().sum::<i32>(), 3 + 6 + 9);
    /// ```
    pub fn retain(&mut self, mut keeps: impl FnMut(Handle<T>, &mut T) -> bool) {
        for index in 0..self.end_index() {
            let Some(handle) = self.handle_at(index) else { continue };
            if self.get_mut(handle).is_some_and(|row| !keeps(handle, row)) {
                self.remove(handle);
            }
        }
    }
}

impl<T: fmt::Debug, S: Storage<T>> fmt::Debug for Pool<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Adds rows; [`handles`](Pool::handles) tells theirs. Panics as [`Pool::insert`] does.
impl<T, S: Storage<T>> Extend<T> for Pool<T, S> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, rows: I) {
        for row in rows {
            self.insert(row);
        }
    }
}

/// Rows with the indices 0, 1, 2, …
impl<T, S: Storage<T>> FromIterator<T> for Pool<T, S>
where
    Self: Default,
{
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut pool = Self::default();
        pool.extend(rows);
        pool
    }
}
