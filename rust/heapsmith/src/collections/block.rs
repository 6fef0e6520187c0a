//! The block of a vector, and how it grows.

use core::alloc::Layout;
use core::ptr::NonNull;

use super::Room;
use crate::error::AllocError;
use crate::fill::array_layout;

/// The least size of the first block: 64 bytes, or four elements unless they are large.
const FIRST_BYTES: usize = 64;
const FIRST_ELEMENTS: usize = 4;
const LARGE_ELEMENT: usize = 1024;
pub(super) const FIRST_BLOCK: Layout = Layout::new::<[u8; FIRST_BYTES]>();

/// The block of a vector. A vector hands over copies of its fields: if no function gets its address,
/// it can stay in registers.
pub(super) struct Block<'grow, T> {
    pub(super) first: NonNull<T>,
    /// `usize::MAX` if elements have no size, which then never grows.
    pub(super) capacity: usize,
    pub(super) room: Room<'grow>,
}

impl<'grow, T> Block<'grow, T> {
    /// A larger block for `additional` more elements after `len`, and its capacity. If possible, it
    /// is a first block or the last block enlarged in place. `None`: `refusal` says why.
    ///
    /// Arguments and result travel in registers; `Self` and an error would be too large.
    #[cold]
    #[inline(never)]
    pub(super) fn grown(
        first: NonNull<T>,
        capacity: usize,
        room: Room<'grow>,
        len: usize,
        additional: usize,
    ) -> Option<(NonNull<T>, usize)> {
        let block = Self { first, capacity, room };
        let next = Self::next_capacity(capacity);
        let here = if additional <= next - len { block.enlarged_here(next) } else { None };
        match here {
            Some(first) => Some((first.cast(), next)),
            None => block.moved(len, additional),
        }
    }

    /// `None`: something was allocated behind the block, or there is no room.
    #[inline(always)]
    fn enlarged_here(&self, capacity: usize) -> Option<NonNull<u8>> {
        let (bump, new) = (self.room.bump().ok()?, array_layout::<T>(capacity).ok()?);
        if self.capacity == 0 {
            return bump.take(new);
        }
        // SAFETY: the block was allocated in this room with so many bytes.
        unsafe { bump.resize_last(self.first.cast(), self.bytes(), new.size()) }
    }

    /// Twice the capacity if there is room, otherwise what is needed.
    #[cold]
    #[inline(never)]
    fn moved(self, len: usize, additional: usize) -> Option<(NonNull<T>, usize)> {
        let needed = len.checked_add(additional)?;
        let wanted = needed.max(Self::next_capacity(self.capacity));
        self.resized(wanted).or_else(|_| self.resized(needed)).ok()
    }

    /// Why there is no larger block.
    #[cold]
    #[inline(never)]
    pub(super) fn refusal(room: Room<'grow>, len: usize, additional: usize) -> AllocError {
        let needed = len.checked_add(additional).ok_or(AllocError::TooLarge);
        match (room.bump(), needed.and_then(array_layout::<T>)) {
            (Ok(bump), Ok(layout)) => bump.no_room(layout),
            (Err(error), _) | (_, Err(error)) => error,
        }
    }

    /// The capacity after growth that asks for few elements.
    #[inline(always)]
    fn next_capacity(capacity: usize) -> usize {
        let elements = if size_of::<T>() > LARGE_ELEMENT { 1 } else { FIRST_ELEMENTS };
        let least = (FIRST_BYTES / size_of::<T>().max(1)).max(elements);
        capacity.saturating_mul(2).max(least)
    }

    /// A block of exactly this capacity, and the capacity.
    pub(super) fn resized(&self, capacity: usize) -> Result<(NonNull<T>, usize), AllocError> {
        let new = array_layout::<T>(capacity)?;
        // SAFETY: the block was allocated in this room with the layout of its capacity.
        let first = unsafe { self.room.grow(self.first.cast(), self.layout(), new)? };
        Ok((first.cast(), capacity))
    }

    pub(super) fn bytes(&self) -> usize {
        self.capacity * size_of::<T>() // at most isize::MAX: the block was allocated
    }

    fn layout(&self) -> Layout {
        // SAFETY: the block was allocated with this layout, or has no bytes.
        unsafe { Layout::from_size_align_unchecked(self.bytes(), align_of::<T>()) }
    }
}
