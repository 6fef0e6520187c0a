//! The guide: a chapter for each family, with the case for it, examples, costs and limits.
//!
//! The chapters show what the enabled features have.

#[cfg(feature = "std")]
#[doc = include_str!("../guide/arenas.md")]
pub mod arenas {}

#[cfg(feature = "std")]
#[doc = include_str!("../guide/pools.md")]
pub mod pools {}

#[cfg(feature = "std")]
#[doc = include_str!("../guide/columns.md")]
pub mod columns {}

#[cfg(all(feature = "heap", target_os = "linux"))]
#[doc = include_str!("../guide/heaps.md")]
pub mod heaps {}

#[cfg(feature = "region")]
#[doc = include_str!("../guide/regions.md")]
pub mod regions {}
