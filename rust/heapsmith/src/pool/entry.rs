//! A slot that is about to have a row.

use crate::error::AllocError;
use crate::handle::Handle;
use crate::pool::{Pool, Storage};

/// The place of a pool's next row, whose handle is known already; see
/// [`vacant_entry`](Pool::vacant_entry). Nothing has changed if it is dropped.
pub struct VacantEntry<'a, T, S = crate::pool::Allocated<T>> {
    pool: &'a mut Pool<T, S>,
    handle: Handle<T>,
}

impl<T, S: Storage<T>> Pool<T, S> {
    /// The place of the next row, for a row that is to know its own handle, and where
    /// [`insert_with_handle`](Self::insert_with_handle) is in the way.
    ///
    /// # Errors
    /// When the pool is full and does not grow, or there is no memory.
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let entry = pool.vacant_entry()?;
    /// let name = format!("row {}", entry.handle().index());
    /// assert_eq!(entry.insert(name), "row 0");
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    #[inline]
    pub fn vacant_entry(&mut self) -> Result<VacantEntry<'_, T, S>, AllocError> {
        let handle = self.next_handle()?;
        Ok(VacantEntry { pool: self, handle })
    }
}

impl<'a, T, S: Storage<T>> VacantEntry<'a, T, S> {
    /// The handle that the row will have.
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
    pub fn handle(&self) -> Handle<T> {
        self.handle
    }

    /// Adds the row.
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// pool.vacant_entry()?.insert(String::from("row")).push('!');
    /// assert!(pool.rows().eq(["row!"].iter()));
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    #[inline]
    pub fn insert(self, row: T) -> &'a mut T {
        self.pool.fill(self.handle, row);
        self.pool.get_mut(self.handle).expect("the row was just put in")
    }
}
