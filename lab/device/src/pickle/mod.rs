//! A reader of pickles, which are data here: no opcode makes an object or calls anything.
//!
//! A pickle is a program for a small machine with a stack. The machine here knows the opcodes that
//! dicts, lists, tuples, numbers and texts need, and refuses all others. Values lie in one arena
//! and name each other by number. So a deep or circular pickle needs no recursion, and all memory
//! is counted.

mod bytes;
mod machine;
mod values;

pub use machine::{Refusal, read};
pub use values::{Value, Values};
