//! Shared by the programs of the suite `rust`: command line, output and error messages.

pub mod programs;
mod report;
mod suite;

pub use report::{Report, expect, fail, mix};
pub use suite::{Effort, Entry, Request, main};
