//! What regions tell of themselves, and why they refuse a buffer.

use core::fmt;

use crate::figures::figures;

figures! {
    /// What [`Region::stats`](crate::Region::stats) tells, in bytes and counts. Blocks count with
    /// their headers.
    RegionStats of hs_region_statistics {
        /// The buffers, as they were supplied.
        buffer_bytes,
        /// Blocks handed out.
        in_use_bytes,
        /// Free blocks, deferred ones among them.
        available_bytes,
        /// Of these, blocks that have not joined their free neighbours yet.
        deferred_bytes,
        /// The highest `in_use_bytes` since the region was started.
        peak_bytes,
        /// The largest request that a free block can serve as things are.
        largest_free_bytes,
        /// The control data, and in the buffers headers and what ends them.
        metadata_bytes,
        /// What no block can use at the ends of buffers.
        edge_bytes,
        /// Requests that found no room.
        failed_requests,
        /// Blocks, free ones or not, that the buffers are cut into.
        blocks,
        /// Buffers that do not adjoin each other.
        buffers,
    }
}

/// A region cannot use a buffer.
///
/// ```
/// use heapsmith::{Region, RegionError};
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 20];
/// assert_eq!(Region::new(&mut buffer).err(), Some(RegionError::TooSmall));
/// ```
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
