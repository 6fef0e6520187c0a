//! Inserting, replacing and removing rows.

use crate::error::Full;
use crate::handle::Handle;
use crate::pool::Storage;
use crate::soa::{Drain, Mut, Soa, SoaPool, access};

impl<T: Soa, S: Storage<u32>, K> SoaPool<T, S, K> {
    /// Inserts a row at the end of the columns and returns its handle.
    ///
    /// # Panics
    ///
    /// Panics if the pool is full and does not grow, or if out of memory.
    /// [`try_insert`](Self::try_insert) returns the row instead.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// assert_eq!(pool.get(handle), Some((&1, &"one")));
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, row: T) -> Handle<K> {
        match self.try_insert(row) {
            Ok(handle) => handle,
            Err(full) => full.panic(),
        }
    }

    /// Like [`insert`](Self::insert), but returns the row if there is no room for it.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaFixedPool::with_fixed_capacity(1);
    /// assert!(pool.try_insert((1, "one")).is_ok());
    /// assert_eq!(pool.try_insert((2, "two")).map_err(|full| full.0), Err((2, "two")));
    /// ```
    #[inline]
    pub fn try_insert(&mut self, row: T) -> Result<Handle<K>, Full<T>> {
        if self.len() == self.capacity() && self.try_reserve(1).is_err() {
            return Err(Full(row));
        }
        let (fields, position) = (access::split(row), self.len() as u32);
        let handle = self.positions.insert(position).cast();
        self.handles.push(handle);
        self.table.push(fields);
        Ok(handle)
    }

    /// Calls `make` with the handle of the next row and inserts the result. If `make` panics, the
    /// pool has the rows that it had.
    ///
    /// # Panics
    ///
    /// Panics if there is no room for the row, before `make` is called.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Handle, SoaPool};
    ///
    /// enum Tasks {}
    /// let mut tasks = SoaPool::new().keyed::<Tasks>();
    /// let first = tasks.insert_with_handle(|me: Handle<Tasks>| (me, "first"));
    /// assert_eq!(tasks.get(first), Some((&first, &"first")));
    /// ```
    #[track_caller]
    pub fn insert_with_handle(&mut self, make: impl FnOnce(Handle<K>) -> T) -> Handle<K> {
        self.reserve(1);
        let next = self.positions.vacant_entry().unwrap_or_else(|e| e.panic()).handle();
        let row = make(next.cast());
        self.insert(row)
    }

    /// Replaces a row and returns the old one. The handle now refers to the new row.
    ///
    /// # Errors
    ///
    /// Returns the new row if the handle is stale or foreign.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// assert_eq!(pool.replace(handle, (2, "two")), Ok((1, "one")));
    /// assert_eq!(pool.get(handle), Some((&2, &"two")));
    /// ```
    pub fn replace(&mut self, handle: Handle<K>, row: T) -> Result<T, T> {
        match self.position_of(handle) {
            Some(position) => {
                let old = self.table.replace(position, access::split(row));
                Ok(access::join(old.expect("the position is that of a row")))
            }
            None => Err(row),
        }
    }

    /// Removes and returns a row, or returns `None` if the handle is stale or foreign. The last row
    /// of the columns moves to the position of the removed one. The handle is stale from then on.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let [a, _, c] = ['a', 'b', 'c'].map(|name| pool.insert((name, name as u32)));
    /// assert_eq!(pool.remove(a), Some(('a', 97)));
    /// assert_eq!(pool.columns().0, ['c', 'b']);
    /// assert_eq!(pool.get(c), Some((&'c', &99)));
    /// assert_eq!(pool.remove(a), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, handle: Handle<K>) -> Option<T> {
        let position = self.positions.remove(handle.cast())?;
        self.handles.swap_remove(position as usize);
        if let Some(moved) = self.handles.get(position as usize) {
            self.positions[moved.cast()] = position;
        }
        self.table.swap_remove(position as usize).map(access::join)
    }

    /// Removes and returns the row at a position in the columns, or returns `None` if it is out of
    /// bounds. The last row moves there, as in [`remove`](Self::remove).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::from([(1, 'a'), (2, 'b'), (3, 'c')]);
    /// assert_eq!(pool.remove_row(0), Some((1, 'a')));
    /// assert_eq!(pool.columns().1, ['c', 'b']);
    /// assert_eq!(pool.remove_row(2), None);
    /// ```
    pub fn remove_row(&mut self, position: usize) -> Option<T> {
        self.remove(*self.handles.get(position)?)
    }

    /// Removes and returns the last row of the columns, or returns `None` if the pool is empty.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::from([(1, 'a'), (2, 'b')]);
    /// assert_eq!((pool.pop(), pool.pop(), pool.pop()), (Some((2, 'b')), Some((1, 'a')), None));
    /// ```
    pub fn pop(&mut self) -> Option<T> {
        self.remove(*self.handles.last()?)
    }

    /// Keeps the first `len` rows of the columns and removes the others, the last first. If a
    /// destructor panics, the rows before that one stay in the pool.
    ///
    /// # Complexity
    ///
    /// Linear in the rows removed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::from([(1, 'a'), (2, 'b'), (3, 'c')]);
    /// pool.truncate(1);
    /// assert_eq!(pool.columns().1, ['a']);
    /// ```
    pub fn truncate(&mut self, len: usize) {
        while self.len() > len {
            self.pop();
        }
    }

    /// Removes all rows and keeps the memory. All destructors run, even if one of them panics.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// pool.clear();
    /// assert!(pool.columns().1.is_empty() && !pool.contains(handle));
    /// ```
    pub fn clear(&mut self) {
        self.positions.clear();
        self.handles.clear();
        self.table.clear();
    }

    /// Removes all rows and returns them one by one, the last of the columns first. The rows that
    /// are left when the iterator is dropped are removed then; if it is forgotten, they stay in the
    /// pool.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (1..=3).map(|n| (n, n * n)).collect();
    /// let squares: Vec<u32> = pool.drain().map(|(_, (_, square))| square).collect();
    /// assert_eq!(squares, [9, 4, 1]);
    /// ```
    pub fn drain(&mut self) -> Drain<'_, T, S, K> {
        Drain::new(self)
    }

    /// Keeps the rows for which `keep` returns `true` and removes the others. `keep` is called once
    /// for each row.
    ///
    /// # Complexity
    ///
    /// Linear in the rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (1..=9).map(|n| (n, ())).collect();
    /// pool.retain(|_, (n, _)| *n % 3 == 0);
    /// assert_eq!(pool.columns().0.iter().sum::<u32>(), 3 + 6 + 9);
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(Handle<K>, Mut<'_, T>) -> bool) {
        let mut position = 0;
        while let Some(&handle) = self.handles.get(position) {
            let is_kept = self.get_mut(handle).is_some_and(|row| keep(handle, row));
            if is_kept {
                position += 1;
            } else {
                self.remove(handle); // which moves the last row to this position
            }
        }
    }
}
