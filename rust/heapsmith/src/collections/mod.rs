//! Vectors and strings that grow in arenas and scopes.

mod block;
mod collect;
mod drain;
mod extract_if;
mod into_iter;
mod macros;
mod room;
mod splice;
mod string;
mod string_drain;
mod string_edit;
mod string_from;
mod string_traits;
mod vec;
mod vec_bulk;
mod vec_edit;
mod vec_traits;

pub use collect::{CollectIn, FromIteratorIn, GrowIn};
pub use drain::ArenaDrain;
pub use extract_if::ArenaExtractIf;
pub use into_iter::ArenaIntoIter;
pub use splice::ArenaSplice;
pub use string::ArenaString;
pub use string_drain::ArenaStringDrain;
pub use vec::ArenaVec;

pub(crate) use room::Room;
#[cfg(feature = "alloc")]
pub(crate) use vec_bulk::bounds;
