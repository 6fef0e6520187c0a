//! What programs of the suite `rust` have in common: how they are called, what they print, and how
//! they say that something is wrong.

pub mod programs;
mod report;
mod suite;

pub use report::{Report, expect, fail, mix};
pub use suite::{Effort, Entry, Request, main};
