//! Statistics and settings of the process's heap.

use core::alloc::Layout;
use core::ffi::CStr;

use heapsmith_sys as sys;

use crate::error::AllocError;
use crate::stats::stats_struct;

stats_struct! {
    /// Statistics of the process's heap, from [`stats`]: bytes and counts.
    Stats of hs_statistics {
        /// Bytes of allocated blocks, rounded up to their size classes.
        in_use_bytes,
        /// Bytes of slabs, their free blocks included.
        slab_bytes,
        /// Bytes of large blocks, which have spans of their own.
        large_bytes,
        /// Bytes of direct maps, from 32 MiB on.
        direct_bytes,
        /// Bytes of free spans that are backed by memory.
        cached_bytes,
        /// Bytes of records and heaps.
        metadata_bytes,
        /// Bytes of address space that spans are taken from.
        committed_bytes,
        /// The highest sum of spans in use and cached, direct maps and heaps.
        peak_bytes,
        /// Thread heaps created.
        heaps,
        /// Direct maps that exist.
        direct_maps,
        /// Spans that were taken.
        span_takes,
        /// Spans that were given back.
        span_gives,
        /// How often more address space was committed.
        growths,
        /// How often cached memory was returned to the OS.
        purges,
        /// Bytes returned to the OS.
        purged_bytes,
        /// Slices of 64 KiB that were used again after they were returned.
        refaults,
    }
}

stats_struct! {
    /// Statistics of a heap, from [`Heap::stats`](crate::Heap::stats), in bytes.
    HeapStats of hs_heap_statistics {
        /// Bytes of allocated blocks, rounded up to their size classes.
        in_use_bytes,
        /// Bytes of slabs, their free blocks included.
        slab_bytes,
        /// Bytes of large blocks, which have spans of their own.
        large_bytes,
        /// Bytes of direct maps, from 32 MiB on.
        direct_bytes,
        /// Bytes of slabs, large blocks and direct maps, which the limit applies to.
        held_bytes,
        /// The highest `held_bytes` since the heap was created.
        peak_bytes,
        /// The limit; 0 means none.
        limit_bytes,
    }
}

/// Returns the statistics of the process's heap, all separate heaps included.
///
/// Allocated blocks are counted while other threads run. If none does, the count is exact, except
/// that it does not include freed blocks that threads cache: at most 64 blocks or 16 KiB of a size.
///
/// # Complexity
///
/// A walk over the slabs.
///
/// # Examples
///
/// ```
/// let heap = heapsmith::Heap::new();
/// let block = heap.alloc([0u8; 100_000]);
/// assert!(heapsmith::stats().large_bytes >= block.len());
/// ```
pub fn stats() -> Stats {
    // SAFETY: the size of the structure is set.
    Stats::written_by(|out| unsafe { sys::hs_stats(out) })
}

/// Returns all free memory to the OS, that of other threads included, and returns the number of
/// bytes. Partly free slabs of running threads follow when those threads next leave the fast path.
///
/// # Examples
///
/// ```
/// drop(heapsmith::Heap::new().alloc([0u8; 100_000]));
/// heapsmith::purge();
/// assert_eq!(heapsmith::stats().cached_bytes, 0);
/// ```
pub fn purge() -> usize {
    sys::hs_purge()
}

/// Releases the free memory that the calling thread caches, so that other threads can use it. Call
/// it before a thread becomes idle. Returns the number of bytes that were returned to the OS
/// because they exceeded the limit on cached memory.
///
/// # Examples
///
/// ```
/// assert!(heapsmith::thread_purge() <= heapsmith::stats().purged_bytes);
/// ```
pub fn thread_purge() -> usize {
    sys::hs_thread_purge()
}

/// Backs the next `bytes` bytes that will be allocated with OS pages now, so that their first use
/// causes no page faults. The pages are kept until they are used, or until [`purge`] or a limit
/// returns them to the OS.
///
/// # Errors
///
/// Returns an error if out of memory. Nothing has changed then.
///
/// # Examples
///
/// ```
/// heapsmith::prefault(1 << 20)?;
/// assert!(heapsmith::stats().cached_bytes >= 1 << 20);
/// # Ok::<(), heapsmith::AllocError>(())
/// ```
pub fn prefault(bytes: usize) -> Result<(), AllocError> {
    let layout = Layout::array::<u8>(bytes).map_err(|_| AllocError::TooLarge)?;
    if sys::hs_prefault(bytes) == 0 { Ok(()) } else { Err(AllocError::OutOfMemory { layout }) }
}

/// Limits the bytes that all heaps of the process hold in blocks, caches and metadata. `None`
/// removes the limit. A request that would exceed the limit fails after cached memory was returned
/// to the OS.
///
/// # Examples
///
/// ```
/// heapsmith::set_limit(Some(64 << 20));
/// let heap = heapsmith::Heap::new();
/// assert!(heap.try_alloc_slice_copy(&[0u8; 1 << 20]).is_ok());
/// assert!(heap.try_alloc_slice_with(65 << 20, |_| 0u8).is_err());
/// heapsmith::set_limit(None);
/// ```
pub fn set_limit(bytes: Option<usize>) {
    sys::hs_set_limit(limit_in_c(bytes));
}

/// In C, 0 means no limit; the lowest limit is one byte, with which every request fails.
pub(super) fn limit_in_c(bytes: Option<usize>) -> usize {
    bytes.map_or(0, |bytes| bytes.max(1))
}

/// Returns the usable size of a block of `size` bytes, which a buffer may as well request.
///
/// # Examples
///
/// ```
/// assert!(heapsmith::good_size(1000) >= 1000);
/// assert_eq!(heapsmith::good_size(heapsmith::good_size(1000)), heapsmith::good_size(1000));
/// ```
pub fn good_size(size: usize) -> usize {
    sys::hs_good_size(size)
}

/// Returns the version of the C++ core, which is that of the crate: `"0.1.0"`.
///
/// # Examples
///
/// ```
/// assert_eq!(heapsmith::version(), env!("CARGO_PKG_VERSION"));
/// ```
pub fn version() -> &'static str {
    // SAFETY: a constant of the library, terminated by a zero.
    let text = unsafe { CStr::from_ptr(sys::hs_version()) };
    text.to_str().expect("a version is ASCII")
}
