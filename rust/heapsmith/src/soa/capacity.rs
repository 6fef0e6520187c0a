//! The memory of a pool in columns.

use core::alloc::Layout;

use crate::error::AllocError;
use crate::handle::Handle;
use crate::pool::Storage;
use crate::soa::{Soa, SoaPool};

impl<T: Soa, S: Storage<u32>, K> SoaPool<T, S, K> {
    /// Returns the number of rows that the pool can hold without allocating.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = heapsmith::SoaFixedPool::<(u8, u64)>::with_fixed_capacity(7);
    /// assert_eq!(pool.capacity(), 7);
    /// ```
    pub fn capacity(&self) -> usize {
        self.table.capacity().min(self.handles.capacity()).min(self.positions.capacity())
    }

    /// Reserves capacity for at least `additional` more rows.
    ///
    /// # Panics
    ///
    /// Panics if the pool does not grow and has too little room, or if out of memory.
    ///
    /// # Complexity
    ///
    /// Linear in the rows if they must move.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// pool.reserve(100);
    /// let capacity = pool.capacity();
    /// pool.extend((0..100).map(|n| (n, n * n)));
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
    /// let mut pool = heapsmith::SoaFixedPool::<(u8, u64)>::with_fixed_capacity(4);
    /// assert!(pool.try_reserve(4).is_ok());
    /// assert!(pool.try_reserve(5).is_err());
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        const FIRST: usize = 16;
        self.positions.try_reserve(additional)?;
        let needed = self.len().checked_add(additional).ok_or(AllocError::TooLarge)?;
        let capacity = self.table.capacity().min(self.handles.capacity());
        if needed <= capacity {
            return Ok(());
        }
        let wanted = needed.max(capacity.saturating_mul(2)).max(FIRST);
        self.try_move(wanted).or_else(|_| self.try_move(needed))
    }

    /// Moves the columns to memory for `capacity` rows.
    pub(super) fn try_move(&mut self, capacity: usize) -> Result<(), AllocError> {
        let layout = Layout::array::<Handle<K>>(capacity).map_err(|_| AllocError::TooLarge)?;
        self.handles
            .try_reserve_exact(capacity - self.len())
            .map_err(|_| AllocError::NoRoom { layout, remaining: 0 })?;
        self.table.try_move(capacity)
    }

    /// Frees the unused capacity. Does nothing in a pool of fixed capacity.
    ///
    /// # Complexity
    ///
    /// Linear in the rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (0..1000).map(|n| (n,)).collect();
    /// pool.retain(|_, (n,)| *n < 10);
    /// pool.shrink_to_fit();
    /// assert_eq!(pool.capacity(), 10);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        if S::IS_FIXED {
            return;
        }
        self.positions.shrink_to_fit();
        self.handles.shrink_to_fit();
        if self.table.capacity() > self.len() {
            // If out of memory, the rows stay where they are.
            _ = self.table.try_move(self.len());
        }
    }
}
