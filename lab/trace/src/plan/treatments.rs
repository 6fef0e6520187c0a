//! Treatments: which blocks come from a family of heapsmith, as if the program followed an advice.

use rustc_hash::FxHashMap;

/// The families that `lab/replayer/families.hpp` has, with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Family {
    /// One block at a time lies in a buffer of its thread.
    Buffer = 1,
    /// An arena of the thread, which frees nothing until all its blocks have ended.
    Arena = 2,
    /// A pool of the thread.
    Pool = 3,
    /// A pool that all threads share.
    SharedPool = 4,
    /// An arena of the thread that is rewound when its newest blocks have ended.
    Scope = 5,
    /// A first-class heap of the thread, which ends its last blocks at once.
    Heap = 6,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Treatment {
    pub family: Family,
    /// The numbers of the callers whose blocks it has. They are never resized; only those of a
    /// shared pool are freed by other threads.
    pub sites: Vec<u32>,
    /// Larger blocks stay with malloc.
    pub limit: u64,
}

/// Blocks that are allocated with their final size at once, and so never grow.
#[derive(Clone, Debug, Default)]
pub struct Growth {
    /// The final size of a first block, and the number of the last block of its chain.
    finals: FxHashMap<u64, (u64, u64)>,
    next: FxHashMap<u64, u64>,
    continued: rustc_hash::FxHashSet<u64>,
}

impl Growth {
    /// The blocks of a chain, each of which takes the place of the one before it.
    pub fn add(&mut self, blocks: &[u64], final_size: u64) {
        let (Some(&first), Some(&last)) = (blocks.first(), blocks.last()) else { return };
        self.finals.insert(first, (final_size, last));
        for pair in blocks.windows(2) {
            self.next.insert(pair[0], pair[1]);
            self.continued.insert(pair[1]);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.finals.is_empty()
    }

    pub(super) fn final_size(&self, block: u64) -> Option<(u64, u64)> {
        self.finals.get(&block).copied()
    }

    pub(super) fn next(&self, block: u64) -> Option<u64> {
        self.next.get(&block).copied()
    }

    pub(super) fn continues(&self, block: u64) -> bool {
        self.continued.contains(&block)
    }
}

/// The changes of a plan.
#[derive(Clone, Debug, Default)]
pub struct Treatments {
    pub(super) list: Vec<Treatment>,
    by_site: FxHashMap<u32, u32>,
    pub growth: Growth,
}

/// The families align blocks so, in bytes.
const ALIGN: u64 = 16;

impl Treatments {
    /// The first treatment of a site counts.
    pub fn new(list: Vec<Treatment>, growth: Growth) -> Self {
        let mut by_site = FxHashMap::default();
        for (number, treatment) in list.iter().enumerate() {
            for &site in &treatment.sites {
                by_site.entry(site).or_insert(number as u32);
            }
        }
        Self { list, by_site, growth }
    }

    /// The treatment that has a block of this site.
    pub(super) fn of(&self, site: u32, size: u64, align: u64) -> Option<u32> {
        let number = *self.by_site.get(&site)?;
        (size <= self.list[number as usize].limit && align <= ALIGN).then_some(number)
    }

    pub(super) fn words(&self) -> Vec<u64> {
        self.list.iter().flat_map(|it| [it.family as u64, it.limit]).collect()
    }
}
