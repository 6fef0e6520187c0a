//! Memory allocators whose misuse does not compile.
//!
//! * [`Heapsmith`]: the global allocator. [`stats`], [`purge`] and others ask it and tell it things.
//! * [`Heap`]: a heap beside that one, with a limit and figures, which ends with all its blocks.
//! * [`Region`]: a malloc over buffers of yours; [`SyncRegion`], for several threads.
//! * [`Arena`]: memory that is given back all at once.
//! * [`Scope`]: a part of an arena's lifetime, in a closure or under a [`ScopeGuard`]. What is
//!   allocated in it lives until its end, where destructors run, the latest first. While a scope is
//!   open its parent cannot be used, but everything the parent allocated can.
//! * [`CheckedScope`]: the same rule, kept at run time where it cannot be kept by the compiler.
//! * [`ArenaVec`] and [`ArenaString`]: what grows in any of these until it is a slice or a `str`.
//!   [`ArenaBox`]: the owner of a value there, which drops it early.
//! * [`Pool`] and [`FixedPool`]: rows of one type, found by a [`Handle`] that knows when its row has
//!   ended.
//! * `SoaPool`: the same in columns, so that one field of all rows is a slice.
//!
//! ```
//! use heapsmith::Arena;
//!
//! let mut arena = Arena::new();
//! let words = arena.scope(|frame| {
//!     let name = frame.alloc_str("scratch");
//!     let list: &mut Vec<u32> = frame.alloc_drop(vec![1, 2, 3]);  // dropped at the scope's end
//!     frame.scope(|inner| {
//!         let line = inner.alloc_fmt(format_args!("{name} {}", list.len()));
//!         line.len()
//!     })
//! });
//! assert_eq!(words, 9);
//! ```
//!
//! The features `heap` and `region`, on by default, compile the C++ core for [`Heapsmith`], [`Heap`]
//! and [`Region`], on Linux x86-64. All else needs `core` alone, on any target. With the feature
//! `alloc`, which is on by default, arenas and pools grow by memory of the global allocator; without
//! it they work in buffers of yours, or in their own object.
#![no_std]
#![warn(missing_docs)]
// Of clippy's pedantic lints, those about pointers, numbers and what is said twice.
#![warn(
    clippy::borrow_as_ptr,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_ptr_alignment,
    clippy::cast_sign_loss,
    clippy::cloned_instead_of_copied,
    clippy::default_trait_access,
    clippy::explicit_iter_loop,
    clippy::if_not_else,
    clippy::invalid_upcast_comparisons,
    clippy::large_types_passed_by_value,
    clippy::map_unwrap_or,
    clippy::match_same_arms,
    clippy::mut_mut,
    clippy::needless_pass_by_value,
    clippy::ptr_as_ptr,
    clippy::ref_as_ptr,
    clippy::return_self_not_must_use,
    clippy::transmute_ptr_to_ptr,
    clippy::trivially_copy_pass_by_ref,
    clippy::uninlined_format_args,
    clippy::unnested_or_patterns,
    clippy::used_underscore_binding
)]
// Each call returns memory that no other call does.
#![allow(clippy::mut_from_ref)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04"))]
mod allocator;
mod arena;
mod block_methods;
mod bump;
mod checked;
mod chunk;
mod chunks;
mod collections;
mod drop_methods;
mod error;
#[cfg(any(feature = "heap", feature = "region"))]
mod figures;
mod handle;
#[cfg(feature = "heap")]
mod heap;
mod methods;
mod owner;
mod place;
pub mod pool;
#[cfg(feature = "region")]
mod region;
mod runs;
mod scope;
#[cfg(feature = "alloc")]
pub mod soa;

/// The example of the README, as a test.
#[cfg(all(doctest, feature = "heap"))]
#[doc = include_str!("../README.md")]
struct Readme;

pub use arena::{Arena, ArenaStats, Checkpoint};
pub use checked::CheckedScope;
pub use collections::{ArenaBox, ArenaIntoIter, ArenaString, ArenaVec};
pub use error::{AllocError, Full};
pub use handle::Handle;
#[cfg(feature = "heap")]
pub use heap::{
    Heap, HeapBox, HeapStats, Heapsmith, Stats, good_size, prefault, purge, set_limit, stats,
    thread_purge, version,
};
#[cfg(feature = "derive")]
pub use heapsmith_derive::Soa;
#[cfg(feature = "alloc")]
pub use pool::FixedPool;
pub use pool::{InlinePool, Pool};
#[cfg(all(feature = "region", feature = "std"))]
pub use region::SyncRegion;
#[cfg(feature = "region")]
pub use region::{Region, RegionBox, RegionControl, RegionError, RegionStats};
pub use scope::{Scope, ScopeGuard};
#[cfg(feature = "alloc")]
pub use soa::{Soa, SoaFixedPool, SoaPool};
