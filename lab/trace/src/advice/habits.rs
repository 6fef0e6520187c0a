//! The habits of a site: counts of the things that it does with its blocks.

use crate::powers::ByPower;

/// Larger blocks have no pool.
pub const LARGEST_IN_POOL: u64 = 512;
/// Pools have a size class for each multiple of so many bytes.
const STEP: u64 = 16;

/// The blocks of one site, which is a place in the program that calls the allocator. A block that is
/// resized is a new one, of the site that resized it.
#[derive(Clone, Debug, Default)]
pub struct Habits {
    pub blocks: u64,
    pub bytes: u64,
    pub freed: u64,
    pub left: u64,
    /// The thread of the first block, and whether there are others.
    pub thread: u32,
    pub has_threads: bool,
    /// Freed or resized by another thread than the one that allocated it.
    pub crossed: u64,
    /// Ended by being resized, or made so.
    pub resized: u64,
    /// Aligned to more than 16 bytes.
    pub over_aligned: u64,
    /// Freed as the newest block of the site and thread.
    pub newest_first: u64,
    /// By size: freed by the same thread with at most one allocation of that thread between.
    pub brief: ByPower,
    /// By size: the others.
    pub kept: ByPower,
    /// By multiples of 16 bytes, up to 512; the last counts all larger ones.
    pub sizes: Vec<u64>,
    pub largest: u64,
    /// How often no block was in use any more.
    pub emptied: u64,
    /// Freed by runs of frees after which none was in use any more.
    pub torn_down: u64,
    /// The most bytes in use at a time, of each thread.
    pub most_live: u64,
    /// The most bytes of an arena at a time, and of scopes, of each thread.
    pub most_in_arena: u64,
    pub most_in_scopes: u64,
    /// Scopes would need far more than the program does.
    pub is_too_large: bool,
    /// Blocks that grew three times or more; how often they did, how many bytes that moved.
    pub chains: u64,
    pub growths: u64,
    pub moved_bytes: u64,
    /// Their final sizes, in bytes.
    pub finals: ByPower,
    pub largest_final: u64,
}

impl Habits {
    pub fn count_size(&mut self, size: u64) {
        let places = (LARGEST_IN_POOL / STEP + 2) as usize;
        if self.sizes.is_empty() {
            self.sizes = vec![0; places];
        }
        let class = size.div_ceil(STEP) as usize;
        self.sizes[class.min(places - 1)] += 1;
        self.largest = self.largest.max(size);
    }

    /// The most common multiple of 16 bytes, and the share of the blocks that need it.
    pub fn common_size(&self) -> Option<(u64, f64)> {
        let (_, classes) = self.sizes.split_last()?;
        let (class, &count) = classes.iter().enumerate().max_by_key(|&(_, count)| *count)?;
        Some((class as u64 * STEP, count as f64 / self.blocks.max(1) as f64))
    }

    /// The largest power of two such that all blocks up to it are brief, and the share of the blocks
    /// that these are. Blocks that are kept must not lie in a buffer, so one is enough to end it.
    pub fn brief_up_to(&self, largest: u64) -> Option<(u64, f64)> {
        let mut found = None;
        let mut brief = 0;
        for (power, &count) in self.brief.iter().enumerate() {
            let bytes = 1u64 << power; // entry n has sizes below 2^n
            if bytes > largest || self.kept.get(power).is_some_and(|&kept| kept != 0) {
                break;
            }
            brief += count;
            if count != 0 {
                found = Some((bytes, brief as f64 / self.blocks.max(1) as f64));
            }
        }
        found
    }
}
