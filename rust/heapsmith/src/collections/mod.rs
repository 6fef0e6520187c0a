//! Vectors and strings that grow in arenas and scopes.

mod drain;
mod into_iter;
mod room;
mod string;
mod vec;
mod vec_bulk;
mod vec_edit;
mod vec_traits;

pub use drain::ArenaDrain;
pub use into_iter::ArenaIntoIter;
pub use string::ArenaString;
pub use vec::ArenaVec;

pub(crate) use room::Room;
