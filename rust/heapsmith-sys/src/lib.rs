//! Raw declarations of heapsmith's C API. Most programs should use the crate `heapsmith` instead.
//!
//! Functions, structures and constants have the same names as in C. Their documentation here is a
//! summary; the headers in `core/include/heapsmith` are the reference. A function is declared safe
//! if it can be called with any arguments, which does not make it safe to use the pointer it
//! returns.
//!
//! The build script compiles the C++ core for Linux on x86-64. The feature `heap` adds the heaps,
//! and `region` the regions; both are enabled by default. The script requires a C++20 compiler, but no
//! C++ runtime, and overrides neither `malloc` nor `operator new`. For `x86_64-pc-windows-gnu`, it
//! compiles regions and offset regions alone.
//!
//! ```
//! # #[cfg(feature = "heap")] {
//! let block = heapsmith_sys::hs_malloc(100);
//! assert!(!block.is_null());
//! // SAFETY: the block is live and not used any more.
//! unsafe { heapsmith_sys::hs_free(block) };
//! # }
//! ```
#![no_std]
#![allow(non_camel_case_types)]
#![warn(missing_docs)]

#[cfg(all(feature = "heap", target_os = "linux"))]
mod first_class;
#[cfg(all(feature = "heap", target_os = "linux"))]
mod heap;
#[cfg(feature = "region")]
mod offset_region;
#[cfg(feature = "region")]
mod region;
#[cfg(all(feature = "region", target_os = "linux"))]
mod shared_region;

#[cfg(all(feature = "heap", target_os = "linux"))]
pub use first_class::*;
#[cfg(all(feature = "heap", target_os = "linux"))]
pub use heap::*;
#[cfg(feature = "region")]
pub use offset_region::*;
#[cfg(feature = "region")]
pub use region::*;
#[cfg(all(feature = "region", target_os = "linux"))]
pub use shared_region::*;
