//! Why an allocation failed.

use core::alloc::Layout;
use core::fmt;

/// What was asked for could not be had. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllocError {
    /// The arena may not grow, or the memory it grows from is used up.
    NoRoom {
        /// What was asked for.
        layout: Layout,
        /// How many bytes were left where the arena was allocating.
        remaining: usize,
    },
    /// An array of more bytes than any object may have.
    TooLarge,
    /// A checked scope was used while a child of it was open.
    ChildIsOpen,
}

impl AllocError {
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn panic(self) -> ! {
        panic!("{self}")
    }
}

impl fmt::Display for AllocError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRoom { layout, remaining } => write!(
                f,
                "no room for {} bytes aligned to {}: {remaining} remain",
                layout.size(),
                layout.align()
            ),
            Self::TooLarge => f.write_str("an array of more bytes than any object may have"),
            Self::ChildIsOpen => f.write_str("this scope has an open child: end that first"),
        }
    }
}

impl core::error::Error for AllocError {}
