//! Where a pool keeps its slots: in a block that grows, in a block of fixed capacity, or in itself.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::alloc::Layout;

use crate::error::AllocError;
use crate::pool::slot::{NONE, Slot};

/// Where a [`Pool`](crate::Pool) keeps its slots: [`Growable`], [`Fixed`] or [`Inline`].
///
/// This trait is sealed. It has no methods to call.
pub trait Storage<T>: Slots<T> {}

/// The operations of a pool on its storage. This module is private, which seals the trait.
pub trait Slots<T> {
    /// Whether the number of slots is fixed.
    const IS_FIXED: bool;

    fn slots(&self) -> &[Slot<T>];
    fn slots_mut(&mut self) -> &mut [Slot<T>];

    /// The number of slots for which there is memory.
    fn room(&self) -> usize;

    /// Makes room for `additional` more slots.
    fn try_grow(&mut self, additional: usize) -> Result<(), AllocError>;

    /// Adds a slot for which there is room.
    fn push(&mut self, slot: Slot<T>);

    /// Drops all slots after the first `len` and may free their memory. Not called if the number of
    /// slots is fixed.
    fn truncate(&mut self, _: usize) {}
}

/// Fails unless `remaining` slots are enough for `additional` ones.
#[cold]
fn require_room<T>(additional: usize, remaining: usize) -> Result<(), AllocError> {
    if additional <= remaining {
        return Ok(());
    }
    let layout = Layout::array::<Slot<T>>(additional).map_err(|_| AllocError::TooLarge)?;
    Err(AllocError::NoRoom { layout, remaining: remaining * size_of::<Slot<T>>() })
}

/// Slots in one block of the global allocator, which grows as a `Vec` does.
#[cfg(feature = "alloc")]
pub struct Growable<T> {
    slots: Vec<Slot<T>>,
    /// Invariant: at most the vector's capacity. It is also at most `limit`.
    room: usize,
    limit: u32,
}

/// Slots that grow, which need the feature `alloc`.
#[cfg(not(feature = "alloc"))]
pub struct Growable<T>(core::marker::PhantomData<T>);

#[cfg(feature = "alloc")]
impl<T> Growable<T> {
    pub(crate) const fn new() -> Self {
        // The last index, NONE, is not a slot's.
        Self { slots: Vec::new(), room: 0, limit: NONE }
    }
}

#[cfg(feature = "alloc")]
impl<T> Storage<T> for Growable<T> {}

#[cfg(feature = "alloc")]
impl<T> Slots<T> for Growable<T> {
    const IS_FIXED: bool = false;

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

    fn try_grow(&mut self, additional: usize) -> Result<(), AllocError> {
        const FIRST: usize = 16;
        let (len, limit) = (self.slots.len(), self.limit as usize);
        let needed = len.checked_add(additional).ok_or(AllocError::TooLarge)?;
        if needed <= self.room {
            return Ok(());
        }
        let wanted = needed.max(self.room * 2).max(FIRST).min(limit);
        let reserved = needed <= limit
            && (self.slots.try_reserve_exact(wanted - len).is_ok()
                || self.slots.try_reserve_exact(additional).is_ok());
        if !reserved {
            return require_room::<T>(additional, self.room - len);
        }
        self.room = self.slots.capacity().min(limit);
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, slot: Slot<T>) {
        let len = self.slots.len();
        assert!(len < self.room, "the slot needs room");
        // SAFETY: `room` is at most the vector's capacity, so there is memory for the slot, which
        // is initialized before it counts.
        unsafe {
            self.slots.as_mut_ptr().add(len).write(slot);
            self.slots.set_len(len + 1);
        }
    }

    fn truncate(&mut self, len: usize) {
        self.slots.truncate(len);
        self.slots.shrink_to_fit();
        self.room = self.slots.capacity().min(self.limit as usize);
    }
}

#[cfg(feature = "alloc")]
impl<T: Clone> Clone for Growable<T> {
    fn clone(&self) -> Self {
        let slots = self.slots.clone();
        let room = slots.capacity().min(self.limit as usize);
        Self { slots, room, limit: self.limit }
    }
}

/// Slots in one block of the global allocator, whose capacity is fixed when it is made.
#[cfg(feature = "alloc")]
pub struct Fixed<T> {
    slots: Vec<Slot<T>>,
    /// At most the vector's capacity.
    capacity: u32,
}

#[cfg(feature = "alloc")]
impl<T> Fixed<T> {
    pub(crate) fn try_new(capacity: usize) -> Result<Self, AllocError> {
        let (mut slots, count) = (Vec::new(), u32::try_from(capacity));
        let reserved = count.is_ok() && slots.try_reserve_exact(capacity).is_ok();
        match count {
            Ok(capacity) if reserved => Ok(Self { slots, capacity }),
            _ => Err(require_room::<T>(capacity, 0).err().unwrap_or(AllocError::TooLarge)),
        }
    }
}

#[cfg(feature = "alloc")]
impl<T> Storage<T> for Fixed<T> {}

#[cfg(feature = "alloc")]
impl<T> Slots<T> for Fixed<T> {
    const IS_FIXED: bool = true;

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
        self.capacity as usize
    }

    fn try_grow(&mut self, additional: usize) -> Result<(), AllocError> {
        require_room::<T>(additional, self.room() - self.slots.len())
    }

    #[inline(always)]
    fn push(&mut self, slot: Slot<T>) {
        self.slots.push(slot);
    }
}

#[cfg(feature = "alloc")]
impl<T: Clone> Clone for Fixed<T> {
    fn clone(&self) -> Self {
        let mut slots = Vec::with_capacity(self.room());
        slots.extend_from_slice(&self.slots);
        Self { slots, capacity: self.capacity }
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
    const IS_FIXED: bool = true;

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

    fn try_grow(&mut self, additional: usize) -> Result<(), AllocError> {
        require_room::<T>(additional, N - self.used)
    }

    #[inline(always)]
    fn push(&mut self, slot: Slot<T>) {
        self.slots[self.used] = slot;
        self.used += 1;
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::Growable;
    use crate::pool::Pool;

    /// Stands for a pool of 2^32 - 1 slots.
    #[test]
    fn a_growing_pool_stops_at_its_limit() {
        let mut pool = Pool::<_>::over(Growable { limit: 21, ..Growable::new() });
        pool.extend(0..21);
        assert_eq!((pool.len(), pool.capacity()), (21, 21));
        assert_eq!(pool.try_insert(21).unwrap_err().0, 21);
        assert!(pool.try_reserve(1).is_err());
        assert!(pool.remove_at(7).is_some() && pool.try_insert(21).is_ok());
    }
}
