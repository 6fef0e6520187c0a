//! Methods that several allocators have, written once as macros: each adds its methods to the
//! `impl` block in which it stands.

mod blocks;
#[cfg(any(feature = "heap", feature = "region"))]
mod boxes;
mod collections;
mod drops;
mod exclusive;
mod stages;
mod values;

pub(crate) use blocks::block_methods;
#[cfg(any(feature = "heap", feature = "region"))]
pub(crate) use boxes::box_methods;
pub(crate) use collections::collection_methods;
pub(crate) use drops::drop_methods;
pub(crate) use exclusive::exclusive_methods;
pub(crate) use stages::stage_methods;
pub(crate) use values::value_methods;
