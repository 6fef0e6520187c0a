//! `heapsmith.h`: the process's heap.
//!
//! Every function may be called from any thread. Blocks are aligned to 16 bytes, or as requested.
use core::ffi::{c_char, c_int, c_void};

/// The major version of the C API.
pub const HEAPSMITH_VERSION_MAJOR: c_int = 0;
/// The minor version of the C API.
pub const HEAPSMITH_VERSION_MINOR: c_int = 1;
/// The patch version of the C API.
pub const HEAPSMITH_VERSION_PATCH: c_int = 0;

/// C's `FILE`.
#[repr(C)]
pub struct FILE {
    private: [u8; 0],
}

/// Statistics of the process's heap, from [`hs_stats`]: bytes and counts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_statistics {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// Allocated blocks, rounded up to their size classes.
    pub in_use_bytes: usize,
    /// Slabs, their free blocks included.
    pub slab_bytes: usize,
    /// Large blocks.
    pub large_bytes: usize,
    /// Direct maps, from 32 MiB on.
    pub direct_bytes: usize,
    /// Free spans that are backed by memory.
    pub cached_bytes: usize,
    /// Records and heaps.
    pub metadata_bytes: usize,
    /// Address space that spans are taken from.
    pub committed_bytes: usize,
    /// The highest sum of spans in use and cached, direct maps and heaps.
    pub peak_bytes: usize,
    /// Thread heaps created.
    pub heaps: usize,
    /// Direct maps that exist.
    pub direct_maps: usize,
    /// Spans that engines took.
    pub span_takes: usize,
    /// Spans that engines returned.
    pub span_gives: usize,
    /// How often more address space was committed.
    pub growths: usize,
    /// How often cached memory was returned to the OS.
    pub purges: usize,
    /// Bytes returned to the OS.
    pub purged_bytes: usize,
    /// Slices that were used again after they were returned.
    pub refaults: usize,
}

unsafe extern "C" {
    /// Allocates `size` uninitialized bytes. Like all functions below, returns null if out of
    /// memory.
    pub safe fn hs_malloc(size: usize) -> *mut c_void;
    /// Allocates `count * size` zeroed bytes. Memory fresh from the kernel is not cleared again.
    pub safe fn hs_calloc(count: usize, size: usize) -> *mut c_void;
    /// Allocates at a multiple of `alignment`, rounded up to a power of two.
    pub safe fn hs_memalign(alignment: usize, size: usize) -> *mut c_void;
    /// Allocates at a multiple of `alignment`. Returns null if that is not a power of two.
    pub safe fn hs_aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    /// Stores a block in `*out`. Returns 0 or an error number.
    pub fn hs_posix_memalign(out: *mut *mut c_void, alignment: usize, size: usize) -> c_int;
    /// Allocates at the start of an OS page.
    pub safe fn hs_valloc(size: usize) -> *mut c_void;
    /// Allocates whole OS pages.
    pub safe fn hs_pvalloc(size: usize) -> *mut c_void;

    /// Resizes the block at `p`, in place or by moving it. If it returns null, the block is
    /// unchanged. Size 0 frees the block.
    pub fn hs_realloc(p: *mut c_void, size: usize) -> *mut c_void;
    /// As [`hs_realloc`], for `count * size` bytes.
    pub fn hs_reallocarray(p: *mut c_void, count: usize, size: usize) -> *mut c_void;
    /// As [`hs_realloc`], but a block that moves is aligned to `alignment`.
    pub fn hs_aligned_realloc(p: *mut c_void, alignment: usize, size: usize) -> *mut c_void;

    /// Frees the block at `p`, of any thread and heap. Ignores null.
    pub fn hs_free(p: *mut c_void);
    /// As [`hs_free`], with the size that was requested last.
    pub fn hs_free_sized(p: *mut c_void, size: usize);
    /// As [`hs_free`], with the alignment and the size that were requested.
    pub fn hs_free_aligned_sized(p: *mut c_void, alignment: usize, size: usize);
    /// As [`hs_free`].
    pub fn hs_cfree(p: *mut c_void);

    /// Returns the usable size of the block at `p`, or 0 for null.
    pub fn hs_malloc_usable_size(p: *const c_void) -> usize;
    /// Returns the usable size of a block of `size` bytes.
    pub safe fn hs_good_size(size: usize) -> usize;
    /// Makes the block at `p` at least `size` bytes long without moving it: 0 or `ENOMEM`.
    pub fn hs_try_expand(p: *mut c_void, size: usize) -> c_int;

    /// Returns all free memory to the OS. Returns the number of bytes.
    pub safe fn hs_purge() -> usize;
    /// Releases the free memory that the calling thread caches. Returns the bytes returned to the
    /// OS.
    pub safe fn hs_thread_purge() -> usize;
    /// Backs the next `bytes` with OS pages now: 0 or `ENOMEM`.
    pub safe fn hs_prefault(bytes: usize) -> c_int;
    /// Limits the bytes that the process holds; 0 removes the limit.
    pub safe fn hs_set_limit(bytes: usize);
    /// Fills in `*out`, whose `size` is set: 0, or `EINVAL` if it is too small for a field.
    pub fn hs_stats(out: *mut hs_statistics) -> c_int;
    /// Returns the version of the library, terminated by a zero.
    pub safe fn hs_version() -> *const c_char;

    /// glibc's `malloc_trim`: purges.
    pub safe fn hs_malloc_trim(pad: usize) -> c_int;
    /// glibc's `malloc_stats`: prints statistics to stderr.
    pub safe fn hs_malloc_stats();
    /// glibc's `malloc_info`: prints statistics as XML.
    pub fn hs_malloc_info(options: c_int, stream: *mut FILE) -> c_int;
    /// glibc's `mallopt`: takes `M_TRIM_THRESHOLD` as the cap on cached bytes.
    pub safe fn hs_mallopt(parameter: c_int, value: c_int) -> c_int;

    /// Records calls into a file in `directory`: 0, `EALREADY`, or another error. This build of the
    /// library returns `ENOSYS`.
    pub fn hs_trace_start(directory: *const c_char) -> c_int;
    /// Ends what `hs_trace_start` began: 0, `EALREADY` or `ENOSYS`.
    pub safe fn hs_trace_stop() -> c_int;
}
