//! Memory allocators whose misuse does not compile.
//!
//! * [`Heapsmith`] is the global allocator. [`stats`], [`purge`], [`set_limit`] and others are
//!   about the whole process.
//! * A [`Heap`] is a separate heap with its own limit and statistics, which ends with all its
//!   blocks.
//! * A [`Region`] is a malloc over buffers of yours. Several threads can use a [`SyncRegion`].
//! * An [`Arena`] is memory that is freed all at once. A [`BufferArena`] is one in a buffer of yours,
//!   an [`UpstreamArena`] one in a heap, a region or another arena.
//! * A [`Scope`] is a part of an arena's lifetime, in a closure or until a [`ScopeGuard`] is
//!   dropped. Values in it live until it ends, when destructors run in reverse order. While a scope
//!   is open, its parent cannot be used, but everything that the parent allocated can.
//! * A [`CheckedScope`] has the same rules, checked at run time.
//! * [`ArenaVec`] and [`ArenaString`] grow in an arena or scope, until they turn into a slice or a
//!   `str`.
//! * [`Owned`] is a box: the owner of a value in an arena ([`ArenaBox`]), a heap ([`HeapBox`]) or a
//!   region ([`RegionBox`]).
//! * A [`Pool`] has rows of one type, found by a [`Handle`] that detects when its row was removed.
//!   A [`FixedPool`] has a fixed capacity; an [`InlinePool`] needs no allocator.
//! * A [`KeyedPool`] has handles of a type of its own, which the compiler tells from others.
//! * A [`SecondaryMap`] has values beside a pool, found by the same handles.
//! * A [`SoaPool`] has its rows in columns, so that one field of all rows is a slice.
//!
//! The [guide] has a chapter for each family.
//!
//! Constructors and allocating functions panic if there is no memory. Most have a form whose name
//! starts with `try_`, which returns an error instead. Where a collection's function has none, call
//! its `try_reserve` first.
//!
//! # Examples
//!
//! ```
//! use heapsmith::Arena;
//!
//! let mut arena = Arena::new();
//! let words = arena.scope(|frame| {
//!     let name = frame.alloc_str("scratch");
//!     let list: &mut Vec<u32> = frame.alloc_drop(vec![1, 2, 3]);  // dropped when the scope ends
//!     frame.scope(|inner| {
//!         let line = inner.alloc_fmt(format_args!("{name} {}", list.len()));
//!         line.len()
//!     })
//! });
//! assert_eq!(words, 9);
//! ```
//!
//! # Features
//!
//! Everything but heaps and regions is pure Rust for any target. With `alloc`, which the default
//! feature `std` contains, arenas and pools grow with memory of the global allocator. Without it,
//! `core` is enough: arenas work in buffers of yours, and pools have their slots in themselves.
//!
//! Each feature `allocator-api2-…` makes arenas, scopes, heaps and regions allocators for the
//! collections of that version. `nightly` does so for those of the standard library, if the
//! compiler has unstable features.
//!
//! `rayon` gives pools parallel iterators, `serde` makes them and what they contain serializable.
//!
//! `heap` compiles the C++ core for [`Heapsmith`] and [`Heap`], on Linux (x86-64 and aarch64).
//! `region` compiles it for [`Region`], there and for `x86_64-pc-windows-gnu`. The README has a table.
//! `local_dynamic_tls` lets any number of plug-ins that contain the heap into one process.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(allocator_api, feature(allocator_api))] // set by build.rs
#![warn(missing_docs)]
// Links to items of features that a build leaves out.
#![cfg_attr(
    not(all(feature = "std", feature = "heap", feature = "region", feature = "derive")),
    allow(rustdoc::broken_intra_doc_links, rustdoc::private_intra_doc_links)
)]
// Clippy's pedantic lints about pointers, numbers and redundancy.
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
// Each call returns other memory.
#![allow(clippy::mut_from_ref)]

#[cfg(all(feature = "heap", not(target_os = "linux")))]
compile_error!(
    "the feature \"heap\" is for Linux: use heapsmith without it, and \"region\" on Windows"
);

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

#[cfg(any(
    feature = "allocator-api2-02",
    feature = "allocator-api2-03",
    feature = "allocator-api2-04",
    allocator_api
))]
mod allocator;
mod arena;
mod buffer_arena;
mod bump;
mod bump_growth;
mod bump_path;
mod checked;
mod checkpoint;
mod collections;
#[cfg(feature = "std")]
mod counted;
mod error;
mod fill;
#[cfg(any(doc, doctest))]
pub mod guide;
mod handle;
#[cfg(all(feature = "heap", target_os = "linux"))]
mod heap;
mod methods;
pub mod owned;
mod piece;
mod pieces;
pub mod pool;
#[cfg(feature = "region")]
mod region;
mod runs;
#[cfg(feature = "serde")]
mod saved;
mod scope;
#[cfg(feature = "alloc")]
pub mod soa;
#[cfg(any(all(feature = "heap", target_os = "linux"), feature = "region"))]
mod stats;
mod upstream;
mod upstream_arena;

/// The examples of the README, as tests.
#[cfg(all(doctest, feature = "heap", feature = "region"))]
#[doc = include_str!("../README.md")]
struct Readme;

pub use arena::{Arena, ArenaStats};
pub use buffer_arena::BufferArena;
pub use checked::CheckedScope;
pub use checkpoint::Checkpoint;
pub use collections::{
    ArenaDrain, ArenaExtractIf, ArenaIntoIter, ArenaSplice, ArenaString, ArenaStringDrain,
    ArenaVec, CollectIn, FromIteratorIn, GrowIn,
};
#[cfg(feature = "std")]
pub use counted::{
    AllocationCounts, Counted, assert_allocations, assert_no_allocation, count_allocations,
};
pub use error::{AllocError, Full};
pub use handle::Handle;
#[cfg(all(feature = "heap", target_os = "linux"))]
pub use heap::{
    Heap, HeapStats, Heapsmith, Stats, good_size, prefault, purge, set_limit, stats, thread_purge,
    version,
};
#[cfg(feature = "derive")]
pub use heapsmith_derive::Soa;
#[cfg(all(feature = "heap", target_os = "linux"))]
#[doc(inline)]
pub use owned::HeapBox;
#[cfg(feature = "region")]
#[doc(inline)]
pub use owned::RegionBox;
pub use owned::{ArenaBox, Owned};
pub use pieces::Pieces;
#[cfg(feature = "alloc")]
pub use pool::{FixedPool, KeyedPool, secondary::SecondaryMap};
pub use pool::{InlinePool, Pool};
#[cfg(all(feature = "region", feature = "std"))]
pub use region::SyncRegion;
#[cfg(feature = "region")]
pub use region::{Region, RegionControl, RegionError, RegionStats};
pub use scope::{Scope, ScopeGuard};
#[cfg(feature = "alloc")]
pub use soa::{KeyedSoaPool, Soa, SoaFixedPool, SoaPool};
pub use upstream::Upstream;
pub use upstream_arena::UpstreamArena;
