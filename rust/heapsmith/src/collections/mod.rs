//! Owners of what lies in an arena or scope: vectors and texts that grow there, and single values.

mod boxed;
mod into_iter;
mod methods;
mod room;
mod string;
mod vec;
mod vec_edit;
mod vec_traits;

pub use boxed::ArenaBox;
pub use into_iter::ArenaIntoIter;
pub use string::ArenaString;
pub use vec::ArenaVec;

pub(crate) use methods::collection_methods;
pub(crate) use room::Room;
