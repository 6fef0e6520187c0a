//! Facts that readers of a trace need.

pub mod content;
pub mod losses;
pub mod notes;
