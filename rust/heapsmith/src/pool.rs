//! Typed pools: rows of one type in numbered slots, found by handle or by index.

mod access;
mod entry;
mod iter;
mod make;
mod owned_iter;
mod slot;
mod storage;
pub(crate) mod tag;
mod whole;

use core::marker::PhantomData;
use core::mem;

pub use entry::VacantEntry;
pub use iter::{Handles, Iter, IterMut, Rows, RowsMut};
pub use owned_iter::{Drain, IntoIter};
pub use storage::{Allocated, Inline, Storage};

use crate::error::{AllocError, Full};
use crate::handle::Handle;
use slot::{NONE, Slot};
use tag::{PoolId, Tag};

/// Rows of type `T` in numbered slots. A row is found by the [`Handle`] that
/// [`insert`](Self::insert) returns, as long as it lives; handles of rows that have ended, and of
/// other pools, are found out.
///
/// Rows lie side by side and move when the pool grows; their handles and indices do not change. The
/// slot that became free last is used next, so a pool needs as many slots as it had rows at once.
///
/// * `Pool<T>` grows, in a block of the global allocator. It has up to 2^32 - 1 slots, less those
///   that are retired ([`Handle`]).
/// * `Pool::with_fixed_capacity` takes all its memory at once, and refuses rows when it is full.
/// * [`FixedPool<T, N>`](FixedPool) is the same in the pool's own object, and needs no allocator.
///
/// A slot takes the size of a row and 4 bytes, rounded up to the alignment of both.
///
/// Each method that takes a handle answers `None` or `false` to one that is stale or foreign, and
/// `pool[handle]` panics. Handles take 8 bytes; whoever stores many of them, and knows that they are
/// good, may store the [index](Handle::index) alone and use the methods that end in `_at`.
///
/// A clone has its rows under the same handles, so that rows which name one another by handle do so in
/// the clone too. What is inserted later has handles that the other pool may take for its own.
///
/// Complexity: constant for what concerns one row, amortised where the pool grows.
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
/// assert_eq!(pool.get(grace), None); // and yet
/// assert_eq!(pool.rows().collect::<Vec<_>>(), [&"Ada Lovelace", &"Alan"]);
/// ```
#[derive(Clone)]
pub struct Pool<T, S = Allocated<T>> {
    storage: S,
    /// The free slot that is used next, the first of a list, or `NONE`.
    free: u32,
    len: u32,
    /// Slots whose generations are used up.
    retired: u32,
    /// The generation with which new slots begin.
    first_generation: u32,
    /// Taken when the pool has its first slot.
    id: Option<PoolId>,
    rows: PhantomData<T>,
}

/// A [`Pool`] of `N` slots in its own object, without an allocator.
///
/// ```
/// use heapsmith::FixedPool;
///
/// let mut timers = FixedPool::<u64, 2>::inline();
/// let first = timers.insert(100);
/// timers.insert(200);
/// assert!(timers.try_insert(300).is_err());
/// timers.remove(first);
/// assert!(timers.try_insert(300).is_ok());
/// ```
pub type FixedPool<T, const N: usize> = Pool<T, Inline<T, N>>;

impl<T, S> Pool<T, S> {
    const fn over(storage: S) -> Self {
        Self {
            storage,
            free: NONE,
            len: 0,
            retired: 0,
            first_generation: 0,
            id: None,
            rows: PhantomData,
        }
    }
}

