//! What readers of a trace need to know of it.

pub mod content;
pub mod notes;
pub mod whole;
