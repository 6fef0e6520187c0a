//! Typed pools: rows of one type in numbered slots, found by handle or by index.

mod capacity;
mod iter;
mod lookup;
mod owned_iter;
#[cfg(feature = "rayon")]
mod parallel;
mod rows;
#[cfg(feature = "alloc")]
pub(crate) mod secondary;
#[cfg(feature = "alloc")]
mod secondary_bulk;
#[cfg(feature = "alloc")]
mod secondary_entry;
#[cfg(feature = "alloc")]
mod secondary_iter;
pub(crate) mod slot;
mod storage;
pub(crate) mod tag;

use core::fmt;
use core::marker::PhantomData;

pub use iter::{Handles, Iter, IterMut, Rows, RowsMut};
pub use owned_iter::{Drain, IntoIter};
#[cfg(feature = "rayon")]
pub use parallel::{ParIter, ParIterMut};
pub use rows::VacantEntry;
#[cfg(feature = "alloc")]
pub use secondary_entry::{
    Entry as SecondaryEntry, OccupiedEntry as SecondaryOccupiedEntry,
    VacantEntry as SecondaryVacantEntry,
};
#[cfg(feature = "alloc")]
pub use secondary_iter::{
    Drain as SecondaryDrain, IntoIter as SecondaryIntoIter, Iter as SecondaryIter,
    IterMut as SecondaryIterMut,
};
#[cfg(feature = "alloc")]
pub use storage::Fixed;
#[cfg(feature = "serde")]
pub(crate) use storage::Slots;
pub use storage::{Growable, Inline, Storage};

#[cfg(feature = "alloc")]
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
/// `K`, the key, is the type of the rows, so a handle of a row of another type does not compile. A
/// [`KeyedPool`] has a key of yours.
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
pub struct Pool<T, S = Growable<T>, K = T> {
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
    key: PhantomData<fn() -> K>,
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

/// A [`Pool`] whose handles are [`Handle<K>`](crate::Handle): the key `K` is a type of yours that
/// gives them their name. The compiler then refuses the handles of other pools, also of pools with
/// rows of the same type.
///
/// By default, the key of a pool is the type of its rows. A [`SecondaryMap`](crate::SecondaryMap)
/// has a key, too.
///
/// # Examples
///
/// ```
/// use heapsmith::{Handle, KeyedPool, Pool, SecondaryMap};
///
/// enum Players {}
/// enum Monsters {}
/// type PlayerId = Handle<Players>;
/// type MonsterId = Handle<Monsters>;
///
/// struct Game {
///     players: KeyedPool<Players, String>,
///     monsters: KeyedPool<Monsters, String>,
///     targets: SecondaryMap<Monsters, PlayerId>,
/// }
///
/// let mut game = Game {
///     players: Pool::new().keyed(),
///     monsters: Pool::new().keyed(),
///     targets: SecondaryMap::new(),
/// };
/// let ada: PlayerId = game.players.insert("Ada".into());
/// let troll: MonsterId = game.monsters.insert("Troll".into());
/// game.targets.insert(troll, ada);
/// assert_eq!(game.players[game.targets[troll]], "Ada");
/// // game.players[troll] does not compile.
/// ```
#[cfg(feature = "alloc")]
pub type KeyedPool<K, T> = Pool<T, Growable<T>, K>;

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
impl<T, K> Default for Pool<T, Growable<T>, K> {
    fn default() -> Self {
        Self::over(Growable::new())
    }
}

impl<T, const N: usize, K> Default for Pool<T, Inline<T, N>, K> {
    fn default() -> Self {
        Self::over(Inline::new())
    }
}

/// A clone has its rows under the same handles.
impl<T, S: Clone, K> Clone for Pool<T, S, K> {
    fn clone(&self) -> Self {
        Self { storage: self.storage.clone(), rows: PhantomData, key: PhantomData, ..*self }
    }
}

impl<T, S, K> Pool<T, S, K> {
    /// Returns the pool with handles of another type, [`Handle<L>`](crate::Handle), so that the
    /// compiler refuses those of other pools. See [`KeyedPool`].
    ///
    /// # Examples
    ///
    /// ```
    /// use heapsmith::{FixedPool, Handle, InlinePool};
    ///
    /// enum Jobs {}
    /// let mut jobs = FixedPool::with_fixed_capacity(8).keyed::<Jobs>();
    /// let job: Handle<Jobs> = jobs.insert("sort");
    /// assert_eq!(jobs[job], "sort");
    ///
    /// let mut inside = InlinePool::<u8, 4>::inline().keyed::<Jobs>();
    /// let job: Handle<Jobs> = inside.insert(7);
    /// ```
    pub fn keyed<L>(self) -> Pool<T, S, L> {
        let Self { storage, free, len, retired, first_tag, last_tag, id, has_id, rows, .. } = self;
        let key = PhantomData;
        Pool { storage, free, len, retired, first_tag, last_tag, id, has_id, rows, key }
    }

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
            key: PhantomData,
        }
    }
}

impl<T: fmt::Debug, S: Storage<T>, K> fmt::Debug for Pool<T, S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Inserts rows, whose [`handles`](Pool::handles) can be listed afterwards. Panics as
/// [`Pool::insert`] does.
impl<T, S: Storage<T>, K> Extend<T> for Pool<T, S, K> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, rows: I) {
        for row in rows {
            self.insert(row);
        }
    }
}

/// Makes a pool of rows with the indices 0, 1, 2, …
impl<T, S: Storage<T>, K> FromIterator<T> for Pool<T, S, K>
where
    Self: Default,
{
    fn from_iter<I: IntoIterator<Item = T>>(rows: I) -> Self {
        let mut pool = Self::default();
        pool.extend(rows);
        pool
    }
}
