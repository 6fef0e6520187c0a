//! Positions of the past, which arenas go back to.

use core::fmt;

use crate::bump::Position;

/// A position in an arena, to which [`Arena::rewind`](crate::Arena::rewind) goes back.
///
/// # Examples
///
/// ```
/// let mut arena = heapsmith::Arena::new();
/// let here = arena.checkpoint();
/// arena.alloc_str("draft");
/// arena.rewind(here);
/// assert_eq!(arena.stats().used, 0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint(pub(crate) Position);

impl fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Checkpoint").field(&self.0.at).finish()
    }
}
