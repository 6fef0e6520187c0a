//! The plan of a replay: the calls of each thread, in the form that `lab/replayer` reads.
//!
//! | step | module |
//! |---|---|
//! | look through the trace: threads, large blocks, what is in use at most | [`survey`] |
//! | say when threads start and end | [`lives`] |
//! | say which slot holds which block, and who waits for whom | [`slots`], [`windows`] |
//! | say which blocks a family of heapsmith has instead of malloc | [`treatments`] |
//! | write the calls of each thread into pieces of a file | [`pieces`] |
//!
//! [`compile`] joins them. `lab/replayer/plan.hpp` has the same numbers.

mod compile;
mod lives;
mod pieces;
mod slots;
mod survey;
mod treatments;
mod windows;

pub use compile::{Plan, compile, compile_treated};
pub use survey::Survey;
pub use treatments::{Family, Growth, Treatment, Treatments};

/// In which order the threads make their calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// One thread makes all calls in the order of the trace.
    Serial,
    /// Each thread makes its own, at most two windows apart: 4,096 calls or 1 ms.
    Bounded,
    /// Each thread makes its own; a block is allocated before another thread frees it.
    Free,
}

pub(crate) const MAGIC: &[u8; 8] = b"HSREPLAY";
pub(crate) const VERSION: u32 = 4;
/// A thread's calls lie in pieces of so many bytes, each with the place of the next.
pub(crate) const PIECE: usize = 16 * 1024;

/// The low four bits of a call's first byte.
pub(crate) mod op {
    pub const END_OF_PIECE: u8 = 0;
    pub const MALLOC: u8 = 1;
    pub const CALLOC: u8 = 2;
    pub const NEW: u8 = 3;
    pub const NEW_ARRAY: u8 = 4;
    pub const ALIGNED: u8 = 5;
    pub const REALLOC: u8 = 6;
    pub const FREE: u8 = 7;
    pub const DELETE: u8 = 8;
    pub const DELETE_ARRAY: u8 = 9;
    pub const DELETE_SIZED: u8 = 10;
    pub const USABLE_SIZE: u8 = 11;
    pub const FREE_NULL: u8 = 12;
    pub const START_THREAD: u8 = 13;
    pub const WINDOW: u8 = 14;
    pub const SAMPLE: u8 = 15;
}

/// A number says how many bytes the program touched; without it, all.
pub(crate) const TOUCHED: u8 = 0x10;
/// An allocation waits until its slot is empty; other calls wait until their block is there. With
/// START_THREAD: waits until that thread has ended.
pub(crate) const WAITS: u8 = 0x20;
/// With MALLOC, CALLOC and FREE: a family of heapsmith has the block. A number says which treatment.
pub(crate) const FAMILY: u8 = 0x40;
