//! A trace as the page shows it: sums, a curve, bins of time, named sites and stacks. Its size is
//! bounded, whatever the trace has.

mod cells;
mod places;
mod stacks;
mod threads;

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::error::Result;
use crate::info::{Info, Site, watched};
use crate::packed::Tables;
use crate::powers::ByPower;
use crate::printable;
use crate::pyramid::{Bins, Pyramid};
pub use cells::Series;
pub use places::{Place, Places};
pub use stacks::Stacks;
pub use threads::Threads;

/// Cells of all series of sites together: about 600 KB of text.
const MOST_CELLS: usize = 20_000;
/// A site can be among the largest by calls, by bytes, at the peak, or by what was never freed.
const FROM_EACH: usize = 150;
const MOST_MEMORY: usize = 512;

/// The least and the most that was in use, in steps of equal length.
#[derive(Debug, Serialize)]
pub struct Curve {
    pub step_ns: f64,
    pub most: Vec<u64>,
    pub least: Vec<u64>,
    pub blocks: Vec<u64>,
}

/// All events of a bin.
#[derive(Debug, Serialize)]
pub struct BinOfAll {
    pub calls: u64,
    pub sizes: ByPower,
    pub lifetimes: ByPower,
}

/// A site, or all others together.
#[derive(Debug, Serialize)]
pub struct PageSite {
    /// The place of the call, then the functions into which it is inlined: numbers of places.
    pub places: Vec<u32>,
    pub calls: u64,
    pub bytes: u64,
    pub peak_blocks: u64,
    pub peak_bytes: u64,
    pub left_blocks: u64,
    pub left_bytes: u64,
    pub inherited_bytes: u64,
    pub series: Series,
}

#[derive(Debug, Serialize)]
pub struct TracePage {
    pub command: String,
    pub pid: u32,
    pub is_anonymous: bool,
    pub info: Sums,
    pub curve: Curve,
    /// Bytes of the process in memory: nanoseconds from the first event, bytes.
    pub memory: Vec<(u64, u64)>,
    pub bin_ns: f64,
    pub bins: Vec<BinOfAll>,
    pub sites: Vec<PageSite>,
    pub others: Option<PageSite>,
    /// How many sites `others` joins.
    pub other_sites: usize,
    pub places: Vec<Place>,
    pub stacks: Stacks,
    pub threads: Threads,
}

/// The numbers of the whole program.
#[derive(Debug, Serialize)]
pub struct Sums {
    pub events: u64,
    pub calls: Vec<(&'static str, u64)>,
    pub failed: u64,
    pub allocated_blocks: u64,
    pub allocated_bytes: u64,
    pub resized_in_place: u64,
    pub resized_moved: u64,
    pub threads: u64,
    pub freed_by_another_thread: u64,
    pub peak_bytes: u64,
    pub peak_blocks: u64,
    pub peak_ns: u64,
    pub duration_ns: u64,
    pub left_blocks: u64,
    pub left_bytes: u64,
    pub inherited_blocks: u64,
    pub inherited_bytes: u64,
}

/// A trace that was read.
pub struct Summed {
    pub info: Info,
    pub tables: Tables,
    pub bins: Bins,
    /// A line about damage. All that lies before it is there.
    pub damage: Option<String>,
}

impl Summed {
    /// Complexity: one pass over the events. Memory is needed for the blocks in use, and for a
    /// bounded number of bins.
    pub fn read(path: &Path) -> Result<Self> {
        let mut pyramid = Pyramid::default();
        let (info, tables, damage) = watched(path, &mut pyramid)?;
        let bins = pyramid.finish(tables.meta.ticks_a_ns);
        Ok(Self { info, tables, bins, damage })
    }
}

impl TracePage {
    pub fn of(summed: &Summed) -> Self {
        let Summed { info, tables, bins, .. } = summed;
        let named = cells::named(info, bins, FROM_EACH, MOST_CELLS);
        let mut places = Places::of(tables);
        let sites: Vec<PageSite> = named
            .iter()
            .map(|&caller| PageSite {
                places: places.of_caller(caller),
                ..site(&info.sites[caller as usize], cells::series(bins, caller))
            })
            .collect();
        let set: FxHashSet<u32> = named.iter().copied().collect();
        let rest = || (0u32..).zip(&info.sites).filter(|(n, it)| !set.contains(n) && is_used(it));
        let others = rest().map(|(_, it)| *it).reduce(|a, b| a.with(&b));
        let others = others.map(|it| site(&it, cells::series_of_others(bins, &set)));
        let stacks = Stacks::of(tables, &named, &mut places);
        Self {
            command: printable::name(&tables.meta.command.join(" ")).into_owned(),
            pid: tables.meta.pid,
            is_anonymous: tables.modules.is_empty(),
            info: sums(info),
            curve: curve(info),
            memory: memory(info, tables),
            bin_ns: bins.bin_ns,
            bins: bins.bins.iter().map(all_of).collect(),
            other_sites: rest().count(),
            sites,
            others,
            places: places.list,
            stacks,
            threads: Threads::of(bins, tables, info),
        }
    }

