//! Where a pool has its slots: on the heap, or in the pool itself.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
#[cfg(feature = "alloc")]
use core::alloc::Layout;

use crate::error::AllocError;
use crate::pool::slot::{NONE, Slot};

/// Where a [`Pool`](crate::Pool) has its slots: [`Allocated`] or [`Inline`].
///
/// The trait names the two; it has nothing to call, and cannot be implemented.
pub trait Storage<T>: Slots<T> {}

/// What a pool asks of its storage. It is in a private module, and so out of reach.
pub trait Slots<T> {
    fn slots(&self) -> &[Slot<T>];
    fn slots_mut(&mut self) -> &mut [Slot<T>];

    /// How many slots there can be without more memory.
    fn room(&self) -> usize;

    /// Makes room for so many further slots.
    fn try_grow(&mut self, additional: usize) -> Result<(), AllocError>;

    /// Adds a slot for which there is room.
    fn push(&mut self, slot: Slot<T>);

    /// Drops the slots from this one on, and may give back their memory.
    fn truncate(&mut self, len: usize);

    /// Whether there can never be more room.
    fn is_fixed(&self) -> bool;
}

/// Slots in one block of the global allocator, which grows as a vector does, unless it was told
/// its capacity.
#[cfg(feature = "alloc")]
pub struct Allocated<T> {
    slots: Vec<Slot<T>>,
    /// The vector's capacity, but never more than `limit`.
    room: usize,
    limit: u32,
    is_fixed: bool,
}

/// A name for the default of [`Pool`](crate::Pool)'s parameter, which needs the feature `alloc`.
#[cfg(not(feature = "alloc"))]
pub struct Allocated<T>(core::marker::PhantomData<T>);

#[cfg(feature = "alloc")]
impl<T> Allocated<T> {
    pub(crate) const fn new() -> Self {
        // The last index is no slot's: it stands for none.
        Self { slots: Vec::new(), room: 0, limit: NONE, is_fixed: false }
    }

    pub(crate) fn fixed(capacity: usize) -> Result<Self, AllocError> {
        let limit = u32::try_from(capacity).map_err(|_| AllocError::TooLarge)?;
        let mut new = Self { limit, ..Self::new() };
        new.try_grow(capacity)?;
        new.is_fixed = true;
        Ok(new)
    }

    fn no_room(&self, additional: usize) -> AllocError {
        Layout::array::<Slot<T>>(additional).map_or(AllocError::TooLarge, |layout| {
            let remaining = (self.room - self.slots.len()) * size_of::<Slot<T>>();
            AllocError::NoRoom { layout, remaining }
        })
    }
}

#[cfg(feature = "alloc")]
impl<T> Storage<T> for Allocated<T> {}

#[cfg(feature = "alloc")]
impl<T> Slots<T> for Allocated<T> {
    #[inline(always)]
    fn slots(&self) -> &[Slot<T>] {
        &self.slots
    }

    #[inline(always)]
    fn slots_mut(&mut self) -> &mut [Slot<T>] {
        &mut self.slots
    }

    #[inline(always)]
    fn room(&self) -> usize {
        self.room
    }

    #[cold]
    #[inline(never)]
    fn try_grow(&mut self, additional: usize) -> Result<(), AllocError> {
        const FIRST: usize = 16;
        let (len, limit) = (self.slots.len(), self.limit as usize);
        let needed = len.checked_add(additional).ok_or(AllocError::TooLarge)?;
        if needed <= self.room {
            return Ok(());
        }
        if self.is_fixed || needed > limit {
            return Err(self.no_room(additional));
        }
        let wanted = needed.max(self.room * 2).max(FIRST).min(limit);
        self.slots
            .try_reserve_exact(wanted - len)
            .or_else(|_| self.slots.try_reserve_exact(additional))
            .map_err(|_| self.no_room(additional))?;
        self.room = self.slots.capacity().min(limit);
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, slot: Slot<T>) {
        self.slots.push(slot);
    }

    fn truncate(&mut self, len: usize) {
        self.slots.truncate(len);
        if !self.is_fixed {
            self.slots.shrink_to_fit();
            self.room = self.slots.capacity().min(self.limit as usize);
        }
    }

    #[inline(always)]
    fn is_fixed(&self) -> bool {
        self.is_fixed
    }
}

#[cfg(feature = "alloc")]
impl<T: Clone> Clone for Allocated<T> {
    fn clone(&self) -> Self {
        let capacity = if self.is_fixed { self.limit as usize } else { self.slots.len() };
        let mut slots = Vec::with_capacity(capacity);
        slots.extend_from_slice(&self.slots);
        let room = slots.capacity().min(self.limit as usize);
        Self { slots, room, limit: self.limit, is_fixed: self.is_fixed }
    }
}

/// `N` slots in the pool itself.
#[derive(Clone)]
pub struct Inline<T, const N: usize> {
    slots: [Slot<T>; N],
    used: usize,
}

impl<T, const N: usize> Inline<T, N> {
    pub(crate) const fn new() -> Self {
        const { assert!(N < NONE as usize, "a pool has less than 2^32 - 1 slots") };
        Self { slots: [const { Slot::dead(0, NONE) }; N], used: 0 }
    }
}

impl<T, const N: usize> Storage<T> for Inline<T, N> {}

impl<T, const N: usize> Slots<T> for Inline<T, N> {
    #[inline(always)]
    fn slots(&self) -> &[Slot<T>] {
        &self.slots[..self.used]
    }

    #[inline(always)]
    fn slots_mut(&mut self) -> &mut [Slot<T>] {
        &mut self.slots[..self.used]
    }

    #[inline(always)]
    fn room(&self) -> usize {
        N
    }

    #[cold]
    fn try_grow(&mut self, additional: usize) -> Result<(), AllocError> {
        let remaining = N - self.used;
        if additional <= remaining {
            return Ok(());
        }
        core::alloc::Layout::array::<Slot<T>>(additional).map_or(Err(AllocError::TooLarge), |l| {
            Err(AllocError::NoRoom { layout: l, remaining: remaining * size_of::<Slot<T>>() })
        })
    }

    #[inline(always)]
    fn push(&mut self, slot: Slot<T>) {
        self.slots[self.used] = slot;
        self.used += 1;
    }

    fn truncate(&mut self, len: usize) {
        for slot in &mut self.slots[len..self.used] {
            *slot = Slot::dead(0, NONE);
        }
        self.used = self.used.min(len);
    }

    #[inline(always)]
    fn is_fixed(&self) -> bool {
        true
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::Allocated;
    use crate::pool::Pool;

    /// What a pool of 2^32 - 1 slots would do.
    #[test]
    fn a_growing_pool_ends_at_its_limit() {
        let mut pool = Pool::over(Allocated { limit: 21, ..Allocated::new() });
        pool.extend(0..21);
        assert_eq!((pool.len(), pool.capacity()), (21, 21));
        assert_eq!(pool.try_insert(21).unwrap_err().0, 21);
        assert!(pool.try_reserve(1).is_err());
        assert!(pool.remove_at(7).is_some() && pool.try_insert(21).is_ok());
    }
}
