//! `offset_region.h`: blocks of numbers, such as offsets into a GPU heap. One thread at a time.
use core::ffi::{c_char, c_int, c_void};

/// How large the control data of an offset region is.
pub const HS_OFFSET_REGION_BYTES: usize = 7168;
/// How large a node is: what is known about one block, live or free.
pub const HS_OFFSET_REGION_NODE_BYTES: usize = 32;
/// How many pieces a table can have.
pub const HS_OFFSET_REGION_PIECES: usize = 26;

/// Bytes of table with which `blocks` live blocks never lack a node, however they lie.
pub const fn hs_offset_region_table_bytes(blocks: usize) -> usize {
    (2 * blocks + 2) * HS_OFFSET_REGION_NODE_BYTES
}

/// The control data of an offset region: zeros before [`hs_offset_region_init`], and in its place
/// after it.
#[repr(C, align(64))]
pub struct hs_offset_region {
    /// The library's affair.
    pub opaque: [u8; HS_OFFSET_REGION_BYTES],
}

impl hs_offset_region {
    /// Control data of a region that is to be started.
    pub const fn zeroed() -> Self {
        Self { opaque: [0; HS_OFFSET_REGION_BYTES] }
    }
}

/// A block: its offset, and what recognises it. `node` is 0 when there is no block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct hs_offset_block {
    /// Where the block begins, a multiple of the granularity.
    pub offset: u64,
    /// Its number among the nodes: small, and its own while it lives.
    pub node: u32,
    /// Tells the block from later ones with the same node; never 0.
    pub generation: u32,
}

/// What [`hs_offset_region_stats`] tells, in bytes (or what the offsets count) and counts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_offset_region_statistics {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// Live blocks.
    pub blocks: usize,
    /// Free blocks, no two of them neighbours.
    pub free_blocks: usize,
    /// Since init: allocations that failed, also for want of a node.
    pub failed_requests: usize,
    /// Nodes the table has room for.
    pub nodes: usize,
    /// Of them, those of blocks, of free blocks and of the end.
    pub nodes_in_use: usize,
    /// The size of the region.
    pub total_bytes: u64,
    /// In live blocks.
    pub in_use_bytes: u64,
    /// In free blocks.
    pub available_bytes: u64,
    /// The largest free block.
    pub largest_free_bytes: u64,
    /// Of `in_use_bytes`, what rounding to the granularity added.
    pub waste_bytes: u64,
    /// Highest `in_use_bytes` since init or reset.
    pub peak_bytes: u64,
}

/// One block as [`hs_offset_region_for_each_block`] shows it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_offset_region_view {
    /// The block; the generation of a free one is 0.
    pub block: hs_offset_block,
    /// Its size.
    pub bytes: u64,
    /// 1: a live block; 0: a free one.
    pub in_use: c_int,
}

unsafe extern "C" {
    /// Makes offsets 0 up to `size` available: 0 or an error number.
    pub fn hs_offset_region_init(
        region: *mut hs_offset_region,
        size: u64,
        granularity: u64,
        table: *mut c_void,
        table_bytes: usize,
    ) -> c_int;
    /// Adds memory for further nodes: 0 or an error number.
    pub fn hs_offset_region_add_table(
        region: *mut hs_offset_region,
        table: *mut c_void,
        table_bytes: usize,
    ) -> c_int;
    /// Makes the region `size` large: 0 or an error number.
    pub fn hs_offset_region_grow(region: *mut hs_offset_region, size: u64) -> c_int;

    /// Allocates `bytes` at a multiple of `align`; a block with node 0 when it cannot.
    pub fn hs_offset_region_allocate(
        region: *mut hs_offset_region,
        bytes: u64,
        align: u64,
    ) -> hs_offset_block;
    /// Ends the block.
    pub fn hs_offset_region_deallocate(region: *mut hs_offset_region, block: hs_offset_block);
    /// Makes the block `bytes` long where it is: 0, `ENOMEM` or `ENOBUFS`.
    pub fn hs_offset_region_try_expand(
        region: *mut hs_offset_region,
        block: hs_offset_block,
        bytes: u64,
    ) -> c_int;

    /// The block's size, rounded up to the granularity.
    pub fn hs_offset_region_size_of(region: *const hs_offset_region, block: hs_offset_block)
    -> u64;
    /// 1 when `block` is a live block of the region.
    pub fn hs_offset_region_owns(region: *const hs_offset_region, block: hs_offset_block) -> c_int;

    /// Ends all blocks; size and table stay.
    pub fn hs_offset_region_reset(region: *mut hs_offset_region);
    /// Ends all blocks and forgets the table.
    pub fn hs_offset_region_destroy(region: *mut hs_offset_region);

    /// Fills in `*out`, whose `size` is set: 0, or `EINVAL` if it is too small for a field.
    pub fn hs_offset_region_stats(
        region: *const hs_offset_region,
        out: *mut hs_offset_region_statistics,
    ) -> c_int;
    /// Shows every block, in the order of offsets.
    pub fn hs_offset_region_for_each_block(
        region: *const hs_offset_region,
        visit: unsafe extern "C" fn(context: *mut c_void, view: *const hs_offset_region_view),
        context: *mut c_void,
    );
    /// 0 when all invariants hold, or the number of a broken one.
    pub fn hs_offset_region_check(region: *const hs_offset_region) -> c_int;
    /// The name of that invariant.
    pub safe fn hs_offset_region_invariant(broken: c_int) -> *const c_char;
}
