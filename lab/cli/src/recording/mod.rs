//! All ways to record share this: the recorder's library, the folder of raw files, the traces, and
//! the processes that have none.

pub mod loader;
pub mod missing;
pub mod packing;
pub mod raw_folder;
pub mod recorder;
pub mod sums;
pub mod wait;
pub mod writing;
