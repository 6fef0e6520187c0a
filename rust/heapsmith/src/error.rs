//! Why an allocation failed.

use core::alloc::Layout;
use core::fmt;

/// What was asked for could not be had. Nothing has changed.
///
/// ```
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 48];
/// let arena = heapsmith::Arena::in_buffer(&mut buffer);
/// let error = arena.try_alloc([0u8; 100]).unwrap_err();
/// assert!(error.to_string().starts_with("no room for 100 bytes aligned to 1"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllocError {
    /// The arena may not grow, or the memory it grows from is used up; the region has no free block
    /// of that size.
    NoRoom {
        /// What was asked for.
        layout: Layout,
        /// How many bytes were left where the arena was allocating, or in the largest free block of
        /// the region.
        remaining: usize,
    },
    /// The heap got no more memory of the system, or has reached its limit.
    OutOfMemory {
        /// What was asked for.
        layout: Layout,
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
            Self::OutOfMemory { layout } => {
                write!(f, "no memory for {} bytes aligned to {}", layout.size(), layout.align())
            }
            Self::TooLarge => f.write_str("an array of more bytes than any object may have"),
            Self::ChildIsOpen => f.write_str("this scope has an open child: end that first"),
        }
    }
}

impl core::error::Error for AllocError {}

/// A pool has no slot for this row, which comes back: it is full and does not grow, or there is no
/// memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Full<T>(pub T);

impl<T> Full<T> {
    #[cold]
    #[inline(never)]
    #[track_caller]
    pub(crate) fn panic(self) -> ! {
        panic!("{self}")
    }
}

impl<T> fmt::Display for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the pool has no slot for a further row")
    }
}

/// Without the row, which need not be printable.
impl<T> fmt::Debug for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Full(..)")
    }
}

impl<T> core::error::Error for Full<T> {}
