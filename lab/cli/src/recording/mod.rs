//! A recording on the disk: the folder of raw files, and the traces that it becomes.

pub mod missing;
pub mod packing;
pub mod raw_folder;
pub mod recorder;
pub mod sums;
pub mod wait;
pub mod writing;
