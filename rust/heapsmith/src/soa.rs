//! Typed pools in columns: each field of all rows side by side.

mod arrangement;
pub(crate) mod columns;
mod iter;
mod lookup;
mod order;
mod parts;
mod ranges;
mod row;
mod rows;
#[cfg(feature = "serde")]
mod saved;
mod table;

use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;
use core::marker::PhantomData;

pub use columns::{CloneColumns, Columns};
pub use iter::{Drain, Iter, IterMut};
pub use row::{Mut, Ref, Slices, SlicesMut, Soa, Views};

use crate::error::AllocError;
use crate::handle::Handle;
use crate::pool::{Fixed, FixedPool, Growable, Pool, Storage};
use table::Table;

/// A pool that stores each field of its rows in a column, for loops that read one or two fields of
/// many rows.
///
/// As in a [`Pool`], [`insert`](Self::insert) returns a [`Handle`], and stale and foreign handles
/// are detected. There are two differences:
///
/// * [`columns`](Self::columns) returns each field of all rows as a slice.
/// * A row is a struct of references, one to each field: `pool.get(handle)?.name`.
///
/// The columns are *dense*: they hold the live rows and nothing else. When a row is removed, the
/// last row moves to its position, so the order of rows changes. A row therefore has a
/// [position](Self::position_of) in the columns besides the index of its handle, which never
/// changes; [`handles`](Self::handles) lists the handles in the order of the columns. (The pools of
/// the C++ library have *sparse* columns instead: a row's position is its index and never changes,
/// and dead slots lie between the live rows.)
///
/// All columns are in one block of the global allocator. Each starts at a cache line.
///
/// Rows are structs with `#[derive(Soa)]`, from the feature `derive`, or tuples of up to 16 fields.
/// [`SoaFixedPool`] has a fixed capacity.
///
/// # Complexity
///
/// Constant for operations on one row, amortized where the pool grows.
///
/// # Examples
///
#[cfg_attr(feature = "derive", doc = "```")]
#[cfg_attr(not(feature = "derive"), doc = "```ignore")]
/// use heapsmith::{Soa, SoaPool};
///
/// #[derive(Soa)]
/// struct Particle {
///     position: f32,
///     speed: f32,
///     name: String,
/// }
///
/// let mut particles = SoaPool::new();
/// let handle = particles.insert(Particle { position: 0.0, speed: 2.0, name: "α".into() });
/// particles.insert(Particle { position: 5.0, speed: -1.0, name: "β".into() });
///
/// let columns = particles.columns_mut();
/// for (position, speed) in columns.position.iter_mut().zip(columns.speed) {
///     *position += *speed;
/// }
/// assert_eq!(particles.columns().position, [2.0, 4.0]);
/// assert_eq!(particles.get(handle).unwrap().name, "α");
/// *particles.get_mut(handle).unwrap().speed = 0.0;
/// assert_eq!(particles.remove(handle).unwrap().speed, 0.0);
/// ```
pub struct SoaPool<T: Soa, S: Storage<u32> = Growable<u32>> {
    /// The position of each row in the columns, by handle.
    positions: Pool<u32, S>,
    /// The handle of each row, by position.
    handles: Vec<Handle<T>>,
    table: Table<T::Fields>,
    rows: PhantomData<T>,
}

/// A [`SoaPool`] whose capacity is fixed when it is made. It takes all its memory at once, never
/// grows, and returns rows for which it has no room.
///
/// # Examples
///
/// ```
/// let mut pool = heapsmith::SoaFixedPool::with_fixed_capacity(1);
/// pool.insert(('a', 1));
/// assert_eq!(pool.try_insert(('b', 2)).unwrap_err().0, ('b', 2));
/// ```
pub type SoaFixedPool<T> = SoaPool<T, Fixed<u32>>;

