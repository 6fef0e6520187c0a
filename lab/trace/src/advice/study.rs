//! The pass that looks at what each site does with its blocks.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::chains::{Chain, Chains};
use super::habits::Habits;
use super::lanes::Lane;
use crate::error::Result;
use crate::event::{Event, Kind};
use crate::packed::{Reader, Tables};
use crate::plan::Growth;
use crate::powers::count;

/// A block grows often from so many times on.
pub const OFTEN: u64 = 3;
/// Scopes are followed up to this multiple of the program's peak so far, and some more: programs
/// start small.
const SCOPES_LIMIT: f64 = 1.3;
const SCOPES_START: u64 = 32 << 20;
/// Families align blocks so, in bytes.
const ALIGN: u32 = 16;

#[derive(Default)]
pub struct Study {
    pub tables: Tables,
    /// By the number of the site.
    pub sites: Vec<Habits>,
    pub calls: u64,
    pub threads: u32,
    /// The calls of each thread, by its number.
    pub calls_of: Vec<u64>,
    pub peak_bytes: u64,
    pub damage: Option<String>,
}

struct Live {
    site: u32,
    thread: u32,
    size: u64,
    /// How many blocks its thread had allocated.
    at: u64,
}

#[derive(Default)]
struct Pass {
    study: Study,
    live: FxHashMap<u64, Live>,
    lanes: FxHashMap<(u32, u32), Lane>,
    allocated: Vec<u64>, // by thread
    bytes: u64,
}

/// Which callers are one site: a compiler copies a line of a program into several places. The site
/// has the number of one of its callers.
#[derive(Clone, Debug, Default)]
pub struct Merging(Vec<u32>);

impl Merging {
    /// `site_of`: by the number of the caller.
    pub fn new(site_of: Vec<u32>) -> Self {
        Self(site_of)
    }

    fn site(&self, caller: u32) -> u32 {
        self.0.get(caller as usize).copied().unwrap_or(caller)
    }

    fn event(&self, event: &Event) -> Event {
        Event { caller: self.site(event.caller), ..*event }
    }

    /// All callers of a site.
    pub fn callers(&self, site: u32) -> Vec<u32> {
        let mut all: Vec<u32> =
            (0..self.0.len() as u32).filter(|&it| self.0[it as usize] == site).collect();
        if all.is_empty() {
            all.push(site);
        }
        all
    }
}

impl Study {
    /// Complexity: linear in the events. Memory: for the blocks in use, and for scopes of up to 1.3
    /// times the peak.
    pub fn of(trace: &Path, merging: &Merging) -> Result<Self> {
        let mut reader = Reader::open(trace)?;
        let mut pass = Pass::default();
        let mut chains = Chains::new(false);
        reader.for_each(|event| {
            let event = merging.event(event);
            let is_growth = chains.add(&event, &mut |chain| pass.chain(&chain));
            pass.add(&event, is_growth);
        })?;
        chains.finish(&mut |chain| pass.chain(&chain));
        let mut study = pass.finish();
        study.tables = reader.tables.take().unwrap_or_default();
        study.damage = reader.damage.take().map(|error| error.to_string());
        Ok(study)
    }
}

/// The blocks that grow often at `sites`.
pub fn growth(trace: &Path, merging: &Merging, sites: &[u32]) -> Result<Growth> {
    let mut reader = Reader::open(trace)?;
    let mut chains = Chains::new(true);
    let mut growth = Growth::default();
    let mut ended = |chain: Chain| {
        if chain.steps >= OFTEN && sites.contains(&chain.site) {
            growth.add(&chain.blocks, chain.final_size);
        }
    };
    reader.for_each(|event| {
        chains.add(&merging.event(event), &mut ended);
    })?;
    chains.finish(&mut ended);
    Ok(growth)
}

impl Pass {
    fn site(&mut self, number: u32) -> &mut Habits {
        let at = number as usize;
        if self.study.sites.len() <= at {
            self.study.sites.resize_with(at + 1, Habits::default);
        }
        &mut self.study.sites[at]
    }

