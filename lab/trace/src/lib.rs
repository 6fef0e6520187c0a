//! Traces of allocation calls. `docs/trace-format.md` draws both formats.
//!
//! | step | module |
//! |---|---|
//! | read what the recorder wrote: blocks of events, one thread after another | [`raw`] |
//! | put the events of all threads in one order, and give each block of memory a number | [`merge`] |
//! | give each forked process the blocks that its parent had | [`family`], [`fork`] |
//! | write and read them as compressed columns | [`packed`] |
//! | say which file and line a caller is | [`symbols`], [`identity`], [`debug_files`], [`regular`] |
//! | show the names of others | [`printable`] |
//! | read what other tools wrote | [`import`] |
//! | sum a trace up | [`info`], [`curve`] |
//! | cut it into bins of time, and lay these out for a page | [`pyramid`], [`page`] |
//! | compare two traces of one program | [`changes`] |
//! | write what it says in the formats of other tools | [`export`] |
//! | turn it into the calls of a replay | [`plan`] |
//! | find sites that a family of heapsmith could serve | [`advice`] |

pub mod advice;
pub mod changes;
pub mod curve;
mod debug_files;
pub mod error;
pub mod event;
pub mod export;
pub mod family;
pub mod fork;
pub mod identity;
pub mod import;
pub mod info;
pub mod merge;
pub mod modules;
pub mod numbers;
pub mod own;
pub mod pack;
pub mod packed;
pub mod page;
pub mod plan;
mod powers;
pub mod printable;
pub mod pyramid;
pub mod raw;
pub mod regular;
mod sparse;
mod split_units;
pub mod symbols;
pub mod watch;

pub use error::{Error, Result};
pub use event::{Api, Event, Kind};
