//! `region.h`: a malloc over memory that the caller supplies. One thread at a time.
use core::ffi::{c_char, c_int, c_uint, c_void};

/// The size of the control data of a region.
pub const HS_REGION_BYTES: usize = 16384;
/// The maximum number of buffers of a region that do not adjoin each other.
pub const HS_REGION_BUFFERS: usize = 64;
/// Sizes in the histogram of [`hs_region_survey_blocks`]: from 2^(i+4) bytes to below 2^(i+5).
pub const HS_REGION_HISTOGRAM: usize = 44;

/// The control data of a region: zero before [`hs_region_init`], and never moved after it.
#[repr(C, align(64))]
pub struct hs_region {
    /// Private to the library.
    pub opaque: [u8; HS_REGION_BYTES],
}

impl hs_region {
    /// Control data for [`hs_region_init`].
    pub const fn zeroed() -> Self {
        Self { opaque: [0; HS_REGION_BYTES] }
    }
}

/// Statistics of a region, from [`hs_region_stats`]: bytes and counts. Sizes of blocks include
/// their headers.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_region_statistics {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// The buffers, as they were supplied.
    pub buffer_bytes: usize,
    /// Allocated blocks.
    pub in_use_bytes: usize,
    /// Free blocks, deferred ones included. The rest of the buffers is edges.
    pub available_bytes: usize,
    /// Deferred blocks, which have not joined their free neighbours yet.
    pub deferred_bytes: usize,
    /// The highest `in_use_bytes` since the region was initialized.
    pub peak_bytes: usize,
    /// The largest size that can be allocated now.
    pub largest_free_bytes: usize,
    /// The control data, and headers and end marks in the buffers.
    pub metadata_bytes: usize,
    /// Bytes at the ends of buffers that no block can use.
    pub edge_bytes: usize,
    /// Requests that failed.
    pub failed_requests: usize,
    /// Blocks in the buffers, free ones included.
    pub blocks: usize,
    /// Buffers that do not adjoin each other.
    pub buffers: usize,
}

/// The results of [`hs_region_survey_blocks`], which walks all blocks.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct hs_region_survey {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// Allocated blocks.
    pub blocks_in_use: usize,
    /// Deferred blocks, which have not joined their free neighbours yet.
    pub deferred_blocks: usize,
    /// The other free blocks.
    pub free_blocks: usize,
    /// As in [`hs_region_statistics`].
    pub largest_free_bytes: usize,
    /// `edge_bytes`, plus an estimate of 7.5 bytes for each allocated block.
    pub alignment_waste_bytes: usize,
    /// Free blocks by size, with headers.
    pub free_histogram: [usize; HS_REGION_HISTOGRAM],
    /// Their bytes.
    pub free_histogram_bytes: [usize; HS_REGION_HISTOGRAM],
}

/// The state of a block.
pub type hs_region_state = c_uint;
/// The block is free, and its neighbours are not.
pub const HS_REGION_FREE: hs_region_state = 0;
/// The block is allocated, and its bytes may be read.
pub const HS_REGION_IN_USE: hs_region_state = 1;
/// The block was freed and has not joined its free neighbours yet.
pub const HS_REGION_DEFERRED: hs_region_state = 2;

/// A block that [`hs_region_for_each_block`] visits.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct hs_region_block {
    /// The address that the user of the block has or would get.
    pub pointer: *mut c_void,
    /// The usable size.
    pub bytes: usize,
    /// Whether the block is allocated.
    pub state: hs_region_state,
}

unsafe extern "C" {
    /// Initializes a region over a buffer. Returns 0 or an errno value.
    pub fn hs_region_init(region: *mut hs_region, buffer: *mut c_void, bytes: usize) -> c_int;
    /// Adds a buffer. Returns 0 or an errno value.
    pub fn hs_region_add_memory(region: *mut hs_region, buffer: *mut c_void, bytes: usize)
    -> c_int;

    /// Allocates `size` uninitialized bytes. Returns null for size 0 or if there is no room.
    pub fn hs_region_malloc(region: *mut hs_region, size: usize) -> *mut c_void;
    /// Allocates `count * size` zeroed bytes.
    pub fn hs_region_calloc(region: *mut hs_region, count: usize, size: usize) -> *mut c_void;
    /// Allocates at a multiple of `alignment`, a power of two of any size.
    pub fn hs_region_aligned_alloc(
        region: *mut hs_region,
        alignment: usize,
        size: usize,
    ) -> *mut c_void;
    /// Frees the block at `p`. Ignores null.
    pub fn hs_region_free(region: *mut hs_region, p: *mut c_void);
    /// Resizes the block at `p`, in place or by moving it. If it returns null, the block is
    /// unchanged. Size 0 frees the block.
    pub fn hs_region_realloc(region: *mut hs_region, p: *mut c_void, size: usize) -> *mut c_void;
    /// As [`hs_region_realloc`], but a block that moves is aligned to `alignment`.
    pub fn hs_region_aligned_realloc(
        region: *mut hs_region,
        p: *mut c_void,
        alignment: usize,
        size: usize,
    ) -> *mut c_void;
    /// Makes the block at `p` `size` bytes long without moving it: 0 or `ENOMEM`.
    pub fn hs_region_try_expand(region: *mut hs_region, p: *mut c_void, size: usize) -> c_int;

    /// Returns the usable size of the block at `p`, or 0 for null.
    pub fn hs_region_usable_size(region: *const hs_region, p: *const c_void) -> usize;
    /// Returns 1 if `p` points into a buffer of the region, otherwise 0.
    pub fn hs_region_owns(region: *const hs_region, p: *const c_void) -> c_int;

    /// Ends all blocks and keeps the buffers.
    pub fn hs_region_reset(region: *mut hs_region);
    /// Ends all blocks and releases the buffers.
    pub fn hs_region_destroy(region: *mut hs_region);
    /// Joins deferred blocks with their free neighbours. Returns the largest size that can be
    /// allocated now.
    pub fn hs_region_defragment(region: *mut hs_region) -> usize;
    /// Limits the bytes of freed blocks that are deferred.
    pub fn hs_region_limit_deferred(region: *mut hs_region, bytes: usize);

    /// Fills in `*out`, whose `size` is set: 0, or `EINVAL` if it is too small for a field.
    pub fn hs_region_stats(region: *const hs_region, out: *mut hs_region_statistics) -> c_int;
    /// As [`hs_region_stats`], by looking at every block.
    pub fn hs_region_survey_blocks(region: *const hs_region, out: *mut hs_region_survey) -> c_int;
    /// Shows every block, in the order of addresses within a buffer.
    pub fn hs_region_for_each_block(
        region: *const hs_region,
        visit: unsafe extern "C" fn(context: *mut c_void, block: *const hs_region_block),
        context: *mut c_void,
    );
    /// Returns 0 if all invariants hold, otherwise the number of a broken one.
    pub fn hs_region_check(region: *const hs_region) -> c_int;
    /// Returns the name of that invariant.
    pub safe fn hs_region_invariant(broken: c_int) -> *const c_char;
}