    fn chain(&mut self, chain: &Chain) {
        if chain.steps < OFTEN {
            return;
        }
        let site = self.site(chain.site);
        site.chains += 1;
        site.growths += chain.steps;
        site.moved_bytes = site.moved_bytes.saturating_add(chain.moved_bytes);
        count(&mut site.finals, chain.final_size);
        site.largest_final = site.largest_final.max(chain.final_size);
    }

    fn add(&mut self, event: &Event, is_growth: bool) {
        if matches!(event.kind, Kind::Resident { .. } | Kind::Inherit { .. }) {
            return;
        }
        self.study.calls += 1;
        self.study.threads = self.study.threads.max(event.thread);
        let thread = event.thread as usize;
        if self.allocated.len() <= thread {
            self.allocated.resize(thread + 1, 0);
            self.study.calls_of.resize(thread + 1, 0);
        }
        self.study.calls_of[thread] += 1;
        match event.kind {
            Kind::Allocate { block, size, align } => self.make(event, block, size, align),
            Kind::Free { block } => self.end(event.thread, block, is_growth),
            Kind::Resize { old, block, size, .. } => {
                if let Some(it) = self.live.get(&old) {
                    self.study.sites[it.site as usize].resized += 1;
                }
                self.end(event.thread, old, true);
                self.make(event, block, size, 1);
                self.site(event.caller).resized += 1;
            }
            _ => {}
        }
    }

    fn make(&mut self, event: &Event, block: u64, size: u64, align: u32) {
        let Event { thread, caller, .. } = *event;
        self.bytes = self.bytes.wrapping_add(size);
        self.study.peak_bytes = self.study.peak_bytes.max(self.bytes);
        self.allocated[thread as usize] += 1;
        let at = self.allocated[thread as usize];
        self.live.insert(block, Live { site: caller, thread, size, at });
        let limit = (self.study.peak_bytes as f64 * SCOPES_LIMIT) as u64 + SCOPES_START;
        self.lanes.entry((caller, thread)).or_default().allocate(block, size, limit);
        let site = self.site(caller);
        if site.blocks == 0 {
            site.thread = thread;
        }
        site.has_threads |= site.thread != thread;
        site.blocks += 1;
        site.bytes = site.bytes.saturating_add(size);
        site.over_aligned += u64::from(align > ALIGN);
        site.count_size(size);
    }

    fn end(&mut self, thread: u32, block: u64, is_replaced: bool) {
        let Some(it) = self.live.remove(&block) else { return };
        self.bytes = self.bytes.wrapping_sub(it.size);
        let lane = self.lanes.get_mut(&(it.site, it.thread)).expect("it was allocated there");
        let is_newest = lane.free(block, it.size, |other| self.live.contains_key(&other));
        let is_empty = lane.blocks == 0;
        let between = self.allocated[it.thread as usize] - it.at;
        let site = &mut self.study.sites[it.site as usize];
        site.freed += 1;
        site.newest_first += u64::from(is_newest);
        site.emptied += u64::from(is_empty);
        site.crossed += u64::from(it.thread != thread);
        let is_brief = it.thread == thread && between <= 1 && !is_replaced;
        count(if is_brief { &mut site.brief } else { &mut site.kept }, it.size);
    }

    fn finish(mut self) -> Study {
        for it in self.live.values() {
            let site = &mut self.study.sites[it.site as usize];
            site.left += 1;
            count(&mut site.kept, it.size);
        }
        for ((number, _), lane) in &self.lanes {
            let site = &mut self.study.sites[*number as usize];
            site.most_live += lane.most_bytes;
            site.torn_down += lane.torn_down;
            site.most_in_arena = site.most_in_arena.saturating_add(lane.most_in_arena);
            site.most_in_scopes += lane.most_in_scopes;
            site.is_too_large |= lane.is_too_large;
        }
        self.study
    }
}
