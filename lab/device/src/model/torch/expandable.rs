//! `expandable_segments`: a range of addresses for each stream and pool, which gets memory by
//! granules where it is needed.

use super::Torch;
use super::blocks::{Block, Group, NONE};
use crate::sizes::{LARGE_SEGMENT, SMALL_SEGMENT};

/// The addresses of a segment. PyTorch takes an eighth more than the device has.
const RANGE: u64 = 1 << 40;

fn granule(group: Group) -> u64 {
    if group.is_small { SMALL_SEGMENT } else { LARGE_SEGMENT }
}

impl Torch {
    /// How long a free block may become in its place.
    pub(super) fn grown(&self, at: u32) -> u64 {
        let block = self.blocks.get(at);
        let after = block.after;
        let rest = if after == NONE { None } else { Some(self.blocks.get(after)) };
        block.bytes + rest.filter(|it| !it.is_mapped).map_or(0, |it| it.bytes)
    }

    /// A block of at least `bytes`, all of it with memory, in no table.
    pub(super) fn expand(&mut self, group: Group, bytes: u64) -> Option<u32> {
        let mut at = self.place(group, bytes)?;
        if !self.blocks.get(at).is_mapped {
            at = self.map(at, bytes)?;
        }
        while self.blocks.get(at).bytes < bytes {
            let rest = bytes - self.blocks.get(at).bytes;
            at = self.map(self.blocks.get(at).after, rest)?;
        }
        self.blocks.remove_free(at);
        Some(at)
    }

    /// The lowest run of free and unmapped blocks that is long enough.
    fn place(&mut self, group: Group, bytes: u64) -> Option<u32> {
        let unmapped = self.blocks.unmapped.range((group, 0)..).take_while(|it| it.0.0 == group);
        for (_, &at) in unmapped {
            let before = self.blocks.get(at).before;
            let first =
                if before != NONE && !self.blocks.get(before).is_used { before } else { at };
            let (mut room, mut next) = (0, first);
            while room < bytes && next != NONE && !self.blocks.get(next).is_used {
                room += self.blocks.get(next).bytes;
                next = self.blocks.get(next).after;
            }
            if room >= bytes {
                return Some(first);
            }
        }
        let length = RANGE.max(bytes.next_multiple_of(LARGE_SEGMENT) + LARGE_SEGMENT);
        let address = self.supply.range(length)?.next_multiple_of(LARGE_SEGMENT);
        let block = Block {
            is_expandable: true,
            is_mapped: false,
            ..super::whole(address, length - LARGE_SEGMENT, group)
        };
        let at = self.blocks.add(block);
        self.blocks.insert_unmapped(at);
        Some(at)
    }

    /// Gives memory to the first granules of an unmapped block. Returns the free block.
    fn map(&mut self, at: u32, bytes: u64) -> Option<u32> {
        let block = *self.blocks.get(at);
        // Unmapped blocks begin and end at granules.
        let length = bytes.min(block.bytes).next_multiple_of(granule(block.group)).min(block.bytes);
        self.supply.grow(length)?;
        self.supply.calls += length / granule(block.group) - 1;
        self.blocks.remove_unmapped(at);
        if length < block.bytes {
            let rest = self.blocks.split(at, length);
            self.blocks.insert_unmapped(rest);
        }
        self.blocks.change(at).is_mapped = true;
        self.blocks.merge_both(at);
        self.blocks.insert_free(at);
        Some(at)
    }

    /// Takes the memory of the whole granules within a free block. Returns the bytes.
    pub(super) fn unmap(&mut self, at: u32) -> u64 {
        let block = *self.blocks.get(at);
        let step = granule(block.group);
        let begin = block.address.next_multiple_of(step);
        let end = (block.address + block.bytes) / step * step;
        if begin >= end {
            return 0;
        }
        self.blocks.remove_free(at);
        let mut middle = at;
        if begin > block.address {
            middle = self.blocks.split(at, begin - block.address);
            self.blocks.insert_free(at);
        }
        if end < block.address + block.bytes {
            let last = self.blocks.split(middle, end - begin);
            self.blocks.insert_free(last);
        }
        self.blocks.change(middle).is_mapped = false;
        self.blocks.merge_both(middle);
        self.blocks.insert_unmapped(middle);
        self.supply.shrink(end - begin);
        self.supply.calls += (end - begin) / step - 1;
        end - begin
    }
}
