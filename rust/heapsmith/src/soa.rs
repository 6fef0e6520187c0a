//! Typed pools in columns: each field of all rows side by side.

mod access;
mod arrangement;
mod capacity;
pub(crate) mod columns;
mod iter;
mod lookup;
mod order;
mod owned_iter;
#[cfg(feature = "rayon")]
mod parallel;
mod parts;
mod ranges;
mod row;
mod rows;
#[cfg(feature = "serde")]
mod saved;
mod table;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

pub use access::Access;
pub use columns::{CloneColumns, Columns};
pub use iter::{Drain, Iter, IterMut};
pub use owned_iter::IntoIter;
#[cfg(feature = "rayon")]
pub use parallel::{ParIter, ParIterMut};
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
pub struct SoaPool<T: Soa, S: Storage<u32> = Growable<u32>, K = T> {
    /// The position of each row in the columns, by handle.
    positions: Pool<u32, S>,
    /// The handle of each row, by position.
    handles: Vec<Handle<K>>,
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

/// A [`SoaPool`] whose handles are [`Handle<K>`](Handle), like those of a
/// [`KeyedPool`](crate::KeyedPool).
///
/// # Examples
///
/// ```
/// use heapsmith::{Handle, KeyedSoaPool, SoaPool};
///
/// enum Points {}
/// let mut points: KeyedSoaPool<Points, (f32, f32)> = SoaPool::new().keyed();
/// let origin: Handle<Points> = points.insert((0.0, 0.0));
/// assert_eq!(points.get(origin), Some((&0.0, &0.0)));
/// ```
pub type KeyedSoaPool<K, T> = SoaPool<T, Growable<u32>, K>;

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

impl<T: Soa, S: Storage<u32>, K> SoaPool<T, S, K> {
    /// Returns the pool with handles of another type, [`Handle<L>`](Handle), so that the compiler
    /// refuses those of other pools.
    ///
    /// If there is no memory for the handles, the process ends, as when a `Vec` grows.
    ///
    /// # Complexity
    ///
    /// Linear in the rows.
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{Handle, SoaFixedPool};
    ///
    /// enum Points {}
    /// let mut points = SoaFixedPool::with_fixed_capacity(8).keyed::<Points>();
    /// let point: Handle<Points> = points.insert((1.0, 2.0));
    /// assert_eq!(points.get(point), Some((&1.0, &2.0)));
    /// ```
    pub fn keyed<L>(self) -> SoaPool<T, S, L> {
        let Self { positions, handles: old, table, rows } = self;
        let mut handles = Vec::with_capacity(old.capacity());
        handles.extend(old.into_iter().map(Handle::cast));
        SoaPool { positions, handles, table, rows }
    }

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
}

impl<T: Soa, K> Default for SoaPool<T, Growable<u32>, K> {
    fn default() -> Self {
        SoaPool::new().keyed()
    }
}

/// A clone has its rows under the same handles, like that of a [`Pool`].
impl<T: Clone + Soa<Fields: CloneColumns>, S: Storage<u32> + Clone, K> Clone for SoaPool<T, S, K> {
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

impl<T: Soa, S: Storage<u32>, K> fmt::Debug for SoaPool<T, S, K>
where
    for<'a> Ref<'a, T>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Inserts rows, whose [`handles`](SoaPool::handles) can be listed afterwards. Panics as
/// [`SoaPool::insert`] does.
impl<T: Soa, S: Storage<u32>, K> Extend<T> for SoaPool<T, S, K> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, rows: I) {
        for row in rows {
            self.insert(row);
        }
    }
}

/// # Examples
///
/// ```
/// let pool = heapsmith::SoaPool::from([(1, 'a'), (2, 'b')]);
/// assert_eq!(pool.columns().1, ['a', 'b']);
/// ```
impl<T: Soa, const N: usize> From<[T; N]> for SoaPool<T> {
    fn from(rows: [T; N]) -> Self {
        rows.into_iter().collect()
    }
}

impl<T: Soa> FromIterator<T> for SoaPool<T> {
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut pool = Self::new();
        pool.extend(rows);
        pool
    }
}
