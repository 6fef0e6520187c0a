//! Facts that readers of a trace need.

pub mod content;
pub mod notes;
pub mod whole;
