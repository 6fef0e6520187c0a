//! The blocks of PyTorch's allocator: a list by address, and the free ones by size.

use std::collections::{BTreeMap, BTreeSet};

/// The number of no block.
pub const NONE: u32 = u32::MAX;

/// The blocks that may serve each other's requests: those of a pool, small or large, on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    pub pool: u32,
    pub is_small: bool,
    pub stream: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub address: u64,
    pub bytes: u64,
    pub group: Group,
    /// Neighbours in the same segment.
    pub before: u32,
    pub after: u32,
    pub is_used: bool,
    /// Of an expandable segment, whose parts may be without memory.
    pub is_expandable: bool,
    pub is_mapped: bool,
    /// The number of searches in its pool when it became free.
    pub free_since: u64,
}

#[derive(Default)]
pub struct Blocks {
    all: Vec<Block>,
    unused: Vec<u32>,
    /// Free ones, in the order of a search: the first that is long enough serves.
    pub free: BTreeSet<(Group, u64, u64, u32)>,
    /// Parts of expandable segments without memory.
    pub unmapped: BTreeMap<(Group, u64), u32>,
    pub searches: BTreeMap<(u32, bool), u64>,
}

impl Blocks {
    pub fn get(&self, at: u32) -> &Block {
        &self.all[at as usize]
    }

    pub fn change(&mut self, at: u32) -> &mut Block {
        &mut self.all[at as usize]
    }

    pub fn add(&mut self, block: Block) -> u32 {
        if let Some(at) = self.unused.pop() {
            self.all[at as usize] = block;
            return at;
        }
        self.all.push(block);
        self.all.len() as u32 - 1
    }

    pub fn insert_free(&mut self, at: u32) {
        let searches = self.searches_of(self.get(at).group);
        self.change(at).free_since = searches;
        let block = self.get(at);
        self.free.insert((block.group, block.bytes, block.address, at));
    }

    pub fn remove_free(&mut self, at: u32) {
        let block = self.get(at);
        self.free.remove(&(block.group, block.bytes, block.address, at));
    }

    pub fn insert_unmapped(&mut self, at: u32) {
        let block = self.get(at);
        self.unmapped.insert((block.group, block.address), at);
    }

    pub fn remove_unmapped(&mut self, at: u32) {
        let block = self.get(at);
        self.unmapped.remove(&(block.group, block.address));
    }

    pub fn searches_of(&self, group: Group) -> u64 {
        self.searches.get(&(group.pool, group.is_small)).copied().unwrap_or(0)
    }

    /// Cuts `bytes` off the begin of a block that is in no table. Returns the rest.
    pub fn split(&mut self, at: u32, bytes: u64) -> u32 {
        let whole = *self.get(at);
        let rest = self.add(Block {
            address: whole.address + bytes,
            bytes: whole.bytes - bytes,
            before: at,
            ..whole
        });
        if whole.after != NONE {
            self.change(whole.after).before = rest;
        }
        let first = self.change(at);
        (first.bytes, first.after) = (bytes, rest);
        rest
    }

    /// Takes the neighbour `other` into `at` if both are free and alike. `at` is in no table.
    pub fn merge(&mut self, at: u32, other: u32) {
        if other == NONE {
            return;
        }
        let (mine, theirs) = (*self.get(at), *self.get(other));
        if theirs.is_used || theirs.is_mapped != mine.is_mapped {
            return;
        }
        if theirs.is_mapped {
            self.remove_free(other)
        } else {
            self.remove_unmapped(other)
        }
        let block = self.change(at);
        block.bytes += theirs.bytes;
        if mine.before == other {
            (block.address, block.before) = (theirs.address, theirs.before);
            if theirs.before != NONE {
                self.change(theirs.before).after = at;
            }
        } else {
            block.after = theirs.after;
            if theirs.after != NONE {
                self.change(theirs.after).before = at;
            }
        }
        self.unused.push(other);
    }

    pub fn merge_both(&mut self, at: u32) {
        self.merge(at, self.get(at).before);
        self.merge(at, self.get(at).after);
    }

    /// Forgets a block that is in no table.
    pub fn drop_block(&mut self, at: u32) {
        self.unused.push(at);
    }
}
