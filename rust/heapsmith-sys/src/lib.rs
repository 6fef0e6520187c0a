//! The C API of heapsmith, raw: the crate `heapsmith` is made for use.
//!
//! Functions, structures and constants have the names they have in C, and the documentation here is
//! a summary: the headers in `core/include/heapsmith` say for each what it requires, how it fails
//! and what it costs. Those that are safe to call with any argument are declared so; what is done
//! with the pointers that they return is another matter.
//!
//! The build script compiles the C++ core, which needs a C++20 compiler and no C++ runtime, for
//! Linux on x86-64. It overrides neither `malloc` nor `operator new`.
//!
//! ```
//! let block = heapsmith_sys::hs_malloc(100);
//! assert!(!block.is_null());
//! // SAFETY: the block is live, and nobody uses it any more.
//! unsafe { heapsmith_sys::hs_free(block) };
//! ```
#![no_std]
#![allow(non_camel_case_types)]
#![warn(missing_docs)]

mod first_class;
mod heap;
mod offset_region;
mod region;
mod shared_region;

pub use first_class::*;
pub use heap::*;
pub use offset_region::*;
pub use region::*;
pub use shared_region::*;
