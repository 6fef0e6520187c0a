//! The device, as an allocator sees it: so many bytes, by calls that take long.

use std::collections::VecDeque;

use crate::sizes::ROUND_SEGMENT;
use crate::trace::HIGHEST_ADDRESS;

/// More than any device has.
const MOST: u64 = 1 << 60;
/// Far above all addresses of a recording.
const FIRST_ADDRESS: u64 = 1 << 60;

pub struct Supply {
    pub limit: u64,
    pub reserved: u64,
    pub peak: u64,
    pub calls: u64,
    next: u64,
    /// Segments of the recording that come next: addresses and sizes.
    pub expected: VecDeque<(u64, u64)>,
    /// The sizes of new segments, in their order.
    pub sizes: Vec<u64>,
}

impl Supply {
    pub fn new(limit: Option<u64>) -> Self {
        Self {
            limit: limit.unwrap_or(MOST),
            reserved: 0,
            peak: 0,
            calls: 0,
            next: FIRST_ADDRESS,
            expected: VecDeque::new(),
            sizes: Vec::new(),
        }
    }

    /// A segment of its own. If the recorded allocator got one of this size now, its address.
    pub fn segment(&mut self, bytes: u64) -> Option<u64> {
        self.grow(bytes)?;
        self.sizes.push(bytes);
        let is_next = self.expected.front().is_some_and(|next| next.1 == bytes);
        let expected = if is_next { self.expected.pop_front() } else { None };
        expected.map_or_else(|| self.range(bytes), |next| Some(next.0))
    }

    /// Addresses without memory. None: all are taken.
    pub fn range(&mut self, bytes: u64) -> Option<u64> {
        let address = self.next;
        if address >= HIGHEST_ADDRESS {
            return None;
        }
        self.next += bytes.next_multiple_of(ROUND_SEGMENT);
        Some(address)
    }

    /// Memory, if the device has as much.
    pub fn grow(&mut self, bytes: u64) -> Option<()> {
        self.calls += 1;
        let reserved = self.reserved.checked_add(bytes).filter(|it| *it <= self.limit)?;
        self.reserved = reserved;
        self.peak = self.peak.max(reserved);
        Some(())
    }

    pub fn shrink(&mut self, bytes: u64) {
        self.calls += 1;
        self.reserved -= bytes;
    }
}
