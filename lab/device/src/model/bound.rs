//! The bound: as if no byte were lost between blocks. No allocator needs less.

use std::collections::HashMap;

use super::allocator::{Allocator, Counts};
use super::supply::Supply;
use crate::program::Request;
use crate::sizes::BLOCK;

pub struct Bound {
    supply: Supply,
    used: HashMap<u32, u64>,
}

impl Bound {
    pub fn new(limit: Option<u64>) -> Self {
        Self { supply: Supply::new(limit), used: HashMap::new() }
    }
}

impl Allocator for Bound {
    fn allocate(&mut self, block: u32, request: Request) -> bool {
        let bytes = request.bytes.max(1).next_multiple_of(BLOCK);
        self.used.insert(block, bytes);
        self.supply.grow(bytes).is_some()
    }

    fn free(&mut self, block: u32) {
        if let Some(bytes) = self.used.remove(&block) {
            self.supply.shrink(bytes);
        }
    }

    /// It asks no device.
    fn counts(&self) -> Counts {
        Counts { peak_reserved: self.supply.peak, ..Counts::default() }
    }
}
