//! What the heap tells of itself, and what it can be told.

use core::alloc::Layout;
use core::ffi::CStr;

use heapsmith_sys as sys;

use crate::error::AllocError;
use crate::figures::figures;

figures! {
    /// What [`stats`] tells, in bytes and counts.
    Stats of hs_statistics {
        /// Blocks handed out, in their size classes.
        in_use_bytes,
        /// Slabs, with their free blocks.
        slab_bytes,
        /// Large blocks, above 32 KiB.
        large_bytes,
        /// Direct maps, from 32 MiB on.
        direct_bytes,
        /// Free spans with memory behind them.
        cached_bytes,
        /// Records and heaps.
        metadata_bytes,
        /// Address space that spans are taken from.
        committed_bytes,
        /// The highest sum of spans held and cached, direct maps and heaps.
        peak_bytes,
        /// Thread heaps made.
        heaps,
        /// Direct maps that exist.
        direct_maps,
        /// Spans that were taken.
        span_takes,
        /// Spans that were given back.
        span_gives,
        /// Times more address space was made usable.
        growths,
        /// Times cached memory went back to the OS.
        purges,
        /// How many bytes did.
        purged_bytes,
        /// Slices of 64 KiB that were needed again after that.
        refaults,
    }
}

figures! {
    /// What [`Heap::stats`](crate::Heap::stats) tells, in bytes.
    HeapStats of hs_heap_statistics {
        /// Blocks handed out, in their size classes.
        in_use_bytes,
        /// Slabs, with their free blocks.
        slab_bytes,
        /// Large blocks, above 32 KiB.
        large_bytes,
        /// Direct maps, from 32 MiB on.
        direct_bytes,
        /// Slabs, large blocks and direct maps together: what the limit is for.
        held_bytes,
        /// The highest of that in the heap's life.
        peak_bytes,
        /// The limit; 0: none.
        limit_bytes,
    }
}

/// How much memory the process's heap, with all others, holds and what became of it.
///
/// Blocks in use are counted while other threads go on: exact when they are quiet, but for freed
/// blocks that threads keep for their own next use, at most 64 or 16 KiB of each size.
///
/// Complexity: a walk over the slabs.
///
/// ```
/// let heap = heapsmith::Heap::new();
/// let block = heap.alloc([0u8; 100_000]);
/// assert!(heapsmith::stats().large_bytes >= block.len());
/// ```
pub fn stats() -> Stats {
    // SAFETY: the structure is there, and its size is set.
    Stats::written_by(|out| unsafe { sys::hs_stats(out) })
}

/// Gives the memory of everything free back to the OS, that of all threads, and returns how many
/// bytes that were. Partly free slabs of running threads follow when these next leave the fast path.
///
/// ```
/// drop(heapsmith::Heap::new().alloc([0u8; 100_000]));
/// heapsmith::purge();
/// assert_eq!(heapsmith::stats().cached_bytes, 0);
/// ```
pub fn purge() -> usize {
    sys::hs_purge()
}

/// The calling thread lets go of all that it holds free, for others to use: for threads that will be
/// idle. Returns the bytes that went back to the OS, because they exceeded the cap on free memory.
///
/// ```
/// assert!(heapsmith::thread_purge() <= heapsmith::stats().purged_bytes);
/// ```
pub fn thread_purge() -> usize {
    sys::hs_thread_purge()
}

/// Backs `bytes` of the memory that will be allocated next with OS pages now, so that its first use
/// costs no page faults. They are kept until they were used, or [`purge`] or a limit takes them.
///
/// # Errors
/// When there is no memory, and then nothing has changed.
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

/// The process may hold at most so many bytes in blocks, caches and metadata of its heaps; `None`:
/// no limit. What would exceed it fails, after what is cached was given back.
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

/// In C, 0 means that there is no limit; the least is one byte, with which nothing fits.
pub(super) fn limit_in_c(bytes: Option<usize>) -> usize {
    bytes.map_or(0, |bytes| bytes.max(1))
}

/// How many bytes a block of `size` bytes really has: what a buffer may as well ask for.
///
/// ```
/// assert!(heapsmith::good_size(1000) >= 1000);
/// assert_eq!(heapsmith::good_size(heapsmith::good_size(1000)), heapsmith::good_size(1000));
/// ```
pub fn good_size(size: usize) -> usize {
    sys::hs_good_size(size)
}

/// The version of the C++ core, which is that of the crate: `"0.1.0"`.
///
/// ```
/// assert_eq!(heapsmith::version(), env!("CARGO_PKG_VERSION"));
/// ```
pub fn version() -> &'static str {
    // SAFETY: a constant of the library, ended by a zero.
    let text = unsafe { CStr::from_ptr(sys::hs_version()) };
    text.to_str().expect("a version is ASCII")
}
