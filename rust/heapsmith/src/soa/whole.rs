//! What concerns all rows of a pool in columns together.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;

use crate::error::AllocError;
use crate::handle::Handle;
use crate::soa::columns::CloneColumns;
use crate::soa::table::Table;
use crate::soa::{Drain, Mut, Ref, Soa, SoaPool};

impl<T: Soa> SoaPool<T> {
    /// Makes room for `additional` rows.
    ///
    /// Complexity: linear in the rows, if they must move.
    ///
    /// # Panics
    /// When a pool that does not grow has not that much room, or there is no memory.
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

    /// [`reserve`](Self::reserve), or an error when there is no room.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::<(u8, u64)>::with_fixed_capacity(4);
    /// assert!(pool.try_reserve(4).is_ok());
    /// assert!(pool.try_reserve(5).is_err());
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), AllocError> {
        const FIRST: usize = 16;
        self.places.try_reserve(additional)?;
        let needed = self.len().checked_add(additional).ok_or(AllocError::TooLarge)?;
        let capacity = self.table.capacity().min(self.handles.capacity());
        if needed <= capacity {
            return Ok(());
        }
        let wanted = needed.max(capacity.saturating_mul(2)).max(FIRST);
        self.try_move(wanted).or_else(|_| self.try_move(needed))
    }

    /// Moves the columns to where there is memory for that many rows.
    pub(super) fn try_move(&mut self, capacity: usize) -> Result<(), AllocError> {
        let layout = Layout::array::<Handle<T>>(capacity).map_err(|_| AllocError::TooLarge)?;
        self.handles
            .try_reserve_exact(capacity - self.len())
            .map_err(|_| AllocError::NoRoom { layout, remaining: 0 })?;
        self.table.try_move(capacity)
    }

    /// Gives back the memory that no row needs, unless the pool has a fixed capacity.
    ///
    /// Complexity: linear in the rows.
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (0..1000).map(|n| (n,)).collect();
    /// pool.retain(|_, (n,)| *n < 10);
    /// pool.shrink_to_fit();
    /// assert_eq!(pool.capacity(), 10);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        if self.is_fixed {
            return;
        }
        self.places.shrink_to_fit();
        self.handles.shrink_to_fit();
        if self.table.capacity() > self.len() {
            // Without memory to move to, the rows stay where they are.
            _ = self.table.try_move(self.len());
        }
    }

    /// Ends all rows. Their handles are stale from then on; the memory is kept.
    ///
    /// All destructors run, also when one of them panics.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// pool.clear();
    /// assert!(pool.columns().1.is_empty() && !pool.contains(handle));
    /// ```
    pub fn clear(&mut self) {
        self.places.clear();
        self.handles.clear();
        self.table.clear();
    }

    /// Ends all rows and returns them one by one, the last of the columns first. Those that are not
    /// asked for end when the iterator is dropped; if it is forgotten, they live on in the pool.
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (1..=3).map(|n| (n, n * n)).collect();
    /// let squares: Vec<u32> = pool.drain().map(|(_, (_, square))| square).collect();
    /// assert_eq!(squares, [9, 4, 1]);
    /// ```
    pub fn drain(&mut self) -> Drain<'_, T> {
        Drain::new(self)
    }

    /// Ends the rows for which the function returns false. It sees each row once.
    ///
    /// Complexity: linear in the rows.
    ///
    /// ```
    /// let mut pool: heapsmith::SoaPool<_> = (1..=9).map(|n| (n, ())).collect();
    /// pool.retain(|_, (n, _)| *n % 3 == 0);
    /// assert_eq!(pool.columns().0.iter().sum::<u32>(), 3 + 6 + 9);
    /// ```
    pub fn retain(&mut self, mut keeps: impl FnMut(Handle<T>, Mut<'_, T>) -> bool) {
        let mut place = 0;
        while let Some(&handle) = self.handles.get(place) {
            let is_kept = self.get_mut(handle).is_some_and(|row| keeps(handle, row));
            if is_kept {
                place += 1;
            } else {
                self.remove(handle); // and the last row is at this place
            }
        }
    }
}

/// A clone has its rows under the same handles, as one of a [`Pool`](crate::Pool) has.
impl<T: Soa<Fields: CloneColumns>> Clone for SoaPool<T> {
    fn clone(&self) -> Self {
        let capacity = if self.is_fixed { self.capacity() } else { self.len() };
        let mut table = Table::new();
        table.try_move(capacity).unwrap_or_else(|e| e.panic());
        for place in 0..self.len() {
            let fields = self.table.refs(place).expect("there are so many rows");
            table.push(CloneColumns::clone_row(fields));
        }
        let mut handles = Vec::with_capacity(capacity);
        handles.extend_from_slice(&self.handles);
        let places = self.places.clone();
        Self { places, handles, table, is_fixed: self.is_fixed, rows: PhantomData }
    }
}

impl<T: Soa> fmt::Debug for SoaPool<T>
where
    for<'a> Ref<'a, T>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Adds rows; [`handles`](SoaPool::handles) tells theirs. Panics as [`SoaPool::insert`] does.
impl<T: Soa> Extend<T> for SoaPool<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, rows: I) {
        for row in rows {
            self.insert(row);
        }
    }
}

impl<T: Soa> FromIterator<T> for SoaPool<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut pool = Self::new();
        pool.extend(rows);
        pool
    }
}