    /// The function whose sites had most bytes at the peak, and its share of these.
    pub fn largest_at_peak(&self) -> Option<(String, f64)> {
        let mut by_name: FxHashMap<String, u64> = FxHashMap::default();
        for (n, site) in self.sites.iter().enumerate().filter(|(_, it)| it.peak_bytes > 0) {
            *by_name.entry(self.site_name(n)).or_default() += site.peak_bytes;
        }
        let largest = by_name.into_iter().max_by(|a, b| (a.1, &b.0).cmp(&(b.1, &a.0)))?;
        Some((largest.0, largest.1 as f64 / self.info.peak_bytes.max(1) as f64))
    }

    /// A site is called after the reader's function that is nearest to the call.
    pub fn site_name(&self, site: usize) -> String {
        let place = |n: &u32| &self.places[*n as usize];
        let places = &self.sites[site].places;
        let own = places.iter().map(place).find(|it| it.is_own);
        let above = || {
            let stacks = self.stacks.stacks.iter().filter(|it| it.0 as usize == site);
            let path = self.stacks.path(stacks.max_by_key(|it| it.2)?.1);
            path.iter().map(place).find(|it| it.is_own)
        };
        let found = own.or_else(above).or_else(|| places.first().map(place));
        found.map_or_else(String::new, Place::describe)
    }
}

fn is_used(site: &Site) -> bool {
    *site != Site::default()
}

fn site(site: &Site, series: Series) -> PageSite {
    PageSite {
        places: Vec::new(),
        calls: site.calls,
        bytes: site.bytes,
        peak_blocks: site.peak_blocks,
        peak_bytes: site.peak_bytes,
        left_blocks: site.left_blocks,
        left_bytes: site.left_bytes,
        inherited_bytes: site.inherited_bytes,
        series,
    }
}

fn sums(info: &Info) -> Sums {
    Sums {
        events: info.events,
        calls: info.calls.iter().map(|&(api, n)| (api.name(), n)).collect(),
        failed: info.failed,
        allocated_blocks: info.allocated_blocks,
        allocated_bytes: info.allocated_bytes,
        resized_in_place: info.resized_in_place,
        resized_moved: info.resized_moved,
        threads: info.threads,
        freed_by_another_thread: info.freed_by_another_thread,
        peak_bytes: info.peak_bytes,
        peak_blocks: info.peak_blocks,
        peak_ns: info.peak_ns,
        duration_ns: info.duration_ns,
        left_blocks: info.left_blocks,
        left_bytes: info.left_bytes,
        inherited_blocks: info.inherited.blocks,
        inherited_bytes: info.inherited.bytes,
    }
}

fn curve(info: &Info) -> Curve {
    let steps = &info.curve.steps;
    Curve {
        step_ns: info.curve.step_ns,
        most: steps.iter().map(|it| it.bytes).collect(),
        least: steps.iter().map(|it| it.least).collect(),
        blocks: steps.iter().map(|it| it.blocks).collect(),
    }
}

fn memory(info: &Info, tables: &Tables) -> Vec<(u64, u64)> {
    let known = tables.memory_since(info.first_tick).filter(|&(ns, _)| ns >= 0.0);
    let samples: Vec<(u64, u64)> = known.map(|(ns, bytes)| (ns as u64, bytes)).collect();
    let each = samples.len().div_ceil(MOST_MEMORY).max(1);
    samples.chunks(each).filter_map(|part| part.iter().copied().max_by_key(|it| it.1)).collect()
}

fn all_of(bin: &crate::pyramid::Bin) -> BinOfAll {
    let (sizes, lifetimes) = (bin.sizes.clone(), bin.lifetimes.clone());
    BinOfAll { calls: bin.calls, sizes, lifetimes }
}
