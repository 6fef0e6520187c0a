//! PyTorch's native caching allocator, with its settings.
//!
//! A freed block stays in its segment and serves later requests: the smallest free block that is
//! long enough, of the same pool and stream. Without one, the device is asked for a segment. If
//! it has no memory, cached segments go back to it, and the request is tried once more.

mod blocks;
mod expandable;
mod release;

use std::collections::HashMap;

use super::allocator::{Allocator, Counts};
use super::supply::Supply;
use crate::program::Request;
use crate::sizes::{Config, LARGE_SEGMENT, SMALL, segment_bytes};
use crate::trace::Device;
use blocks::{Block, Blocks, Group, NONE};

pub struct Torch {
    config: Config,
    pub supply: Supply,
    blocks: Blocks,
    /// In use, by the numbers of the program.
    used: HashMap<u32, u32>,
    retries: u64,
    /// `set_per_process_memory_fraction` was called, with a fraction of 1.
    has_fraction: bool,
}

impl Torch {
    pub fn new(config: Config, limit: Option<u64>) -> Self {
        Self {
            has_fraction: config.collect_above.is_some() && limit.is_some(),
            config,
            supply: Supply::new(limit),
            blocks: Blocks::default(),
            used: HashMap::new(),
            retries: 0,
        }
    }

    /// Takes over the segments and blocks at the first event. The blocks get the first numbers.
    pub fn restore(&mut self, device: &Device) {
        let mut blocks = device.blocks.iter().enumerate().peekable();
        for segment in &device.segments {
            let group =
                Group { pool: segment.pool, is_small: segment.is_small, stream: segment.stream };
            self.supply.reserved = self.supply.reserved.saturating_add(segment.bytes);
            let mut rest = self.blocks.add(whole(segment.address, segment.bytes, group));
            let end = segment.address + segment.bytes;
            while let Some((number, block)) = blocks.next_if(|it| it.1.address < end) {
                let at = self.blocks.get(rest).address;
                if block.address < at || block.bytes > end - block.address {
                    continue; // a misfit
                }
                let mut used = rest;
                if block.address > at {
                    used = self.blocks.split(rest, block.address - at);
                    self.blocks.insert_free(rest);
                }
                self.blocks.change(used).is_used = true;
                self.used.insert(number as u32, used);
                if block.address + block.bytes == end {
                    rest = NONE;
                    break;
                }
                rest = self.blocks.split(used, block.bytes);
                self.blocks.change(rest).is_used = false;
            }
            if rest != NONE {
                self.blocks.insert_free(rest);
            }
        }
        self.supply.peak = self.supply.reserved;
    }

    /// Where a block in use lies.
    pub fn address(&self, block: u32) -> Option<u64> {
        self.used.get(&block).map(|at| self.blocks.get(*at).address)
    }

    fn find_free(&mut self, group: Group, bytes: u64) -> Option<u32> {
        *self.blocks.searches.entry((group.pool, group.is_small)).or_default() += 1;
        let from = (group, bytes, 0, 0);
        let mut fits = self.blocks.free.range(from..).take_while(|it| it.0 == group);
        let mut found = fits.next()?;
        if self.config.is_expandable {
            // A block at the end of its segment counts as long as it may grow: a longer one that
            // may grow less is better.
            for next in fits {
                let mine = self.blocks.get(found.3);
                if mine.after == NONE || self.grown(next.3) >= self.grown(found.3) {
                    break;
                }
                found = next;
            }
        }
        let &(_, length, _, at) = found;
        if let Some(most) = self.config.max_split {
            let is_wrong =
                if bytes < most { length >= most } else { length >= bytes + LARGE_SEGMENT };
            if is_wrong {
                return None;
            }
        }
        self.blocks.remove_free(at);
        Some(at)
    }

    /// A new segment, or a part of one that grows.
    fn get_new(&mut self, group: Group, bytes: u64) -> Option<u32> {
        if self.config.is_expandable {
            return self.expand(group, bytes);
        }
        let length = segment_bytes(bytes);
        let address = self.supply.segment(length)?;
        Some(self.blocks.add(whole(address, length, group)))
    }

    fn get_after_release(&mut self, group: Group, bytes: u64) -> Option<u32> {
        if self.release_oversized(group, bytes) {
            if let Some(at) = self.get_new(group, bytes) {
                return Some(at);
            }
        }
        self.release_all();
        self.retries += 1;
        self.get_new(group, bytes)
    }
}

/// A free segment.
fn whole(address: u64, bytes: u64, group: Group) -> Block {
    Block {
        address,
        bytes,
        group,
        before: NONE,
        after: NONE,
        is_used: false,
        is_expandable: false,
        is_mapped: true,
        free_since: 0,
    }
}

impl Allocator for Torch {
    fn allocate(&mut self, block: u32, request: Request) -> bool {
        let bytes = self.config.round(request.bytes);
        let is_small = bytes <= SMALL;
        let group = Group { pool: request.pool, is_small, stream: request.stream };
        let mut found = self.find_free(group, bytes);
        if found.is_none() {
            self.collect();
            found = self.get_new(group, bytes).or_else(|| self.get_after_release(group, bytes));
        }
        let Some(at) = found else { return false };
        let rest = self.blocks.get(at).bytes - bytes;
        if self.config.splits(is_small, bytes, rest) {
            let rest = self.blocks.split(at, bytes);
            self.blocks.insert_free(rest);
        }
        self.blocks.change(at).is_used = true;
        self.used.insert(block, at);
        self.supply.expected.clear();
        true
    }

    fn free(&mut self, block: u32) {
        let Some(at) = self.used.remove(&block) else { return };
        self.blocks.change(at).is_used = false;
        self.blocks.merge_both(at);
        self.blocks.insert_free(at);
    }

    fn empty_cache(&mut self) {
        self.release_all();
    }

    fn expect_segment(&mut self, address: u64, bytes: u64) {
        self.supply.expected.push_back((address, bytes));
    }

    fn counts(&self) -> Counts {
        let Supply { peak, calls, .. } = self.supply;
        Counts { peak_reserved: peak, device_calls: calls, retries: self.retries }
    }
}
