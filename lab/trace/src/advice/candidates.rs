//! The changes that are worth a replay.

use std::path::Path;

use serde::Serialize;

use super::habits::{Habits, LARGEST_IN_POOL};
use super::study::{Merging, Study, growth};
use crate::error::Result;
use crate::plan::{Family, Growth, Treatment, Treatments};

/// The changes that there are for the blocks of a site, the simplest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    StackBuffer,
    ReusedBuffer,
    Reserve,
    Scope,
    Arena,
    Heap,
    Pool,
    SharedPool,
}

/// A change that has not been tried yet.
#[derive(Clone, Debug, Serialize)]
pub struct Candidate {
    pub change: Change,
    /// Their numbers in the study.
    pub sites: Vec<u32>,
    /// Of a buffer, in bytes.
    pub limit: Option<u64>,
    /// More seconds than this cannot be saved.
    pub most_s: f64,
}

/// Larger buffers would not fit on the stack.
const LARGEST_ON_STACK: u64 = 4096;
const LARGEST_BUFFER: u64 = 64 << 10;
/// So large a share of a site's blocks does what a family needs.
const NEARLY_ALL: f64 = 0.95;
/// An arena may need so much more of the program's peak than malloc.
const MORE_IN_ARENA: f64 = 0.3;
/// A site grows its blocks if so large a share of them grew in chains. Sizes that vary at random
/// look like growth at times.
const GROWN: f64 = 0.3;
/// A heap pays if it ends so large a share of its blocks at once.
const ENDED_AT_ONCE: f64 = 0.2;
/// Fewer blocks do not matter.
const FEWEST: u64 = 100;
/// A pair of malloc and free rarely takes longer, nor the copy of a byte and the fault of its page.
const MOST_OF_A_BLOCK_S: f64 = 100e-9;
const MOST_OF_A_BYTE_S: f64 = 0.5e-9;
/// A site matters from this share of the time on, or of the peak.
const LEAST_OF_TIME: f64 = 0.005;
const LEAST_OF_PEAK: f64 = 0.05;
/// Sites that end their blocks together share an arena or a heap, up to so many.
const MOST_TOGETHER: usize = 8;

/// The candidates, the most promising first. `program_s`: how long the program ran.
pub fn candidates(study: &Study, program_s: f64) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut shared: Vec<(u64, Candidate)> = Vec::new(); // how often they were empty
    for (number, it) in study.sites.iter().enumerate() {
        let most_s = it.blocks as f64 * MOST_OF_A_BLOCK_S + it.bytes as f64 * MOST_OF_A_BYTE_S;
        let is_large = it.most_live as f64 >= LEAST_OF_PEAK * study.peak_bytes as f64;
        if it.blocks < FEWEST || (most_s < LEAST_OF_TIME * program_s && !is_large) {
            continue;
        }
        let with = |change, limit| Candidate { change, sites: vec![number as u32], limit, most_s };
        if let Some((limit, share)) = it.brief_up_to(LARGEST_BUFFER)
            && share >= NEARLY_ALL
            && it.crossed == 0
        {
            let is_small = limit <= LARGEST_ON_STACK;
            let change = if is_small { Change::StackBuffer } else { Change::ReusedBuffer };
            all.push(with(change, Some(limit)));
        }
        let newest_first = it.newest_first as f64 >= NEARLY_ALL * it.blocks as f64;
        if newest_first && !it.is_too_large && fits(it, it.most_in_scopes, study.peak_bytes) {
            all.push(with(Change::Scope, None));
        } else if fits(it, it.most_in_arena, study.peak_bytes) {
            shared.push((it.emptied, with(Change::Arena, None)));
        } else if ends_at_once(it) {
            shared.push((it.emptied, with(Change::Heap, None)));
        }
        if let Some(change) = pool(it) {
            all.push(with(change, None));
        }
        if it.growths as f64 >= GROWN * it.blocks as f64 && it.chains > 0 {
            all.push(with(Change::Reserve, None));
        }
    }
    all.extend(together(shared));
    all.sort_by(|a, b| b.most_s.total_cmp(&a.most_s));
    all
}

fn is_plain(it: &Habits) -> bool {
    it.resized == 0 && it.over_aligned == 0
}

/// Whether an arena that holds so many bytes at its largest could have the blocks.
fn fits(it: &Habits, most_held: u64, peak_bytes: u64) -> bool {
    let more = most_held.saturating_sub(it.most_live) as f64;
    is_plain(it) && it.crossed == 0 && more <= MORE_IN_ARENA * peak_bytes as f64
}

/// Whether a heap could end many of the blocks at once. It reuses the memory of the others.
fn ends_at_once(it: &Habits) -> bool {
    is_plain(it) && it.crossed == 0 && it.torn_down as f64 >= ENDED_AT_ONCE * it.blocks as f64
}

fn pool(it: &Habits) -> Option<Change> {
    let (size, share) = it.common_size()?;
    if !is_plain(it) || share < NEARLY_ALL || size > LARGEST_IN_POOL {
        return None;
    }
    Some(if it.crossed == 0 { Change::Pool } else { Change::SharedPool })
}

/// Joins the arenas of sites that are empty equally often, and the heaps: their blocks end together.
fn together(shared: Vec<(u64, Candidate)>) -> Vec<Candidate> {
    let mut groups: Vec<(u64, Candidate)> = Vec::new();
    for (emptied, next) in shared {
        let group = groups.iter_mut().find(|(of_group, group)| {
            *of_group == emptied
                && emptied > 0
                && group.change == next.change
                && group.sites.len() < MOST_TOGETHER
        });
        match group {
            Some((_, group)) => {
                group.sites.extend(next.sites);
                group.most_s += next.most_s;
            }
            None => groups.push((emptied, next)),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

impl Candidate {
    fn family(&self) -> Option<Family> {
        Some(match self.change {
            Change::StackBuffer | Change::ReusedBuffer => Family::Buffer,
            Change::Scope => Family::Scope,
            Change::Arena => Family::Arena,
            Change::Heap => Family::Heap,
            Change::Pool => Family::Pool,
            Change::SharedPool => Family::SharedPool,
            Change::Reserve => return None,
        })
    }

    fn treatment(&self, merging: &Merging) -> Option<Treatment> {
        let limit = match self.change {
            Change::Pool | Change::SharedPool => LARGEST_IN_POOL,
            _ => self.limit.unwrap_or(u64::MAX),
        };
        let sites = self.sites.iter().flat_map(|&site| merging.callers(site)).collect();
        Some(Treatment { family: self.family()?, sites, limit })
    }
}

/// The changes of a plan in which the program follows all of these.
pub fn treatments(trace: &Path, merging: &Merging, followed: &[&Candidate]) -> Result<Treatments> {
    let growing = followed.iter().filter(|it| it.change == Change::Reserve);
    let sites: Vec<u32> = growing.flat_map(|it| it.sites.iter().copied()).collect();
    let growth = if sites.is_empty() { Growth::default() } else { growth(trace, merging, &sites)? };
    Ok(Treatments::new(followed.iter().filter_map(|it| it.treatment(merging)).collect(), growth))
}
