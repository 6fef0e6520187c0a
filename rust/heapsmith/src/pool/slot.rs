//! Slots: places for one row each. All that is unsafe about typed pools is here.

use core::mem::{ManuallyDrop, needs_drop};

use crate::pool::tag::{LAST_GENERATION, Tag};

/// No slot: the end of a list of free ones.
pub(crate) const NONE: u32 = u32::MAX;

/// A row under its tag, or, while it is dead, the generation of its next row and a link.
///
/// Invariant: `content.row` holds a row exactly if `bits` are those of a tag.
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

    /// The tag of the row, if there is one.
    #[inline(always)]
    pub(crate) const fn tag(&self) -> Option<Tag> {
        Tag::from_bits(self.bits)
    }

    /// Whether there is a row under this tag.
    #[inline(always)]
    pub(crate) const fn has(&self, tag: Tag) -> bool {
        self.bits == tag.get()
    }

    /// The generation of the row, or of the next one.
    #[inline(always)]
    pub(crate) const fn generation(&self) -> u32 {
        self.bits & LAST_GENERATION
    }

    /// The link of a dead slot, which a live one has not.
    #[inline(always)]
    pub(crate) fn next(&self) -> Option<u32> {
        // SAFETY: without a tag the slot is dead, and its content was written as a link.
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
        // SAFETY: the slot has a tag, namely this one.
        if self.has(tag) { Some(unsafe { &self.content.row }) } else { None }
    }

    #[inline(always)]
    pub(crate) fn get_mut(&mut self, tag: Tag) -> Option<&mut T> {
        // SAFETY: the slot has a tag, namely this one.
        if self.has(tag) { Some(unsafe { &mut self.content.row }) } else { None }
    }

    /// Puts a row into a dead slot, whose link is returned.
    #[inline(always)]
    pub(crate) fn fill(&mut self, tag: Tag, row: T) -> u32 {
        let next = self.next().expect("only dead slots are filled");
        self.content.row = ManuallyDrop::new(row);
        self.bits = tag.get();
        next
    }

    /// Takes the row out, if it has this tag. The slot is dead then, and a generation older.
    #[inline(always)]
    pub(crate) fn take(&mut self, tag: Tag, next: u32) -> Option<T> {
        if !self.has(tag) {
            return None;
        }
        // SAFETY: the slot had a tag. Its content is overwritten before anyone can look at it, so
        // the row has one owner.
        let row = unsafe { ManuallyDrop::take(&mut self.content.row) };
        self.content.next = next;
        self.bits = tag.next_generation();
        Some(row)
    }
}

impl<T> Drop for Slot<T> {
    #[inline]
    fn drop(&mut self) {
        if needs_drop::<T>() && self.tag().is_some() {
            // SAFETY: the slot has a tag, and nobody sees it any more.
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

/// The rows of some slots, all at once.
///
/// `None` unless each slot that `places` names has the tag beside it, and all differ.
pub(crate) fn disjoint_rows<T, const N: usize>(
    slots: &mut [Slot<T>],
    places: [(usize, Tag); N],
) -> Option<[&mut T; N]> {
    for (i, &(at, tag)) in places.iter().enumerate() {
        let is_repeated = places[..i].iter().any(|&(earlier, _)| earlier == at);
        if is_repeated || !slots.get(at)?.has(tag) {
            return None;
        }
    }
    let first = slots.as_mut_ptr();
    Some(places.map(|(at, _)| {
        // SAFETY: within the slots, as just seen, which have tags; no two references are to one.
        unsafe { &mut *(*first.add(at)).content.row }
    }))
}
