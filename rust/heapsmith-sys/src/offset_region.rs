//! `offset_region.h`: allocates ranges of numbers, such as offsets into a GPU heap. One thread at a
//! time.
use core::ffi::{c_char, c_int, c_void};

/// The size of the control data of an offset region.
pub const HS_OFFSET_REGION_BYTES: usize = 7168;
/// The size of a node, which describes one block, live or free.
pub const HS_OFFSET_REGION_NODE_BYTES: usize = 32;
/// The maximum number of pieces of a table.
pub const HS_OFFSET_REGION_PIECES: usize = 26;

/// The bytes of a table that has enough nodes for any arrangement of `blocks` live blocks.
pub const fn hs_offset_region_table_bytes(blocks: usize) -> usize {
    (2 * blocks + 2) * HS_OFFSET_REGION_NODE_BYTES
}

/// The control data of an offset region: zero before [`hs_offset_region_init`], and never moved
/// after it.
#[repr(C, align(64))]
pub struct hs_offset_region {
    /// Private to the library.
    pub opaque: [u8; HS_OFFSET_REGION_BYTES],
}

impl hs_offset_region {
    /// Control data for [`hs_offset_region_init`].
    pub const fn zeroed() -> Self {
        Self { opaque: [0; HS_OFFSET_REGION_BYTES] }
    }
}

/// A block: its offset and its identity. `node` is 0 if there is no block.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct hs_offset_block {
    /// The start of the block, a multiple of the granularity.
    pub offset: u64,
    /// The index of its node: small, and unique among live blocks.
    pub node: u32,
    /// Distinguishes the block from later ones with the same node. Never 0.
    pub generation: u32,
}

/// Statistics of an offset region, from [`hs_offset_region_stats`]: bytes, or the unit of the
/// offsets, and counts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_offset_region_statistics {
    /// The size of this structure, set by the caller; fields beyond it are not written.
    pub size: usize,
    /// Live blocks.
    pub blocks: usize,
    /// Free blocks, no two of which adjoin.
    pub free_blocks: usize,
    /// Failed allocations since init, those without a free node included.
    pub failed_requests: usize,
    /// Nodes in the table.
    pub nodes: usize,
    /// Nodes of live blocks, of free blocks and of the end.
    pub nodes_in_use: usize,
    /// The size of the region.
    pub total_bytes: u64,
    /// Bytes in live blocks.
    pub in_use_bytes: u64,
    /// Bytes in free blocks.
    pub available_bytes: u64,
    /// The size of the largest free block.
    pub largest_free_bytes: u64,
    /// The part of `in_use_bytes` that rounding to the granularity added.
    pub waste_bytes: u64,
    /// The highest `in_use_bytes` since init or reset.
    pub peak_bytes: u64,
}

/// A block that [`hs_offset_region_for_each_block`] visits.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct hs_offset_region_view {
    /// The block. The generation of a free block is 0.
    pub block: hs_offset_block,
    /// Its size.
    pub bytes: u64,
    /// 1 for a live block, 0 for a free one.
    pub in_use: c_int,
}

unsafe extern "C" {
    /// Makes the offsets from 0 to `size` available. Returns 0 or an errno value.
    pub fn hs_offset_region_init(
        region: *mut hs_offset_region,
        size: u64,
        granularity: u64,
        table: *mut c_void,
        table_bytes: usize,
    ) -> c_int;
    /// Adds memory for more nodes. Returns 0 or an errno value.
    pub fn hs_offset_region_add_table(
        region: *mut hs_offset_region,
        table: *mut c_void,
        table_bytes: usize,
    ) -> c_int;
    /// Grows the region to `size`. Returns 0 or an errno value.
    pub fn hs_offset_region_grow(region: *mut hs_offset_region, size: u64) -> c_int;

    /// Allocates `bytes` at a multiple of `align`. Returns a block with node 0 if there is no room.
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

    /// Returns the block's size, rounded up to the granularity.
    pub fn hs_offset_region_size_of(region: *const hs_offset_region, block: hs_offset_block)
    -> u64;
    /// Returns 1 if `block` is a live block of the region, otherwise 0.
    pub fn hs_offset_region_owns(region: *const hs_offset_region, block: hs_offset_block) -> c_int;

    /// Ends all blocks and keeps the size and the table.
    pub fn hs_offset_region_reset(region: *mut hs_offset_region);
    /// Ends all blocks and releases the table.
    pub fn hs_offset_region_destroy(region: *mut hs_offset_region);

    /// Fills in `*out`, whose `size` is set: 0, or `EINVAL` if it is too small for a field.
    pub fn hs_offset_region_stats(
        region: *const hs_offset_region,
        out: *mut hs_offset_region_statistics,
    ) -> c_int;
    /// Visits every block, by ascending offset.
    pub fn hs_offset_region_for_each_block(
        region: *const hs_offset_region,
        visit: unsafe extern "C" fn(context: *mut c_void, view: *const hs_offset_region_view),
        context: *mut c_void,
    );
    /// Returns 0 if all invariants hold, otherwise the number of a broken one.
    pub fn hs_offset_region_check(region: *const hs_offset_region) -> c_int;
    /// Returns the name of that invariant.
    pub safe fn hs_offset_region_invariant(broken: c_int) -> *const c_char;
}