impl<T, S: Storage<T>> Pool<T, S> {
    /// How many rows live.
    ///
    /// ```
    /// let pool: heapsmith::Pool<_> = ["a", "b"].into_iter().collect();
    /// assert_eq!(pool.len(), 2);
    /// ```
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether no row lives.
    ///
    /// ```
    /// assert!(heapsmith::Pool::<u8>::new().is_empty());
    /// ```
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many rows there can be without more memory.
    ///
    /// ```
    /// assert_eq!(heapsmith::FixedPool::<u8, 7>::inline().capacity(), 7);
    /// ```
    #[inline]
    pub fn capacity(&self) -> usize {
        self.storage.room() - self.retired as usize
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When the pool is full and does not grow, or there is no memory;
    /// [`try_insert`](Self::try_insert) returns the row instead.
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// assert_eq!(pool[handle], "row");
    /// ```
    #[inline]
    #[track_caller]
    pub fn insert(&mut self, row: T) -> Handle<T> {
        match self.try_insert(row) {
            Ok(handle) => handle,
            Err(full) => full.panic(),
        }
    }

    /// [`insert`](Self::insert), or the row itself when there is no slot for it.
    ///
    /// ```
    /// let mut pool = heapsmith::FixedPool::<_, 1>::inline();
    /// assert!(pool.try_insert("first").is_ok());
    /// assert_eq!(pool.try_insert("second").map_err(|full| full.0), Err("second"));
    /// ```
    #[inline]
    pub fn try_insert(&mut self, row: T) -> Result<Handle<T>, Full<T>> {
        let index = self.free;
        let slot = self.storage.slots_mut().get_mut(index as usize);
        let (Some(slot), Some(id)) = (slot, self.id) else { return self.try_insert_fresh(row) };
        let tag = Tag::new(id, slot.generation());
        self.free = slot.fill(tag, row);
        self.len += 1;
        Ok(Handle::new(tag, index))
    }

    /// Adds a row in a new slot.
    #[inline]
    fn try_insert_fresh(&mut self, row: T) -> Result<Handle<T>, Full<T>> {
        let Ok(handle) = self.fresh_handle() else { return Err(Full(row)) };
        self.storage.push(Slot::live(handle.tag(), row));
        self.len += 1;
        Ok(handle)
    }

    /// Adds a row that is made from its own handle.
    ///
    /// The pool has not changed when the function panics.
    ///
    /// # Panics
    /// When there is no slot, before the function is called.
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
    pub fn insert_with_handle(&mut self, make: impl FnOnce(Handle<T>) -> T) -> Handle<T> {
        let handle = self.next_handle().unwrap_or_else(|e| e.panic());
        self.fill(handle, make(handle));
        handle
    }

    /// Ends a row and returns it. Its handle is stale from then on.
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::new();
    /// let handle = pool.insert("row");
    /// assert_eq!(pool.remove(handle), Some("row"));
    /// assert_eq!(pool.remove(handle), None);
    /// ```
    #[inline]
    pub fn remove(&mut self, handle: Handle<T>) -> Option<T> {
        let (index, tag) = (handle.index(), handle.tag());
        let is_last = tag.next_generation() == 0 && !self.storage.is_fixed();
        let slot = self.storage.slots_mut().get_mut(index as usize)?;
        if !slot.has(tag) {
            return None;
        }
        self.len -= 1;
        let next = if is_last {
            self.retired += 1;
            index // a slot that is linked to itself is in no list, and so never used again
        } else {
            mem::replace(&mut self.free, index)
        };
        slot.take(tag, next)
    }

    /// The handle of the next row. There is memory for it then, and nothing else has changed.
    #[inline]
    fn next_handle(&mut self) -> Result<Handle<T>, AllocError> {
        match (self.storage.slots().get(self.free as usize), self.id) {
            (Some(slot), Some(id)) => Ok(Handle::new(Tag::new(id, slot.generation()), self.free)),
            _ => self.fresh_handle(),
        }
    }

    /// The handle of a row in a new slot, for which there is memory then.
    #[inline(always)]
    fn fresh_handle(&mut self) -> Result<Handle<T>, AllocError> {
        let index = self.storage.slots().len();
        if index >= self.storage.room() {
            self.storage.try_grow(1)?;
        }
        let id = *self.id.get_or_insert_with(PoolId::next);
        Ok(Handle::new(Tag::new(id, self.first_generation), index as u32))
    }

    /// Puts in the row whose handle is the next.
    #[inline]
    fn fill(&mut self, handle: Handle<T>, row: T) {
        self.len += 1;
        match self.storage.slots_mut().get_mut(self.free as usize) {
            Some(slot) => self.free = slot.fill(handle.tag(), row),
            None => self.storage.push(Slot::live(handle.tag(), row)),
        }
    }
}
