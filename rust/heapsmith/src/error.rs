//! Errors.

use core::alloc::Layout;
use core::fmt;

/// Why an allocation failed. A failed call ends no allocation. An arena may have given back pieces
/// that it had kept for reuse, if they were too small.
///
/// # Examples
///
/// ```
/// let mut buffer = [core::mem::MaybeUninit::uninit(); 48];
/// let arena = heapsmith::BufferArena::new(&mut buffer);
/// let error = arena.try_alloc([0u8; 100]).unwrap_err();
/// assert!(error.to_string().starts_with("no room for 100 bytes aligned to 1"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllocError {
    /// The arena does not grow or has reached its limit, or the global allocator is out of memory;
    /// or the region has no free block of that size.
    NoRoom {
        /// The requested layout.
        layout: Layout,
        /// The bytes left in the arena's current piece, or in the region's largest free block.
        remaining: usize,
    },
    /// The operating system is out of memory, or the heap has reached its limit.
    OutOfMemory {
        /// The requested layout.
        layout: Layout,
    },
    /// The array would be larger than any object may be.
    TooLarge,
    /// A checked scope was used while its child was open.
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
                write!(f, "out of memory for {} bytes aligned to {}", layout.size(), layout.align())
            }
            Self::TooLarge => f.write_str("the array would be larger than any object may be"),
            Self::ChildIsOpen => f.write_str("the scope was used while its child was open"),
        }
    }
}

impl core::error::Error for AllocError {}

/// A pool or map has no slot for a row or value, and returns it: the pool is full and does not grow,
/// or there is no memory.
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
        f.write_str("there is no free slot")
    }
}

/// Does not print the row, which need not implement `Debug`.
impl<T> fmt::Debug for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Full(..)")
    }
}

impl<T> core::error::Error for Full<T> {}
