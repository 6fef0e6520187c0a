//! How pools are made.

#[cfg(feature = "alloc")]
use crate::error::AllocError;
#[cfg(feature = "alloc")]
use crate::pool::{Allocated, Pool};
use crate::pool::{FixedPool, Inline};

#[cfg(feature = "alloc")]
impl<T> Pool<T> {
    /// A pool without rows or memory.
    ///
    /// ```
    /// let pool = heapsmith::Pool::<String>::new();
    /// assert_eq!((pool.len(), pool.capacity()), (0, 0));
    /// ```
    pub const fn new() -> Self {
        Self::over(Allocated::new())
    }

    /// A pool that grows, with slots for `capacity` rows.
    ///
    /// # Panics
    /// When there is no memory for them.
    ///
    /// ```
    /// assert!(heapsmith::Pool::<String>::with_capacity(100).capacity() >= 100);
    /// ```
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        let mut pool = Self::new();
        pool.reserve(capacity);
        pool
    }

    /// A pool with slots for `capacity` rows, which never grows. Nor does it retire slots.
    ///
    /// # Panics
    /// When there is no memory for them.
    ///
    /// ```
    /// let mut pool = heapsmith::Pool::with_fixed_capacity(1);
    /// pool.insert('a');
    /// assert_eq!(pool.try_insert('b').unwrap_err().0, 'b');
    /// ```
    #[track_caller]
    pub fn with_fixed_capacity(capacity: usize) -> Self {
        Self::try_with_fixed_capacity(capacity).unwrap_or_else(|e| e.panic())
    }

    /// [`with_fixed_capacity`](Self::with_fixed_capacity), or an error when there is no memory.
    ///
    /// ```
    /// use heapsmith::Pool;
    ///
    /// assert_eq!(Pool::<u8>::try_with_fixed_capacity(100)?.capacity(), 100);
    /// assert!(Pool::<u8>::try_with_fixed_capacity(usize::MAX).is_err());
    /// # Ok::<(), heapsmith::AllocError>(())
    /// ```
    pub fn try_with_fixed_capacity(capacity: usize) -> Result<Self, AllocError> {
        Allocated::fixed(capacity).map(Self::over)
    }
}

impl<T, const N: usize> FixedPool<T, N> {
    /// A pool of `N` slots in its own object. `N` is less than 2^32 - 1.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use heapsmith::FixedPool;
    ///
    /// static JOBS: Mutex<FixedPool<fn() -> u32, 16>> = Mutex::new(FixedPool::inline());
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

impl<T, const N: usize> Default for FixedPool<T, N> {
    fn default() -> Self {
        Self::inline()
    }
}
