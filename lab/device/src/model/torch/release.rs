//! Memory that goes back to the device.

use super::Torch;
use super::blocks::{Group, NONE};
use crate::sizes::LARGE_SEGMENT;

impl Torch {
    /// Gives a free block back, as far as it is whole segments or granules. Returns the bytes.
    pub(super) fn release(&mut self, at: u32) -> u64 {
        let block = *self.blocks.get(at);
        if block.is_expandable {
            return self.unmap(at);
        }
        if block.before != NONE || block.after != NONE {
            return 0;
        }
        self.blocks.remove_free(at);
        self.blocks.drop_block(at);
        self.supply.shrink(block.bytes);
        block.bytes
    }

    pub(super) fn release_all(&mut self) {
        let free: Vec<u32> = self.blocks.free.iter().map(|it| it.3).collect();
        for at in free {
            self.release(at);
        }
    }

    /// Gives back the segment that begins at `address`, if it is all free.
    pub fn release_segment(&mut self, address: u64) {
        let at = self.blocks.free.iter().find(|it| it.2 == address).map(|it| it.3);
        if let Some(at) = at {
            self.release(at);
        }
    }

    /// With `max_split_size_mb`: gives back blocks that are longer than that, from the first that
    /// would do. Returns whether enough went back.
    pub(super) fn release_oversized(&mut self, group: Group, bytes: u64) -> bool {
        let Some(most) = self.config.max_split else { return false };
        let wanted = bytes.max(most);
        let free = &self.blocks.free;
        let mine = |it: &&(Group, u64, u64, u32)| it.0 == group;
        if let Some(&(.., at)) = free.range((group, wanted, 0, 0)..).next().filter(|it| mine(it)) {
            return self.release(at) > 0;
        }
        let longest: Vec<u32> =
            free.range((group, most, 0, 0)..).take_while(mine).map(|it| it.3).collect();
        let mut released = 0;
        for at in longest.into_iter().rev() {
            if released >= wanted {
                break;
            }
            released += self.release(at);
        }
        released >= wanted
    }

    /// `garbage_collection_threshold`: gives back the segments that have been free for longest,
    /// until the reserved memory is below the threshold. It needs a limit that the program has set.
    pub(super) fn collect(&mut self) {
        let Some(share) = self.config.collect_above.filter(|_| self.has_fraction) else { return };
        let threshold = (share * self.supply.limit as f64) as u64;
        let mut wanted = self.supply.reserved.saturating_sub(threshold);
        loop {
            let ages = self.ages();
            if wanted == 0 || ages.is_empty() {
                return;
            }
            let mean = ages.iter().map(|it| it.1).sum::<u64>() / ages.len() as u64;
            let mut released = 0;
            for (at, _) in ages.into_iter().filter(|it| it.1 >= mean) {
                if released < wanted {
                    released += self.release(at);
                }
            }
            if released == 0 {
                return;
            }
            wanted = wanted.saturating_sub(released);
        }
    }

    /// The free segments of the large pool, and for how many searches each has been free.
    fn ages(&self) -> Vec<(u32, u64)> {
        let whole = self.blocks.free.iter().filter_map(|&(group, bytes, _, at)| {
            let block = self.blocks.get(at);
            let is_whole = block.before == NONE && block.after == NONE && !block.is_expandable;
            let is_large = group.pool == 0 && !group.is_small && bytes < u64::MAX - LARGE_SEGMENT;
            let age = self.blocks.searches_of(group) - block.free_since;
            (is_whole && is_large).then_some((at, age))
        });
        whole.collect()
    }
}
