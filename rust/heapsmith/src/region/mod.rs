//! Regions: a malloc over buffers that the caller supplies, in the C++ core.

mod boxed;
mod control;
mod figures;
mod raw;
#[cfg(feature = "std")]
mod sync;
mod values;

pub use boxed::RegionBox;
pub use control::RegionControl;
pub use figures::{RegionError, RegionStats};
pub use raw::Region;
#[cfg(feature = "std")]
pub use sync::SyncRegion;