impl<T: Soa> SoaPool<T> {
    /// Creates an empty pool without memory.
    ///
    /// # Examples
    ///
    /// ```
    /// static EMPTY: heapsmith::SoaPool<(u32, f64)> = heapsmith::SoaPool::new();
    /// assert!(EMPTY.columns().0.is_empty());
    /// ```
    pub const fn new() -> Self {
        Self { positions: Pool::new(), handles: Vec::new(), table: Table::new(), rows: PhantomData }
    }

    /// Creates an empty pool that grows and starts with memory for at least `capacity` rows.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(heapsmith::SoaPool::<(u32, f64)>::with_capacity(100).capacity() >= 100);
    /// ```
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        Self::try_with_capacity(capacity).unwrap_or_else(|e| e.panic())
    }

    /// Like [`with_capacity`](Self::with_capacity), but returns an error if out of memory.
    pub fn try_with_capacity(capacity: usize) -> Result<Self, AllocError> {
        let mut pool = Self::new();
        pool.try_reserve(capacity)?;
        Ok(pool)
    }
}

impl<T: Soa> SoaFixedPool<T> {
    /// Creates an empty pool with memory for `capacity` rows, which never grows.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::SoaFixedPool::with_fixed_capacity(1);
    /// pool.insert(('a', 1));
    /// assert_eq!(pool.try_insert(('b', 2)).unwrap_err().0, ('b', 2));
    /// ```
    #[track_caller]
    pub fn with_fixed_capacity(capacity: usize) -> Self {
        Self::try_with_fixed_capacity(capacity).unwrap_or_else(|e| e.panic())
    }

    /// Like [`with_fixed_capacity`](Self::with_fixed_capacity), but returns an error if out of
    /// memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::SoaFixedPool;
    ///
    /// assert_eq!(SoaFixedPool::<(u32, f64)>::try_with_fixed_capacity(100)?.capacity(), 100);
    /// assert!(SoaFixedPool::<(u32, f64)>::try_with_fixed_capacity(usize::MAX).is_err());
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    pub fn try_with_fixed_capacity(capacity: usize) -> Result<Self, AllocError> {
        let mut pool = Self {
            positions: FixedPool::try_with_fixed_capacity(capacity)?,
            handles: Vec::new(),
            table: Table::new(),
            rows: PhantomData,
        };
        pool.try_move(capacity)?;
        Ok(pool)
    }
}

impl<T: Soa, S: Storage<u32>> SoaPool<T, S> {
    /// Returns the number of rows.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// assert_eq!((pool.len(), pool.columns().0.len()), (2, 2));
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns `true` if the pool has no rows.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(heapsmith::SoaPool::<(u8,)>::new().is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

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
    fn try_move(&mut self, capacity: usize) -> Result<(), AllocError> {
        let layout = Layout::array::<Handle<T>>(capacity).map_err(|_| AllocError::TooLarge)?;
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

impl<T: Soa> Default for SoaPool<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// A clone has its rows under the same handles, like that of a [`Pool`].
impl<T: Soa<Fields: CloneColumns>, S: Storage<u32> + Clone> Clone for SoaPool<T, S> {
    fn clone(&self) -> Self {
        let capacity = if S::IS_FIXED { self.capacity() } else { self.len() };
        let mut table = Table::new();
        table.try_move(capacity).unwrap_or_else(|e| e.panic());
        for position in 0..self.len() {
            let fields = self.table.refs(position).expect("the position is that of a row");
            table.push(CloneColumns::clone_row(fields));
        }
        let mut handles = Vec::with_capacity(capacity);
        handles.extend_from_slice(&self.handles);
        Self { positions: self.positions.clone(), handles, table, rows: PhantomData }
    }
}

impl<T: Soa, S: Storage<u32>> fmt::Debug for SoaPool<T, S>
where
    for<'a> Ref<'a, T>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Inserts rows, whose [`handles`](SoaPool::handles) can be listed afterwards. Panics as
/// [`SoaPool::insert`] does.
impl<T: Soa, S: Storage<u32>> Extend<T> for SoaPool<T, S> {
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
