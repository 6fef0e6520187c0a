//! What regions tell of themselves, and why they refuse a buffer.

use core::fmt;

use heapsmith_sys as sys;

/// The figures of a region; all but the last three in bytes. Blocks count with their headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegionStats {
    /// The buffers, as they were supplied.
    pub buffers: usize,
    /// Blocks handed out.
    pub in_use: usize,
    /// Free blocks, deferred ones among them.
    pub available: usize,
    /// Freed blocks that have not joined their free neighbours yet.
    pub deferred: usize,
    /// The most that was in use since the region was started.
    pub peak: usize,
    /// The largest request that a free block can serve as things are.
    pub largest_free: usize,
    /// The control data, and in the buffers headers and what ends them.
    pub metadata: usize,
    /// What no block can use at the ends of buffers.
    pub edges: usize,
    /// How many requests found no room.
    pub failed_requests: usize,
    /// How many blocks, free ones or not, the buffers are cut into.
    pub block_count: usize,
    /// How many buffers there are, those that adjoin each other counted as one.
    pub buffer_count: usize,
}

impl From<sys::hs_region_statistics> for RegionStats {
    fn from(figures: sys::hs_region_statistics) -> Self {
        Self {
            buffers: figures.buffer_bytes,
            in_use: figures.in_use_bytes,
            available: figures.available_bytes,
            deferred: figures.deferred_bytes,
            peak: figures.peak_bytes,
            largest_free: figures.largest_free_bytes,
            metadata: figures.metadata_bytes,
            edges: figures.edge_bytes,
            failed_requests: figures.failed_requests,
            block_count: figures.blocks,
            buffer_count: figures.buffers,
        }
    }
}

/// A region cannot use a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegionError {
    /// The buffer has no room for one block: that takes 40 to 55 bytes, depending on its address.
    TooSmall,
    /// The region has as many buffers as it can tell apart, which are 64.
    TooMany,
}

impl RegionError {
    /// The error behind the number that a C function returned.
    pub(crate) fn of(number: core::ffi::c_int) -> Result<(), Self> {
        const ENOSPC: core::ffi::c_int = 28; // as Linux has it
        match number {
            0 => Ok(()),
            ENOSPC => Err(Self::TooMany),
            _ => Err(Self::TooSmall), // buffers that are borrowed alone do not overlap
        }
    }
}

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooSmall => "the buffer is too small for one block",
            Self::TooMany => "the region has as many buffers as it can tell apart",
        })
    }
}

impl core::error::Error for RegionError {}
