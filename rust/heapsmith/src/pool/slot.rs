//! Slots: memory for one row each. All unsafe code of typed pools is here, but that of `push` in
//! `storage.rs`.

use core::mem::{ManuallyDrop, needs_drop};

use crate::pool::tag::{LAST_GENERATION, PoolId, Tag};

/// The end of the list of free slots.
pub(crate) const NONE: u32 = u32::MAX;

/// A live slot has a row and its tag; a dead one has the generation of its next row and a link.
///
/// Invariant: `content.row` is initialized if and only if `bits` are those of a tag.
pub struct Slot<T> {
    bits: u32,
    content: Content<T>,
}

union Content<T> {
    row: ManuallyDrop<T>,
    next: u32,
}

impl<T> Slot<T> {
    pub(crate) const fn dead(generation: u32, next: u32) -> Self {
        Self { bits: generation & LAST_GENERATION, content: Content { next } }
    }

    #[inline(always)]
    pub(crate) const fn live(tag: Tag, row: T) -> Self {
        Self { bits: tag.get(), content: Content { row: ManuallyDrop::new(row) } }
    }

    /// The tag of the row, if the slot is live.
    #[inline(always)]
    pub(crate) const fn tag(&self) -> Option<Tag> {
        Tag::from_bits(self.bits)
    }

    /// Whether the slot has a row with this tag.
    #[inline(always)]
    pub(crate) const fn has(&self, tag: Tag) -> bool {
        self.bits == tag.get()
    }

    /// The generation of the row, or of the next one.
    #[inline(always)]
    pub(crate) const fn generation(&self) -> u32 {
        self.bits & LAST_GENERATION
    }

    /// The link, if the slot is dead.
    #[inline(always)]
    pub(crate) fn next(&self) -> Option<u32> {
        // SAFETY: a slot without a tag is dead, so its content is a link.
        if self.tag().is_some() { None } else { Some(unsafe { self.content.next }) }
    }

    #[inline(always)]
    pub(crate) fn set_next(&mut self, next: u32) {
        if self.tag().is_none() {
            self.content.next = next;
        }
    }

    /// The row, if it has this tag.
    #[inline(always)]
    pub(crate) fn get(&self, tag: Tag) -> Option<&T> {
        // SAFETY: the slot has this tag, and so a row.
        if self.has(tag) { Some(unsafe { &self.content.row }) } else { None }
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, tag: Tag) -> Option<&mut T> {
        // SAFETY: the slot has this tag, and so a row.
        if self.has(tag) { Some(unsafe { &mut self.content.row }) } else { None }
    }

    /// The slot, to be filled, if it is dead.
    #[inline(always)]
    pub(crate) fn vacant(&mut self) -> Option<Vacant<'_, T>> {
        if self.tag().is_none() { Some(Vacant(self)) } else { None }
    }

    /// The slot's row, to be taken out, if it has this tag.
    #[inline(always)]
    pub(crate) fn occupied(&mut self, tag: Tag) -> Option<Occupied<'_, T>> {
        if self.has(tag) { Some(Occupied { slot: self, tag }) } else { None }
    }
}

/// A slot without a row.
pub(crate) struct Vacant<'a, T>(&'a mut Slot<T>);

impl<T> Vacant<'_, T> {
    /// Puts a row into the slot. Returns the row's tag and the slot's link.
    #[inline(always)]
    pub(crate) fn fill(self, id: PoolId, row: T) -> (Tag, u32) {
        // SAFETY: the slot is dead, as `vacant` has checked, so its content is a link.
        let next = unsafe { self.0.content.next };
        let tag = Tag::new(id, self.0.generation());
        self.0.content.row = ManuallyDrop::new(row);
        self.0.bits = tag.get();
        (tag, next)
    }
}

/// A slot with a row, whose tag is `tag`.
pub(crate) struct Occupied<'a, T> {
    slot: &'a mut Slot<T>,
    tag: Tag,
}

impl<T> Occupied<'_, T> {
    /// Takes the row out. The slot is dead then, with the next generation and a link.
    #[inline(always)]
    pub(crate) fn take(self, next: u32) -> T {
        // SAFETY: the slot has a row, as `occupied` has checked. Its content is overwritten before
        // anything reads it, so the row has one owner.
        let row = unsafe { ManuallyDrop::take(&mut self.slot.content.row) };
        self.slot.content.next = next;
        self.slot.bits = self.tag.next_generation();
        row
    }
}

impl<T> Drop for Slot<T> {
    #[inline]
    fn drop(&mut self) {
        if needs_drop::<T>() && self.tag().is_some() {
            // SAFETY: the slot has a tag, and ends here.
            unsafe { ManuallyDrop::drop(&mut self.content.row) }
        }
    }
}

impl<T: Clone> Clone for Slot<T> {
    fn clone(&self) -> Self {
        match self.tag() {
            // SAFETY: the slot has a tag.
            Some(tag) => Self::live(tag, T::clone(unsafe { &self.content.row })),
            None => Self::dead(self.bits, self.next().unwrap_or(NONE)),
        }
    }
}

/// The rows of several slots at once. `None` unless all indices differ and each slot has the tag
/// beside its index.
pub(crate) fn disjoint_rows<T, const N: usize>(
    slots: &mut [Slot<T>],
    wanted: [(usize, Tag); N],
) -> Option<[&mut T; N]> {
    for (i, &(at, tag)) in wanted.iter().enumerate() {
        let is_repeated = wanted[..i].iter().any(|&(earlier, _)| earlier == at);
        if is_repeated || !slots.get(at)?.has(tag) {
            return None;
        }
    }
    let first = slots.as_mut_ptr();
    Some(wanted.map(|(at, _)| {
        // SAFETY: the index is in bounds, its slot has a tag, and no other reference is to it.
        unsafe { &mut *(*first.add(at)).content.row }
    }))
}
