//! Typed pools in columns: the fields of all rows side by side, each field by itself.

mod access;
mod arrangement;
pub(crate) mod columns;
mod iter;
mod row;
mod table;
mod whole;

use alloc::vec::Vec;
use core::marker::PhantomData;

pub use columns::{CloneColumns, Columns};
pub use iter::{Drain, Iter, IterMut};
pub use row::{Mut, Ref, Slices, SlicesMut, Soa, Views};

use crate::error::{AllocError, Full};
use crate::handle::Handle;
use crate::pool::Pool;
use table::Table;

/// A pool whose rows are split into columns, for loops that read one or two fields of many rows.
///
/// A row is found by the [`Handle`] that [`insert`](Self::insert) returns, as in a
/// [`Pool`]; a stale or foreign handle is found out. What differs:
///
/// * [`columns`](Self::columns) gives each field of all rows as a slice. The rows lie *densely*:
///   slices hold live rows and nothing else, in no particular order, for when a row is removed the
///   last one takes its place. Beside them, [`handles`](Self::handles) says whose rows they are.
/// * A row is a struct of references, one to each field: `pool.get(handle)?.name`.
///
/// All columns lie in one block of the global allocator, each from a cache line on.
///
/// Rows are structs with `#[derive(Soa)]`, of the feature `derive`; or tuples of up to 16.
///
/// Complexity: constant for what concerns one row, amortised where the pool grows; one look at the
/// handle's slot tells where the row is.
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
pub struct SoaPool<T: Soa> {
    /// At which place of the columns a handle's row is.
    places: Pool<u32>,
    /// The handle of the row at each place.
    handles: Vec<Handle<T>>,
    table: Table<T::Fields>,
    is_fixed: bool,
    rows: PhantomData<T>,
}

impl<T: Soa> SoaPool<T> {
    /// A pool without rows or memory.
    ///
    /// ```
    /// static EMPTY: heapsmith::SoaPool<(u32, f64)> = heapsmith::SoaPool::new();
    /// assert!(EMPTY.columns().0.is_empty());
    /// ```
    pub const fn new() -> Self {
        Self {
            places: Pool::new(),
            handles: Vec::new(),
            table: Table::new(),
            is_fixed: false,
            rows: PhantomData,
        }
    }

    /// A pool that grows, with memory for `capacity` rows.
    ///
    /// # Panics
    /// When there is no memory for them.
    ///
    /// ```
    /// assert!(heapsmith::SoaPool::<(u32, f64)>::with_capacity(100).capacity() >= 100);
    /// ```
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        let mut pool = Self::new();
        pool.reserve(capacity);
        pool
    }

    /// A pool with memory for `capacity` rows, which never grows.
    ///
    /// # Panics
    /// When there is no memory for them.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::with_fixed_capacity(1);
    /// pool.insert(('a', 1));
    /// assert_eq!(pool.try_insert(('b', 2)).unwrap_err().0, ('b', 2));
    /// ```
    #[track_caller]
    pub fn with_fixed_capacity(capacity: usize) -> Self {
        Self::try_with_fixed_capacity(capacity).unwrap_or_else(|e| e.panic())
    }

    /// [`with_fixed_capacity`](Self::with_fixed_capacity), or an error when there is no memory.
    ///
    /// ```
    /// use heapsmith::SoaPool;
    ///
    /// assert_eq!(SoaPool::<(u32, f64)>::try_with_fixed_capacity(100)?.capacity(), 100);
    /// assert!(SoaPool::<(u32, f64)>::try_with_fixed_capacity(usize::MAX).is_err());
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    pub fn try_with_fixed_capacity(capacity: usize) -> Result<Self, AllocError> {
        let mut pool = Self::new();
        pool.places = Pool::try_with_fixed_capacity(capacity)?;
        pool.try_move(capacity)?;
        pool.is_fixed = true;
        Ok(pool)
    }

    /// How many rows live.
    ///
    /// ```
    /// let pool: heapsmith::SoaPool<_> = [(1, 'a'), (2, 'b')].into_iter().collect();
    /// assert_eq!((pool.len(), pool.columns().0.len()), (2, 2));
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether no row lives.
    ///
    /// ```
    /// assert!(heapsmith::SoaPool::<(u8,)>::new().is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows there can be without more memory.
    ///
    /// ```
    /// let pool = heapsmith::SoaPool::<(u8, u64)>::with_fixed_capacity(7);
    /// assert_eq!(pool.capacity(), 7);
    /// ```
    pub fn capacity(&self) -> usize {
        self.table.capacity().min(self.handles.capacity()).min(self.places.capacity())
    }

    /// Adds a row, at the end of the columns.
    ///
    /// # Panics
    /// When the pool is full and does not grow, or there is no memory;
    /// [`try_insert`](Self::try_insert) returns the row instead.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::new();
    /// let handle = pool.insert((1, "one"));
    /// assert_eq!(pool.get(handle), Some((&1, &"one")));
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, row: T) -> Handle<T> {
        match self.try_insert(row) {
            Ok(handle) => handle,
            Err(full) => full.panic(),
        }
    }

    /// [`insert`](Self::insert), or the row itself when there is no place for it.
    ///
    /// ```
    /// let mut pool = heapsmith::SoaPool::with_fixed_capacity(1);
    /// assert!(pool.try_insert((1, "one")).is_ok());
    /// assert_eq!(pool.try_insert((2, "two")).map_err(|full| full.0), Err((2, "two")));
    /// ```
    #[inline]
    pub fn try_insert(&mut self, row: T) -> Result<Handle<T>, Full<T>> {
        if self.len() == self.capacity() && self.try_reserve(1).is_err() {
            return Err(Full(row));
        }
        let (fields, place) = (row.into_fields(), self.len() as u32);
        let handle = self.places.insert(place).cast();
        self.handles.push(handle);
        self.table.push(fields);
        Ok(handle)
    }

    /// Ends a row and returns it; the last row of the columns takes its place. The handle is stale
    /// from then on.
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
    pub fn remove(&mut self, handle: Handle<T>) -> Option<T> {
        let place = self.places.remove(handle.cast())?;
        self.handles.swap_remove(place as usize);
        if let Some(moved) = self.handles.get(place as usize) {
            self.places[moved.cast()] = place;
        }
        self.table.swap_remove(place as usize).map(T::from_fields)
    }
}

impl<T: Soa> Default for SoaPool<T> {
    fn default() -> Self {
        Self::new()
    }
}
