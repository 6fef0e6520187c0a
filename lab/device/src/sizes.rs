//! How PyTorch's native allocator rounds: requests, segments, and what it splits off.
//!
//! PyTorch documents the settings in its notes on CUDA semantics, where they say how to optimise
//! memory with PYTORCH_CUDA_ALLOC_CONF.

use crate::trace::Trace;

pub const KIB: u64 = 1 << 10;
pub const MIB: u64 = 1 << 20;
pub const GIB: u64 = 1 << 30;

/// All blocks are multiples of it.
pub const BLOCK: u64 = 512;
/// Blocks up to this size come from the small pool.
pub const SMALL: u64 = MIB;
/// A segment of the small pool, and a granule of its expandable segments.
pub const SMALL_SEGMENT: u64 = 2 * MIB;
/// Blocks below this size share segments of `LARGE_SEGMENT`.
pub const ALONE: u64 = 10 * MIB;
/// A shared segment of the large pool, and a granule of its expandable segments.
pub const LARGE_SEGMENT: u64 = 20 * MIB;
/// Larger segments are multiples of it.
pub const ROUND_SEGMENT: u64 = 2 * MIB;
/// Requests of 1 MiB and less have the first number of divisions, those of 32 GiB the last.
const INTERVALS: usize = 16;

/// The settings of `PYTORCH_CUDA_ALLOC_CONF` that decide where blocks go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// `max_split_size_mb`, in bytes: larger blocks are not split.
    pub max_split: Option<u64>,
    /// `roundup_power2_divisions`, by the power of two of the request. 0 and 1: none.
    pub divisions: [u64; INTERVALS],
    /// `garbage_collection_threshold`.
    pub collect_above: Option<f64>,
    /// `expandable_segments`.
    pub is_expandable: bool,
}

impl Config {
    /// The settings of the recorded allocator, as far as its snapshot tells.
    pub fn recorded(trace: &Trace) -> Self {
        let mut config = Self::default();
        let number = |name: &str| trace.setting(name).and_then(|value| value.parse::<f64>().ok());
        config.max_split = number("max_split_size").filter(|it| *it > 0.0).map(|it| it as u64);
        config.collect_above = number("garbage_collection_threshold").filter(|it| *it > 0.0);
        config.is_expandable = trace.setting("expandable_segments") == Some("true");
        let divisions = trace.setting("roundup_power2_divisions").unwrap_or_default();
        for (slot, pair) in config.divisions.iter_mut().zip(divisions.split(',')) {
            *slot = pair.split(':').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
        }
        config
    }

    fn divisions_of(&self, bytes: u64) -> u64 {
        let power = bytes.ilog2().saturating_sub(MIB.ilog2()) as usize;
        self.divisions[power.min(INTERVALS - 1)]
    }

    /// The size of the block for a request.
    pub fn round(&self, bytes: u64) -> u64 {
        if bytes < BLOCK {
            return BLOCK;
        }
        let divisions = self.divisions_of(bytes);
        if divisions <= 1 || bytes <= BLOCK.saturating_mul(divisions) || bytes.is_power_of_two() {
            return bytes.next_multiple_of(BLOCK);
        }
        let step = (1 << bytes.ilog2()) >> divisions.ilog2();
        bytes.next_multiple_of(step)
    }

    /// Whether `rest` bytes are split off a block that serves `bytes`.
    pub fn splits(&self, is_small: bool, bytes: u64, rest: u64) -> bool {
        if is_small || self.is_expandable {
            return rest >= BLOCK;
        }
        self.max_split.is_none_or(|most| bytes < most) && rest > SMALL
    }
}

/// The size of the segment that is made for a block.
pub fn segment_bytes(block: u64) -> u64 {
    if block <= SMALL {
        SMALL_SEGMENT
    } else if block < ALONE {
        LARGE_SEGMENT
    } else {
        block.next_multiple_of(ROUND_SEGMENT)
    }
}

#[cfg(test)]
mod tests {
    //! Sizes as PyTorch's documentation states them.
    use super::*;

    #[test]
    fn requests_are_rounded_to_512_bytes() {
        let config = Config::default();
        let rounded = [0, 1, 512, 513, 13_260_800].map(|bytes| config.round(bytes));
        assert_eq!(rounded, [512, 512, 512, 1024, 13_260_800]);
    }

    #[test]
    fn four_divisions_round_1200_to_1280() {
        // The example of PyTorch's notes: 1200 lies between 1024 and 2048, whose quarters are 1280,
        // 1536, 1792. It is about MiB here, since requests below 512 times 4 are left alone.
        let config = Config { divisions: [4; INTERVALS], ..Config::default() };
        assert_eq!(config.round(1200 * MIB), 1280 * MIB);
        assert_eq!(config.round(1024 * MIB), 1024 * MIB);
        assert_eq!(config.round(1025), 1536);
    }

    #[test]
    fn segments_have_three_sizes() {
        let bytes = [512, MIB, MIB + 512, 10 * MIB - 512, 10 * MIB, 13 * MIB].map(segment_bytes);
        assert_eq!(bytes, [2 * MIB, 2 * MIB, 20 * MIB, 20 * MIB, 10 * MIB, 14 * MIB]);
    }
}
