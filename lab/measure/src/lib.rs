//! How heapsmith measures programs. The `heapsmith` command and the benchmark runner both stand on
//! this crate.
//!
//! | step | modules |
//! |---|---|
//! | find program, launcher, allocators | [`program`], [`place`], [`contender`], [`preload`] |
//! | run one process and read what it cost | [`launch`], [`interrupt`], [`failure`] |
//! | run a server under its load | [`service`], [`serve`] |
//! | sample memory over time | [`pace`], [`memory`] |
//! | prove which allocator served it | [`prove`] |
//! | run every contender once a round | [`round`], [`progress`] |
//! | say how much memory a run may take | [`room`] |
//! | read what callgrind counted | [`callgrind`] |
//! | compare | [`metric`], [`row`], [`stats`] |
//! | say which allocator to take, and how sure that is | [`verdict`] |
//! | keep what was found | [`machine`], [`record`], [`results`] |
//! | write it | [`lines`], [`export`], [`files`], [`write`] |
//! | compare replays with real runs | [`predict`] |
//! | print tables and results | [`screen`], [`table`], [`digits`], [`stdout`] |
//!
//! [`error`] has the exit codes. Nothing here knows a suite or its targets.

pub mod callgrind;
pub mod contender;
pub mod diff;
pub mod digits;
mod drain;
pub mod error;
pub mod export;
pub mod failure;
pub mod files;
pub mod interrupt;
pub mod launch;
pub mod lines;
pub mod machine;
pub mod memory;
pub mod metric;
pub mod number;
pub mod others;
pub mod outfile;
pub mod pace;
pub mod page;
mod pause;
pub mod place;
pub mod predict;
pub mod preload;
pub mod proc;
mod process;
pub mod program;
pub mod progress;
pub mod prove;
pub mod read;
pub mod record;
pub mod results;
pub mod room;
pub mod round;
pub mod row;
mod run;
pub mod screen;
pub mod serve;
pub mod service;
mod signal;
pub mod stats;
pub mod stdout;
pub mod suggest;
pub mod table;
mod tree;
mod unpaired;
pub mod verdict;
pub mod write;
