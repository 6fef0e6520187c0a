//! The files that the recorder writes: one for each process, from its start or from a fork until it
//! ends or calls exec.

mod absent;
mod decode;
mod events;
mod fields;
mod file;
mod notes;
mod pool;

pub use decode::{CUT_FRAME, Fragment, RawEvent, RawKind, Stack};
pub use events::Events;
pub use fields::BLOCK;
pub use file::{Header, IS_PACKED_AT, MAGIC, RawFile, VERSION, checksum};
pub use notes::{Note, Why};
pub use pool::{POOL_NAME, is_pool, split};
