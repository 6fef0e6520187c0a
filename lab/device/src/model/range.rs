//! One range of addresses that grows at its end: heapsmith's `offset_region` over mapped granules,
//! and cudaMallocAsync's pool as far as measurements tell.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::allocator::{Allocator, Counts};
use super::supply::Supply;
use crate::program::Request;

/// How a range serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Blocks are multiples of it.
    pub round: u64,
    /// Blocks of this size and more are multiples of `round_large`.
    pub large: u64,
    pub round_large: u64,
    /// The range gets memory in multiples of it.
    pub granule: u64,
    /// The lowest free block that is long enough serves, in place of the smallest.
    pub lowest: bool,
}

pub struct Range {
    rules: Rules,
    supply: Supply,
    /// Address and size of each block in use.
    used: HashMap<u32, (u64, u64)>,
    /// The free blocks below `end`, by address and by size. None borders on another one.
    by_address: BTreeMap<u64, u64>,
    by_size: BTreeSet<(u64, u64)>,
    /// The first address that no block has had yet.
    end: u64,
    mapped: u64,
}

impl Range {
    pub fn new(rules: Rules, limit: Option<u64>) -> Self {
        Self {
            rules,
            supply: Supply::new(limit),
            used: HashMap::new(),
            by_address: BTreeMap::new(),
            by_size: BTreeSet::new(),
            end: 0,
            mapped: 0,
        }
    }

    fn find(&self, bytes: u64) -> Option<(u64, u64)> {
        if self.rules.lowest {
            return self.by_address.iter().find(|it| *it.1 >= bytes).map(|it| (*it.0, *it.1));
        }
        self.by_size.range((bytes, 0)..).next().map(|it| (it.1, it.0))
    }

    fn insert(&mut self, address: u64, bytes: u64) {
        self.by_address.insert(address, bytes);
        self.by_size.insert((bytes, address));
    }

    fn remove(&mut self, address: u64, bytes: u64) {
        self.by_address.remove(&address);
        self.by_size.remove(&(bytes, address));
    }

    /// A block at the end, which a free block there helps to make.
    fn extend(&mut self, bytes: u64) -> Option<u64> {
        let last = self.by_address.last_key_value().map(|it| (*it.0, *it.1));
        let last = last.filter(|(address, length)| address + length == self.end);
        let address = last.map_or(self.end, |it| it.0);
        let end = (address + bytes).next_multiple_of(self.rules.granule);
        if end > self.mapped {
            self.supply.grow(end - self.mapped)?;
            self.mapped = end;
        }
        if let Some((address, length)) = last {
            self.remove(address, length);
        }
        self.end = address + bytes;
        Some(address)
    }
}

impl Allocator for Range {
    fn allocate(&mut self, block: u32, request: Request) -> bool {
        let asked = request.bytes.max(1);
        let is_large = asked >= self.rules.large;
        let round = if is_large { self.rules.round_large } else { self.rules.round };
        let bytes = asked.next_multiple_of(round);
        let address = if let Some((address, length)) = self.find(bytes) {
            self.remove(address, length);
            if length > bytes {
                self.insert(address + bytes, length - bytes);
            }
            address
        } else if let Some(address) = self.extend(bytes) {
            address
        } else {
            return false;
        };
        self.used.insert(block, (address, bytes));
        true
    }

    fn free(&mut self, block: u32) {
        let Some((mut address, mut bytes)) = self.used.remove(&block) else { return };
        if let Some((&before, &length)) = self.by_address.range(..address).next_back() {
            if before + length == address {
                self.remove(before, length);
                (address, bytes) = (before, length + bytes);
            }
        }
        if let Some(&length) = self.by_address.get(&(address + bytes)) {
            self.remove(address + bytes, length);
            bytes += length;
        }
        self.insert(address, bytes);
    }

    fn counts(&self) -> Counts {
        let Supply { peak, calls, .. } = self.supply;
        Counts { peak_reserved: peak, device_calls: calls, retries: 0 }
    }
}
