//! The memory of a device: snapshots and logs of other tools, and models of allocators to replay
//! them under, without the device.
//!
//! | step | module |
//! |---|---|
//! | read a pickle, as data | [`pickle`] |
//! | find segments, blocks and events in it, and the state at the first event | [`snapshot`] |
//! | read logs of calls | [`log`] |
//! | tell the formats apart | [`import`] |
//! | write and read device traces | [`trace`], [`file`] |
//! | round as PyTorch does | [`sizes`] |
//! | forget addresses | [`program`] |
//! | play that under models | [`model`], [`setting`], [`replay`] |

pub mod error;
pub mod file;
pub mod import;
pub mod log;
pub mod model;
pub mod pickle;
pub mod program;
pub mod replay;
pub mod setting;
pub mod sizes;
pub mod snapshot;
pub mod trace;

pub use error::{Error, Result};
