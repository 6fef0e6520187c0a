//! `heapsmith.h`: the process's heap.
//!
//! Every function may be called from any thread. Blocks are aligned to 16 bytes, or as asked.
use core::ffi::{c_char, c_int, c_void};

/// Version of the C API: its major number.
pub const HEAPSMITH_VERSION_MAJOR: c_int = 0;
/// Version of the C API: its minor number.
pub const HEAPSMITH_VERSION_MINOR: c_int = 1;
/// Version of the C API: the number of its patch.
pub const HEAPSMITH_VERSION_PATCH: c_int = 0;

/// C's `FILE`.
#[repr(C)]
pub struct FILE {
    private: [u8; 0],
}

/// What [`hs_stats`] tells, in bytes and counts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_statistics {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// Blocks handed out, in their size classes.
    pub in_use_bytes: usize,
    /// Slabs, with their free blocks.
    pub slab_bytes: usize,
    /// Large blocks.
    pub large_bytes: usize,
    /// Direct maps, from 32 MiB on.
    pub direct_bytes: usize,
    /// Free spans with memory behind them.
    pub cached_bytes: usize,
    /// Records and heaps.
    pub metadata_bytes: usize,
    /// Address space that spans are taken from.
    pub committed_bytes: usize,
    /// Highest sum of spans held and cached, direct maps and heaps.
    pub peak_bytes: usize,
    /// Thread heaps made.
    pub heaps: usize,
    /// Direct maps that exist.
    pub direct_maps: usize,
    /// Spans that engines took.
    pub span_takes: usize,
    /// Spans that engines gave back.
    pub span_gives: usize,
    /// Times more address space was made usable.
    pub growths: usize,
    /// Times cached memory went back to the OS.
    pub purges: usize,
    /// How much did.
    pub purged_bytes: usize,
    /// Slices needed again after that.
    pub refaults: usize,
}

unsafe extern "C" {
    /// Allocates `size` bytes, uninitialised. Null without memory, as in all functions below.
    pub safe fn hs_malloc(size: usize) -> *mut c_void;
    /// Allocates `count * size` bytes of zeros; memory fresh from the kernel is not cleared again.
    pub safe fn hs_calloc(count: usize, size: usize) -> *mut c_void;
    /// Allocates at a multiple of `alignment`, rounded up to a power of two.
    pub safe fn hs_memalign(alignment: usize, size: usize) -> *mut c_void;
    /// Allocates at a multiple of `alignment`; null if that is no power of two.
    pub safe fn hs_aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    /// Stores a block in `*out`. Returns 0 or an error number.
    pub fn hs_posix_memalign(out: *mut *mut c_void, alignment: usize, size: usize) -> c_int;
    /// Allocates at the start of an OS page.
    pub safe fn hs_valloc(size: usize) -> *mut c_void;
    /// Allocates whole OS pages.
    pub safe fn hs_pvalloc(size: usize) -> *mut c_void;

    /// Resizes the block at `p`, where it is or by moving it; null: the block is as it was. Size 0
    /// frees it.
    pub fn hs_realloc(p: *mut c_void, size: usize) -> *mut c_void;
    /// As [`hs_realloc`], for `count * size` bytes.
    pub fn hs_reallocarray(p: *mut c_void, count: usize, size: usize) -> *mut c_void;
    /// As [`hs_realloc`]; a block that moves is aligned to `alignment`.
    pub fn hs_aligned_realloc(p: *mut c_void, alignment: usize, size: usize) -> *mut c_void;

    /// Ends the block at `p`, whichever thread and heap it is of; null: nothing.
    pub fn hs_free(p: *mut c_void);
    /// As [`hs_free`], with the size that was asked for last.
    pub fn hs_free_sized(p: *mut c_void, size: usize);
    /// As [`hs_free`], with the alignment and the size that were asked for.
    pub fn hs_free_aligned_sized(p: *mut c_void, alignment: usize, size: usize);
    /// As [`hs_free`].
    pub fn hs_cfree(p: *mut c_void);

    /// How many bytes of the block at `p` may be used; 0 for null.
    pub fn hs_malloc_usable_size(p: *const c_void) -> usize;
    /// How many bytes a request of `size` bytes will be able to use.
    pub safe fn hs_good_size(size: usize) -> usize;
    /// Makes the block at `p` at least `size` bytes long without moving it: 0 or `ENOMEM`.
    pub fn hs_try_expand(p: *mut c_void, size: usize) -> c_int;

    /// Gives everything free back to the OS. Returns how many bytes that were.
    pub safe fn hs_purge() -> usize;
    /// Lets go of what the calling thread holds free. Returns the bytes that went to the OS.
    pub safe fn hs_thread_purge() -> usize;
    /// Backs the next `bytes` with OS pages now: 0 or `ENOMEM`.
    pub safe fn hs_prefault(bytes: usize) -> c_int;
    /// The process may hold `bytes` at most; 0: no limit.
    pub safe fn hs_set_limit(bytes: usize);
    /// Fills in `*out`, whose `size` is set: 0, or `EINVAL` if it is too small for a field.
    pub fn hs_stats(out: *mut hs_statistics) -> c_int;
    /// The version of the library, ended by a zero.
    pub safe fn hs_version() -> *const c_char;

    /// glibc's `malloc_trim`: purges.
    pub safe fn hs_malloc_trim(pad: usize) -> c_int;
    /// glibc's `malloc_stats`: prints statistics to stderr.
    pub safe fn hs_malloc_stats();
    /// glibc's `malloc_info`: prints statistics as XML.
    pub fn hs_malloc_info(options: c_int, stream: *mut FILE) -> c_int;
    /// glibc's `mallopt`: takes `M_TRIM_THRESHOLD` as the cap on cached bytes.
    pub safe fn hs_mallopt(parameter: c_int, value: c_int) -> c_int;
}
