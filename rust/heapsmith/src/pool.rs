//! Typed pools: rows of one type in numbered slots, found by handle or by index.

mod iter;
mod lookup;
mod owned_iter;
mod rows;
#[cfg(feature = "alloc")]
pub(crate) mod secondary;
#[cfg(feature = "alloc")]
mod secondary_iter;
pub(crate) mod slot;
mod storage;
pub(crate) mod tag;

use core::fmt;
use core::marker::PhantomData;

pub use iter::{Handles, Iter, IterMut, Rows, RowsMut};
pub use owned_iter::{Drain, IntoIter};
pub use rows::VacantEntry;
#[cfg(feature = "alloc")]
pub use secondary_iter::{
    IntoIter as SecondaryIntoIter, Iter as SecondaryIter, IterMut as SecondaryIterMut,
};
#[cfg(feature = "alloc")]
pub use storage::Fixed;
#[cfg(feature = "serde")]
pub(crate) use storage::Slots;
pub use storage::{Growable, Inline, Storage};

use crate::error::AllocError;
use slot::NONE;
use tag::{PoolId, Tag};

/// Rows of type `T` in numbered slots. [`insert`](Self::insert) returns a
/// [`Handle`](crate::Handle), which finds the row until it is removed. A pool detects handles of
/// removed rows and of other pools.
///
/// The slots lie side by side in one block. Rows move when the pool grows, but their handles and
/// indices stay the same. A pool reuses the slot that became free last, so it needs as many slots
/// as it ever had rows at once.
///
/// * `Pool<T>` has its slots in a block of the global allocator, which grows. It has at most 2^32 -
///   1.
/// * [`FixedPool<T>`](FixedPool) has its slots in a block whose capacity is fixed when it is made,
///   by [`with_fixed_capacity`](Self::with_fixed_capacity).
/// * [`InlinePool<T, N>`](InlinePool) has `N` slots in itself and needs no allocator. It is made by
///   [`inline`](Self::inline).
///
/// A slot takes the size of a row plus 4 bytes, rounded up to the alignment of both.
///
/// Methods that take a handle return `None` or `false` if the handle is stale (its row was removed)
/// or foreign (it belongs to another pool); `pool[handle]` panics. A program that stores many
/// handles and knows that their rows exist can store the [index](crate::Handle::index) alone, in 4
/// bytes instead of 8, and use the methods that end in `_at`.
///
/// A clone has its rows under the same handles, so rows that refer to each other by handle still do
/// so in the clone. After that, the two pools can hand out equal handles for different rows.
///
/// # Complexity
///
/// Constant for operations on one row, amortized where the pool grows.
///
/// # Examples
///
/// ```
/// use heapsmith::Pool;
///
/// let mut pool = Pool::new();
/// let ada = pool.insert("Ada");
/// let grace = pool.insert("Grace");
/// pool[ada] = "Ada Lovelace";
/// assert_eq!(pool.remove(grace), Some("Grace"));
/// assert_eq!(pool.get(grace), None);
/// let alan = pool.insert("Alan"); // in the slot that was Grace's
/// assert_eq!(alan.index(), grace.index());
/// assert_eq!(pool.get(grace), None); // the old handle is still detected
/// assert_eq!(pool.rows().collect::<Vec<_>>(), [&"Ada Lovelace", &"Alan"]);
/// ```
#[derive(Clone)]
pub struct Pool<T, S = Growable<T>> {
    pub(crate) storage: S,
    /// The first of the list of free slots, or `NONE`.
    free: u32,
    pub(crate) len: u32,
    /// The number of slots whose generations are used up.
    pub(crate) retired: u32,
    /// The tag of the first row in a new slot, with the pool's id.
    pub(crate) first_tag: Tag,
    /// The tag of the last row of a slot, after which a pool that grows retires it.
    last_tag: Tag,
    /// Of this pool once it has memory, which is when `has_id` is set.
    pub(crate) id: PoolId,
    pub(crate) has_id: bool,
    rows: PhantomData<T>,
}

