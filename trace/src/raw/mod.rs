//! The files that the recorder writes: one for each process, from its start or from a fork until it
//! ends or calls exec.

mod decode;
mod file;

pub use decode::{Events, RawEvent, RawKind, Segment, Stack};
pub use file::{BLOCK, Header, MAGIC, RawFile, VERSION, checksum};
