//! `region.h`: a malloc over memory that the caller supplies. One thread at a time.
use core::ffi::{c_char, c_int, c_uint, c_void};

/// How large the control data of a region is.
pub const HS_REGION_BYTES: usize = 16384;
/// How many buffers that do not adjoin each other a region can hold.
pub const HS_REGION_BUFFERS: usize = 64;
/// Sizes in the histogram of [`hs_region_survey_blocks`]: from 2^(i+4) bytes to below 2^(i+5).
pub const HS_REGION_HISTOGRAM: usize = 44;

/// The control data of a region: zeros before [`hs_region_init`], and in its place after it.
#[repr(C, align(64))]
pub struct hs_region {
    /// The library's affair.
    pub opaque: [u8; HS_REGION_BYTES],
}

impl hs_region {
    /// Control data of a region that is to be started.
    pub const fn zeroed() -> Self {
        Self { opaque: [0; HS_REGION_BYTES] }
    }
}

/// What [`hs_region_stats`] tells, in bytes and counts. Sizes of blocks include their headers.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_region_statistics {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// The buffers, as they were supplied.
    pub buffer_bytes: usize,
    /// Blocks handed out.
    pub in_use_bytes: usize,
    /// Free and deferred blocks; the rest of the buffers is edges.
    pub available_bytes: usize,
    /// Of these, blocks that have not joined their neighbours yet.
    pub deferred_bytes: usize,
    /// The highest `in_use_bytes` since the region was started.
    pub peak_bytes: usize,
    /// The largest request that a free block can serve as things are.
    pub largest_free_bytes: usize,
    /// Control data, and in the buffers headers and what ends them.
    pub metadata_bytes: usize,
    /// Bytes at the ends of buffers that no block can use.
    pub edge_bytes: usize,
    /// Requests that found no memory, or had a wrong alignment.
    pub failed_requests: usize,
    /// Blocks of any kind that the buffers are cut into.
    pub blocks: usize,
    /// Buffers that do not adjoin each other.
    pub buffers: usize,
}

/// What [`hs_region_survey_blocks`] finds by looking at every block.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct hs_region_survey {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// Blocks handed out.
    pub blocks_in_use: usize,
    /// Blocks that were freed and have not joined their neighbours yet.
    pub deferred_blocks: usize,
    /// The other free blocks.
    pub free_blocks: usize,
    /// As in [`hs_region_statistics`].
    pub largest_free_bytes: usize,
    /// `edge_bytes`, and as an estimate 7.5 bytes for each block in use.
    pub alignment_waste_bytes: usize,
    /// Free blocks by size, with headers.
    pub free_histogram: [usize; HS_REGION_HISTOGRAM],
    /// Their bytes.
    pub free_histogram_bytes: [usize; HS_REGION_HISTOGRAM],
}

/// What becomes of a block.
pub type hs_region_state = c_uint;
/// The block is free, and no neighbour of a free one.
pub const HS_REGION_FREE: hs_region_state = 0;
/// The block is handed out: its bytes may be read.
pub const HS_REGION_IN_USE: hs_region_state = 1;
/// The block was freed and has not joined its neighbours yet.
pub const HS_REGION_DEFERRED: hs_region_state = 2;

/// A block as [`hs_region_for_each_block`] shows it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct hs_region_block {
    /// What the user of the block has or would get.
    pub pointer: *mut c_void,
    /// Usable bytes.
    pub bytes: usize,
    /// Whether anybody uses it.
    pub state: hs_region_state,
}

unsafe extern "C" {
    /// Starts a region over a buffer: 0 or an error number.
    pub fn hs_region_init(region: *mut hs_region, buffer: *mut c_void, bytes: usize) -> c_int;
    /// Adds a further buffer, anywhere: 0 or an error number.
    pub fn hs_region_add_memory(region: *mut hs_region, buffer: *mut c_void, bytes: usize)
    -> c_int;

    /// Allocates `size` bytes, uninitialised; null for size 0 and without memory.
    pub fn hs_region_malloc(region: *mut hs_region, size: usize) -> *mut c_void;
    /// Allocates `count * size` bytes of zeros.
    pub fn hs_region_calloc(region: *mut hs_region, count: usize, size: usize) -> *mut c_void;
    /// Allocates at a multiple of `alignment`, a power of two of any size.
    pub fn hs_region_aligned_alloc(
        region: *mut hs_region,
        alignment: usize,
        size: usize,
    ) -> *mut c_void;
    /// Ends the block at `p`; null: nothing.
    pub fn hs_region_free(region: *mut hs_region, p: *mut c_void);
    /// Resizes the block at `p`, where it is or by moving it; null: the block is as it was. Size 0
    /// frees it.
    pub fn hs_region_realloc(region: *mut hs_region, p: *mut c_void, size: usize) -> *mut c_void;
    /// As [`hs_region_realloc`]; a block that moves is aligned to `alignment`.
    pub fn hs_region_aligned_realloc(
        region: *mut hs_region,
        p: *mut c_void,
        alignment: usize,
        size: usize,
    ) -> *mut c_void;
    /// Makes the block at `p` `size` bytes long without moving it: 0 or `ENOMEM`.
    pub fn hs_region_try_expand(region: *mut hs_region, p: *mut c_void, size: usize) -> c_int;

    /// How many bytes of the block at `p` may be used; 0 for null.
    pub fn hs_region_usable_size(region: *const hs_region, p: *const c_void) -> usize;
    /// 1 when `p` points into a buffer of the region.
    pub fn hs_region_owns(region: *const hs_region, p: *const c_void) -> c_int;

    /// Ends all blocks; the buffers stay.
    pub fn hs_region_reset(region: *mut hs_region);
    /// Ends all blocks and forgets the buffers.
    pub fn hs_region_destroy(region: *mut hs_region);
    /// Joins deferred blocks with their neighbours. Returns the largest possible request.
    pub fn hs_region_defragment(region: *mut hs_region) -> usize;
    /// From now on at most `bytes` bytes of freed blocks are deferred.
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
    /// 0 when all invariants hold, or the number of a broken one.
    pub fn hs_region_check(region: *const hs_region) -> c_int;
    /// The name of that invariant.
    pub safe fn hs_region_invariant(broken: c_int) -> *const c_char;
}