/// A [`Pool`] whose capacity is fixed when it is made. It takes all its memory at once, never
/// grows, and returns rows for which it has no slot.
///
/// # Examples
///
/// ```
/// use heapsmith::FixedPool;
///
/// let mut jobs = FixedPool::with_fixed_capacity(1);
/// let first = jobs.insert("first");
/// assert!(jobs.try_insert("second").is_err());
/// jobs.remove(first);
/// assert!(jobs.try_insert("second").is_ok());
/// ```
#[cfg(feature = "alloc")]
pub type FixedPool<T> = Pool<T, Fixed<T>>;

/// A [`Pool`] with `N` slots in itself, which needs no allocator.
///
/// # Examples
///
/// ```
/// use heapsmith::InlinePool;
///
/// let mut timers = InlinePool::<u64, 2>::inline();
/// let first = timers.insert(100);
/// timers.insert(200);
/// assert!(timers.try_insert(300).is_err());
/// timers.remove(first);
/// assert!(timers.try_insert(300).is_ok());
/// ```
pub type InlinePool<T, const N: usize> = Pool<T, Inline<T, N>>;

#[cfg(feature = "alloc")]
impl<T> Pool<T> {
    /// Creates an empty pool without memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let pool = heapsmith::Pool::<String>::new();
    /// assert_eq!((pool.len(), pool.capacity()), (0, 0));
    /// ```
    pub const fn new() -> Self {
        Self::over(Growable::new())
    }

    /// Creates an empty pool that grows and starts with at least `capacity` slots.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(heapsmith::Pool::<String>::with_capacity(100).capacity() >= 100);
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

#[cfg(feature = "alloc")]
impl<T> FixedPool<T> {
    /// Creates an empty pool with `capacity` slots, which never grows and never retires a slot.
    ///
    /// # Panics
    ///
    /// Panics if out of memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pool = heapsmith::FixedPool::with_fixed_capacity(1);
    /// pool.insert('a');
    /// assert_eq!(pool.try_insert('b').unwrap_err().0, 'b');
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
    /// use heapsmith::FixedPool;
    ///
    /// assert_eq!(FixedPool::<u8>::try_with_fixed_capacity(100)?.capacity(), 100);
    /// assert!(FixedPool::<u8>::try_with_fixed_capacity(usize::MAX).is_err());
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    pub fn try_with_fixed_capacity(capacity: usize) -> Result<Self, AllocError> {
        Fixed::try_new(capacity).map(Self::over)
    }
}

impl<T, const N: usize> InlinePool<T, N> {
    /// Creates an empty pool with `N` slots in itself. `N` is less than 2^32 - 1.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use heapsmith::InlinePool;
    ///
    /// static JOBS: Mutex<InlinePool<fn() -> u32, 16>> = Mutex::new(InlinePool::inline());
    /// let job = JOBS.lock().unwrap().insert(|| 7);
    /// assert_eq!(JOBS.lock().unwrap().remove(job).map(|run| run()), Some(7));
    /// ```
    pub const fn inline() -> Self {
        Self::over(Inline::new())
    }
}

#[cfg(feature = "alloc")]
impl<T> Default for Pool<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Default for InlinePool<T, N> {
    fn default() -> Self {
        Self::inline()
    }
}

impl<T, S> Pool<T, S> {
    const fn over(storage: S) -> Self {
        Self {
            storage,
            free: NONE,
            len: 0,
            retired: 0,
            first_tag: PoolId::FIRST.first_tag(),
            last_tag: PoolId::FIRST.last_tag(),
            id: PoolId::FIRST,
            has_id: false,
            rows: PhantomData,
        }
    }
}

impl<T, S: Storage<T>> Pool<T, S> {
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

impl<T: fmt::Debug, S: Storage<T>> fmt::Debug for Pool<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Inserts rows, whose [`handles`](Pool::handles) can be listed afterwards. Panics as
/// [`Pool::insert`] does.
impl<T, S: Storage<T>> Extend<T> for Pool<T, S> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, rows: I) {
        for row in rows {
            self.insert(row);
        }
    }
}

/// Makes a pool of rows with the indices 0, 1, 2, …
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
