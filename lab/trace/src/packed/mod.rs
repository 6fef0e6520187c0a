//! The packed format: events as columns, in sections that are read alone, and tables behind them.

mod columns;
mod reader;
mod tables;
mod writer;

pub use reader::Reader;
pub use tables::{
    Attached, Caller, Inherited, Lack, Meta, Module, StackSample, Tables, ThreadInfo, Unrecorded,
    thinned,
};
pub use writer::Writer;

/// Whether a file that begins with these bytes is a trace, of whichever version.
pub fn is_trace(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

/// Whether these bytes are all that is left of a trace that was cut off.
pub fn is_begin_of_trace(all: &[u8]) -> bool {
    MAGIC.starts_with(all)
}

pub(crate) const MAGIC: &[u8; 8] = b"HSTRACE\n";
/// The version that has sections of INHERITED. Traces without them are written as version 1.
pub(crate) const VERSION: u32 = 2;
pub(crate) const EVENTS: u32 = 1;
pub(crate) const TABLES: u32 = 2;
/// Blocks that the parent of a forked process had; before all events.
pub(crate) const INHERITED: u32 = 3;
/// Events of a section.
pub(crate) const SECTION: usize = 64 * 1024;
/// No section of ours is longer; a longer one is damage.
pub(crate) const LONGEST: u32 = 64 << 20;
