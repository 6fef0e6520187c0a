//! What all models have in common.

use crate::program::Request;

/// An allocator of a device. Blocks have the numbers of the program.
pub trait Allocator {
    /// Returns whether the request was served.
    fn allocate(&mut self, block: u32, request: Request) -> bool;

    fn free(&mut self, block: u32);

    /// The program gives cached memory back.
    fn empty_cache(&mut self) {}

    /// The recorded allocator got this segment for the next request. A model of that allocator puts
    /// its own new segment there, since addresses decide between blocks of equal size.
    fn expect_segment(&mut self, _address: u64, _bytes: u64) {}

    fn counts(&self) -> Counts;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub peak_reserved: u64,
    pub device_calls: u64,
    /// Requests that were served only when cached memory had gone back.
    pub retries: u64,
}
