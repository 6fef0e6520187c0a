//! Pools on an allocator that counts bytes and refuses large requests.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use heapsmith::{AllocError, FixedPool, Pool, SecondaryMap, SoaFixedPool, SoaPool};

struct Watched;

thread_local! {
    /// Bytes that this thread has allocated and not freed.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    /// The number of blocks that are aligned to cache lines, which only columns are.
    static COLUMNS: Cell<isize> = const { Cell::new(0) };
    /// Larger requests of this thread are refused.
    static LARGEST: Cell<usize> = const { Cell::new(usize::MAX) };
}

// SAFETY: System allocates and frees; a refused request returns null.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LARGEST.get() {
            return std::ptr::null_mut();
        }
        LIVE.set(LIVE.get() + layout.size() as isize);
        COLUMNS.set(COLUMNS.get() + isize::from(layout.align() == 64));
        // SAFETY: the caller's promises are System's conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        COLUMNS.set(COLUMNS.get() - isize::from(layout.align() == 64));
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static WATCHED: Watched = Watched;

/// Calls `body` while requests larger than this are refused. It should not panic.
fn refusing<R>(larger_than: usize, body: impl FnOnce() -> R) -> R {
    LARGEST.set(larger_than);
    let result = body();
    LARGEST.set(usize::MAX);
    result
}

fn takes_nothing_for_good(body: impl FnOnce()) {
    let before = LIVE.get();
    body();
    assert_eq!(LIVE.get(), before);
}

#[test]
fn pools_free_their_memory() {
    takes_nothing_for_good(|| {
        let mut rows: Pool<String> = (0..100).map(|n| n.to_string()).collect();
        rows.retain(|handle, _| handle.index() < 40);
        rows.shrink_to_fit();
        drop(rows.clone().into_iter().nth(5));
    });
    takes_nothing_for_good(|| {
        let mut columns: SoaPool<_> = (0..100u8).map(|n| (n, n.to_string(), [n; 7])).collect();
        columns.retain(|_, (n, ..)| *n < 40);
        columns.shrink_to_fit();
        drop(columns.clone().drain().nth(5));
    });
}

#[test]
fn the_columns_are_freed_when_a_destructor_panics() {
    struct Bomb(#[allow(dead_code)] Box<u8>, bool);
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(!self.1);
        }
    }
    let pool: SoaPool<_> = (0..9u8).map(|n| (Bomb(Box::new(n), n == 4), n)).collect();
    assert_eq!(COLUMNS.get(), 1);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(pool))).is_err());
    assert_eq!(COLUMNS.get(), 0);
}

#[test]
fn rows_are_returned_if_out_of_memory() {
    let mut pool: Pool<u64> = (0..16).collect();
    let handle = pool.handle_at(3).unwrap();
    // Twice the slots would be too many; one more is not.
    assert!(refusing(17 * 16, || pool.try_insert(16)).is_ok());
    assert_eq!((pool.len(), pool.capacity()), (17, 17));
    assert_eq!(refusing(0, || pool.try_insert(17)).unwrap_err().0, 17);
    assert!(matches!(refusing(0, || pool.try_reserve(9)), Err(AllocError::NoRoom { .. })));
    assert!(refusing(0, || pool.vacant_entry().is_err()));
    assert_eq!((pool.len(), pool[handle]), (17, 3));
    assert!(refusing(0, || FixedPool::<u8>::try_with_fixed_capacity(9)).is_err());
}

#[test]
fn values_are_returned_if_out_of_memory() {
    let pool: Pool<u8> = (0..64).collect();
    let at = |index| pool.handle_at(index).unwrap();
    let mut map = SecondaryMap::new();
    map.insert(at(3), 3u64);
    assert_eq!(refusing(0, || map.try_insert(at(63), 63)).unwrap_err().0, 63);
    assert!(matches!(refusing(0, || map.try_set_capacity(64)), Err(AllocError::NoRoom { .. })));
    assert_eq!(map.try_set_capacity(usize::MAX), Err(AllocError::TooLarge));
    assert_eq!((map.len(), map[at(3)]), (1, 3));
    // Twice the slots would be too many; one more is not.
    assert!(refusing(5 * 16, || map.try_insert(at(4), 4)).is_ok());
    assert_eq!((map.insert(at(63), 63), map.len()), (None, 3));
}

#[test]
fn columns_stay_in_place_if_out_of_memory() {
    let mut pool: SoaPool<(u64, u8)> = (0..16).map(|n| (n, n as u8)).collect();
    let handle = pool.handles()[3];
    // 17 rows need 17 * 8 bytes, or 192 with the gap, and 17 more; twice as many need 272.
    assert!(refusing(34 * 8 - 1, || pool.try_insert((16, 16))).is_ok());
    assert_eq!((pool.len(), pool.capacity()), (17, 17));
    assert_eq!(refusing(0, || pool.try_insert((17, 17))).unwrap_err().0, (17, 17));
    assert!(matches!(refusing(0, || pool.try_reserve(9)), Err(AllocError::NoRoom { .. })));
    assert_eq!(pool.get(handle), Some((&3, &3)));
    assert_eq!(pool.columns().1.len(), 17);
    assert_eq!(pool.remove(handle), Some((3, 3)));
    assert_eq!(pool.columns().0.iter().sum::<u64>(), 16 * 17 / 2 - 3);
    assert!(refusing(0, || SoaFixedPool::<(u8,)>::try_with_fixed_capacity(9)).is_err());
}
