//! `shared_region.h`: a malloc in memory that several processes map.
use core::ffi::{c_char, c_int, c_uint, c_void};
use core::ptr;

use crate::region::{hs_region_block, hs_region_statistics};

/// The maximum size of the control block in a segment.
pub const HS_SHARED_REGION_CONTROL_BYTES: usize = 16640;
/// The number of roots of a segment.
pub const HS_SHARED_REGION_ROOTS: usize = 16;

/// One process's view of a shared region.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct hs_shared_region {
    /// The address at which this process has mapped the segment, or null for no region.
    pub segment: *mut c_void,
}

impl hs_shared_region {
    /// A view of no region, as create and attach require it.
    pub const fn zeroed() -> Self {
        Self { segment: ptr::null_mut() }
    }
}

unsafe extern "C" {
    /// Creates a region in a segment and attaches this process to it. Returns 0 or an errno value.
    pub fn hs_shared_region_create(
        region: *mut hs_shared_region,
        segment: *mut c_void,
        bytes: usize,
    ) -> c_int;
    /// Attaches this process to the region in a segment. Returns 0 or an errno value.
    pub fn hs_shared_region_attach(
        region: *mut hs_shared_region,
        segment: *mut c_void,
        bytes: usize,
    ) -> c_int;
    /// As [`hs_shared_region_attach`], but rebuilds the region. No other process may use the
    /// segment.
    pub fn hs_shared_region_attach_alone(
        region: *mut hs_shared_region,
        segment: *mut c_void,
        bytes: usize,
    ) -> c_int;
    /// Returns a description of an error of these functions, in English.
    pub safe fn hs_shared_region_error(error: c_int) -> *const c_char;
    /// Detaches this process from the region, which stays.
    pub fn hs_shared_region_detach(region: *mut hs_shared_region);
    /// Destroys the region, which no other process may use.
    pub fn hs_shared_region_destroy(region: *mut hs_shared_region);

    /// Allocates `size` bytes. Returns null for size 0 or if there is no room.
    pub fn hs_shared_region_malloc(region: *const hs_shared_region, size: usize) -> *mut c_void;
    /// Allocates `count * size` zeroed bytes.
    pub fn hs_shared_region_calloc(
        region: *const hs_shared_region,
        count: usize,
        size: usize,
    ) -> *mut c_void;
    /// Allocates at a multiple of `alignment`.
    pub fn hs_shared_region_aligned_alloc(
        region: *const hs_shared_region,
        alignment: usize,
        size: usize,
    ) -> *mut c_void;
    /// Frees the block at `p`, of any process. Ignores null. Returns 0, or an errno value if the lock
    /// cannot be taken and the block stays.
    pub fn hs_shared_region_free(region: *const hs_shared_region, p: *mut c_void) -> c_int;
    /// Resizes the block at `p`. If it returns null, the block is unchanged. Size 0 frees the
    /// block.
    pub fn hs_shared_region_realloc(
        region: *const hs_shared_region,
        p: *mut c_void,
        size: usize,
    ) -> *mut c_void;
    /// As [`hs_shared_region_realloc`], but a block that moves is aligned to `alignment`.
    pub fn hs_shared_region_aligned_realloc(
        region: *const hs_shared_region,
        p: *mut c_void,
        alignment: usize,
        size: usize,
    ) -> *mut c_void;
    /// Makes the block `size` bytes long where it is: 0 or an errno value.
    pub fn hs_shared_region_try_expand(
        region: *const hs_shared_region,
        p: *mut c_void,
        size: usize,
    ) -> c_int;

    /// Returns the usable size of the block at `p`, or 0 for null.
    pub fn hs_shared_region_usable_size(region: *const hs_shared_region, p: *const c_void)
    -> usize;
    /// Returns 1 if `p` points into the segment's blocks as it is mapped here, otherwise 0.
    pub fn hs_shared_region_owns(region: *const hs_shared_region, p: *const c_void) -> c_int;

    /// Returns the offset of `p`, which other processes can turn into their own pointer; 0 for
    /// null.
    pub fn hs_shared_region_to_offset(region: *const hs_shared_region, p: *const c_void) -> u64;
    /// Returns the address of an offset in this mapping, or null for 0 and for an invalid offset.
    pub fn hs_shared_region_from_offset(
        region: *const hs_shared_region,
        offset: u64,
    ) -> *mut c_void;
    /// Stores the address of a block in a root, where other processes find it.
    pub fn hs_shared_region_set_root(
        region: *const hs_shared_region,
        index: c_uint,
        p: *const c_void,
    );
    /// Returns the address stored last, in this mapping, or null at first.
    pub fn hs_shared_region_root(region: *const hs_shared_region, index: c_uint) -> *mut c_void;
    /// Stores `p` if the root is still `expected`: 0, or `EAGAIN` if it was not.
    pub fn hs_shared_region_replace_root(
        region: *const hs_shared_region,
        index: c_uint,
        expected: *const c_void,
        p: *const c_void,
    ) -> c_int;

    /// Ends all blocks, of all processes; roots become null. Returns 0 or an errno value.
    pub fn hs_shared_region_reset(region: *const hs_shared_region) -> c_int;
    /// As [`hs_region_defragment`](crate::hs_region_defragment).
    pub fn hs_shared_region_defragment(region: *const hs_shared_region) -> usize;
    /// As [`hs_region_stats`](crate::hs_region_stats), or an error of the lock.
    pub fn hs_shared_region_stats(
        region: *const hs_shared_region,
        out: *mut hs_region_statistics,
    ) -> c_int;
    /// Returns how often the region was recovered from the death of a process.
    pub fn hs_shared_region_recoveries(region: *const hs_shared_region) -> u64;
    /// As [`hs_region_for_each_block`](crate::hs_region_for_each_block): 0, or an error of the lock.
    pub fn hs_shared_region_for_each_block(
        region: *const hs_shared_region,
        visit: unsafe extern "C" fn(context: *mut c_void, block: *const hs_region_block),
        context: *mut c_void,
    ) -> c_int;
    /// As [`hs_region_check`](crate::hs_region_check); -1 without the lock.
    pub fn hs_shared_region_check(region: *const hs_shared_region) -> c_int;
}
