//! Inserting and removing rows.

use core::mem;

use crate::error::{AllocError, Full};
use crate::handle::Handle;
use crate::pool::slot::Slot;
use crate::pool::tag::{PoolId, Tag};
use crate::pool::{Drain, Growable, Pool, Storage};

impl<T, S: Storage<T>, K> Pool<T, S, K> {
    /// Inserts a row and returns its handle.
    ///
    /// # Panics
    ///
    /// Panics if the pool is full and does not grow, or if out of memory.
    /// [`try_insert`](Self::try_insert) returns the row instead.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// assert_eq!(pool[handle], "row");
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, row: T) -> Handle<K> {
        match self.place(row, drop) {
            Ok(handle) => handle,
            // Not `Full(row)`, whose address would keep the row out of registers.
            Err(()) => Full(()).panic(),
        }
    }

    /// Like [`insert`](Self::insert), but returns the row if there is no slot for it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::InlinePool::<_, 1>::inline();
    /// assert!(pool.try_insert("first").is_ok());
    /// assert_eq!(pool.try_insert("second").map_err(|full| full.0), Err("second"));
    /// ```
    #[inline]
    pub fn try_insert(&mut self, row: T) -> Result<Handle<K>, Full<T>> {
        self.place(row, Full)
    }

    /// Calls `make` with the handle of the next row and inserts the result. If `make` panics, the
    /// pool is unchanged.
    ///
    /// # Panics
    ///
    /// Panics if there is no slot for the row, before `make` is called.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Handle, Pool};
    ///
    /// struct Task { me: Handle<Task> }
    /// let mut tasks = Pool::new();
    /// let task = tasks.insert_with_handle(|me| Task { me });
    /// assert_eq!(tasks[task].me, task);
    /// ```
    #[track_caller]
    pub fn insert_with_handle(&mut self, make: impl FnOnce(Handle<K>) -> T) -> Handle<K> {
        let handle = self.next_handle().unwrap_or_else(|e| e.panic());
        self.place(make(handle), drop).unwrap_or(handle)
    }

    /// Returns the entry for the next row, for a row that needs its own handle where
    /// [`insert_with_handle`](Self::insert_with_handle) is inconvenient.
    ///
    /// # Errors
    ///
    /// Returns an error if the pool is full and does not grow, or if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let entry = pool.vacant_entry()?;
    /// let name = format!("row {}", entry.handle().index());
    /// assert_eq!(entry.insert(name), "row 0");
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    #[inline]
    pub fn vacant_entry(&mut self) -> Result<VacantEntry<'_, T, S, K>, AllocError> {
        let handle = self.next_handle()?;
        Ok(VacantEntry { pool: self, handle })
    }

    /// Removes and returns a row, or returns `None` if the handle is stale or foreign. The handle
    /// is stale from then on.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// assert_eq!(pool.remove(handle), Some("row"));
    /// assert_eq!(pool.remove(handle), None);
    /// ```
    // Without a hint: the compiler would inline it so early that the row is copied twice.
    pub fn remove(&mut self, handle: Handle<K>) -> Option<T> {
        let (index, tag) = (handle.index(), handle.tag());
        let slot = self.storage.slots_mut().get_mut(index as usize)?.occupied(tag)?;
        self.len -= 1;
        let next = if tag == self.last_tag && !S::IS_FIXED {
            self.retired += 1;
            index // a retired slot links to itself and is in no list, so it is never reused
        } else {
            mem::replace(&mut self.free, index)
        };
        Some(slot.take(next))
    }

    /// Removes and returns the row in slot `index`, or returns `None` if the slot has no row.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = ['a', 'b'].into_iter().collect();
    /// assert_eq!((pool.remove_at(0), pool.remove_at(0)), (Some('a'), None));
    /// ```
    #[inline]
    pub fn remove_at(&mut self, index: u32) -> Option<T> {
        self.remove(self.handle_at(index)?)
    }

    /// Removes all rows and keeps the memory. All destructors run, even if one of them panics.
    ///
    /// # Complexity
    ///
    /// Linear in the slots.
    ///
    /// # Examples
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

    /// Removes all rows and returns them one by one, in the order of their indices. The rows that
    /// are left when the iterator is dropped are removed then; if it is forgotten, they stay in the
    /// pool.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = (1..=3).collect();
    /// let sum: i32 = pool.drain().map(|(_, row)| row).sum();
    /// assert_eq!((sum, pool.len()), (6, 0));
    /// ```
    pub fn drain(&mut self) -> Drain<'_, T, S, K> {
        Drain::new(self)
    }

    /// Keeps the rows for which `keep` returns `true` and removes the others, in the order of their
    /// indices.
    ///
    /// # Complexity
    ///
    /// Linear in the slots.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::Pool<_> = (1..=9).collect();
    /// pool.retain(|_, row| *row % 3 == 0);
    /// assert_eq!(pool.rows().sum::<i32>(), 3 + 6 + 9);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<K>, &mut T) -> bool) {
        for index in 0..self.end_index() {
            let Some(handle) = self.handle_at(index) else { continue };
            if self.get_mut(handle).is_some_and(|row| !keep(handle, row)) {
                self.remove(handle);
            }
        }
    }

    /// Inserts a row, or returns what `refuse` makes of it if there is no slot for it.
    #[inline(always)]
    fn place<E>(&mut self, row: T, refuse: impl FnOnce(T) -> E) -> Result<Handle<K>, E> {
        let index = self.free;
        let slot = self.storage.slots_mut().get_mut(index as usize);
        if let Some(slot) = slot.and_then(Slot::vacant) {
            let (tag, next) = slot.fill(self.id, row);
            self.free = next;
            self.len += 1;
            return Ok(Handle::new(tag, index));
        }
        let Ok(handle) = self.fresh_handle() else { return Err(refuse(row)) };
        self.storage.push(Slot::live(handle.tag(), row));
        self.len += 1;
        Ok(handle)
    }

    /// The handle of the next row, for which there is a slot or memory then. Nothing else changes.
    #[inline]
    fn next_handle(&mut self) -> Result<Handle<K>, AllocError> {
        match self.storage.slots().get(self.free as usize) {
            Some(slot) => Ok(Handle::new(Tag::new(self.id, slot.generation()), self.free)),
            None => self.fresh_handle(),
        }
    }

    /// The handle of a row in a new slot, for which there is memory then.
    #[inline(always)]
    fn fresh_handle(&mut self) -> Result<Handle<K>, AllocError> {
        let index = self.storage.slots().len();
        if index >= self.storage.room() || (S::IS_FIXED && !self.has_id) {
            self.grow(1)?;
        }
        Ok(Handle::new(self.first_tag, index as u32))
    }

    /// Makes room for `additional` more slots. The pool has its id then.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, additional: usize) -> Result<(), AllocError> {
        self.storage.try_grow(additional)?;
        if !self.has_id {
            self.set_id(PoolId::next());
        }
        Ok(())
    }
}

/// The entry for a pool's next row, whose handle is already known: from
/// [`vacant_entry`](Pool::vacant_entry). If it is dropped, the pool is unchanged.
pub struct VacantEntry<'a, T, S = Growable<T>, K = T> {
    pool: &'a mut Pool<T, S, K>,
    handle: Handle<K>,
}

impl<'a, T, S: Storage<T>, K> VacantEntry<'a, T, S, K> {
    /// Returns the handle that the row will have.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let entry = pool.vacant_entry()?;
    /// let handle = entry.handle();
    /// entry.insert("row");
    /// assert_eq!(pool[handle], "row");
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    #[inline]
    pub fn handle(&self) -> Handle<K> {
        self.handle
    }

    /// Inserts the row and returns a reference to it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// pool.vacant_entry()?.insert(String::from("row")).push('!');
    /// assert!(pool.rows().eq(["row!"].iter()));
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    #[inline]
    pub fn insert(self, row: T) -> &'a mut T {
        _ = self.pool.place(row, drop);
        self.pool.get_mut(self.handle).expect("the row was just inserted")
    }
}
