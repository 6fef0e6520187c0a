//! Statistics of regions, and why a region cannot use a buffer.

use core::fmt;

use crate::stats::stats_struct;

stats_struct! {
    /// Statistics of a region, from [`Region::stats`](crate::Region::stats): bytes and counts.
    /// Sizes of blocks include their headers.
    RegionStats of hs_region_statistics {
        /// Bytes of the buffers, as they were supplied.
        buffer_bytes,
        /// Bytes of allocated blocks.
        in_use_bytes,
        /// Bytes of free blocks, deferred ones included.
        available_bytes,
        /// Bytes of deferred blocks, which have not joined their free neighbours yet.
        deferred_bytes,
        /// The highest `in_use_bytes` since the region was created.
        peak_bytes,
        /// The largest size that can be allocated now.
        largest_free_bytes,
        /// Bytes of the control data, and of headers and end marks in the buffers.
        metadata_bytes,
        /// Bytes at the ends of buffers that no block can use.
        edge_bytes,
        /// Requests that failed.
        failed_requests,
        /// Blocks in the buffers, free ones included.
        blocks,
        /// Buffers that do not adjoin each other.
        buffers,
    }
}

/// Why a region could not be created, or could not take a buffer.
///
/// # Examples
///
/// ```
/// use heapsmith::{Region, RegionError};
///
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 20];
/// assert_eq!(Region::try_new(&mut buffer).err(), Some(RegionError::TooSmall));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegionError {
    /// The buffer has no room for a block, which needs 40 to 55 bytes, depending on its address.
    TooSmall,
    /// The region already has 64 buffers that do not adjoin each other.
    TooMany,
    /// The global allocator has no memory for the control data.
    OutOfMemory,
}

impl RegionError {
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn panic(self) -> ! {
        panic!("{self}")
    }

    /// Converts the errno value that a C function returned.
    pub(crate) fn of(number: core::ffi::c_int) -> Result<(), Self> {
        const ENOSPC: core::ffi::c_int = 28; // on Linux
        match number {
            0 => Ok(()),
            ENOSPC => Err(Self::TooMany),
            _ => Err(Self::TooSmall), // exclusively borrowed buffers do not overlap
        }
    }
}

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooSmall => "the buffer is too small for one block",
            Self::TooMany => "the region already has 64 buffers",
            Self::OutOfMemory => "out of memory for the region's control data",
        })
    }
}

impl core::error::Error for RegionError {}
