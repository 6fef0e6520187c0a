//! Vectors and strings that grow in arenas and scopes.

mod collect;
mod drain;
mod into_iter;
mod macros;
mod room;
mod splice;
mod string;
mod string_edit;
mod vec;
mod vec_bulk;
mod vec_edit;
mod vec_traits;

pub use collect::{CollectIn, FromIteratorIn, GrowIn};
pub use drain::ArenaDrain;
pub use into_iter::ArenaIntoIter;
pub use splice::ArenaSplice;
pub use string::ArenaString;
pub use vec::ArenaVec;

pub(crate) use room::Room;
#[cfg(feature = "alloc")]
pub(crate) use vec_bulk::bounds;
