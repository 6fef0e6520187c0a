//! A trace summed up in one pass: memory is needed for the blocks in use, and for nothing else.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::curve::{Curve, Growing};
use crate::error::Result;
use crate::event::{Api, Event, Kind};
use crate::packed::{Reader, Tables};
pub use crate::powers::ByPower;
use crate::powers::{clock, count, in_ns};
use crate::watch::{Block, INHERITED, Watch};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Site {
    pub calls: u64,
    pub bytes: u64,
    /// In use at the end.
    pub left_blocks: u64,
    pub left_bytes: u64,
    /// In use when the program had most bytes in use, with inherited blocks.
    pub peak_blocks: u64,
    pub peak_bytes: u64,
    /// When most bytes of this site were in use, with inherited blocks.
    pub most_blocks: u64,
    pub most_bytes: u64,
    /// How long its blocks lived, in all. Those that were never freed count until the last event.
    pub lifetime_ns: u64,
    /// That the parent of a forked process allocated here. `calls`, `bytes` and what is left are
    /// without them.
    pub inherited_blocks: u64,
    pub inherited_bytes: u64,
}

impl Site {
    /// Both sites together.
    pub fn with(&self, other: &Self) -> Self {
        let sum = |of: fn(&Self) -> u64| of(self).saturating_add(of(other));
        Self {
            calls: sum(|it| it.calls),
            bytes: sum(|it| it.bytes),
            left_blocks: sum(|it| it.left_blocks),
            left_bytes: sum(|it| it.left_bytes),
            peak_blocks: sum(|it| it.peak_blocks),
            peak_bytes: sum(|it| it.peak_bytes),
            most_blocks: sum(|it| it.most_blocks),
            most_bytes: sum(|it| it.most_bytes),
            lifetime_ns: sum(|it| it.lifetime_ns),
            inherited_blocks: sum(|it| it.inherited_blocks),
            inherited_bytes: sum(|it| it.inherited_bytes),
        }
    }
}

/// Blocks that a forked process had from its parent.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct FromParent {
    pub blocks: u64,
    pub bytes: u64,
    pub freed_blocks: u64,
    pub freed_bytes: u64,
}

#[derive(Clone, Debug, Default, Serialize)]
pub struct Info {
    pub events: u64,
    /// Of the first event.
    #[serde(skip)]
    pub first_tick: u64,
    pub calls: Vec<(Api, u64)>,
    pub failed: u64,
    pub allocated_blocks: u64,
    pub allocated_bytes: u64,
    pub sizes: ByPower,
    /// In nanoseconds, of the blocks that were freed.
    pub lifetimes: ByPower,
    pub resized_in_place: u64,
    pub resized_moved: u64,
    pub threads: u64,
    pub freed_by_another_thread: u64,
    pub peak_bytes: u64,
    pub peak_blocks: u64,
    /// Nanoseconds from the first event.
    pub peak_ns: u64,
    pub duration_ns: u64,
    pub left_blocks: u64,
    pub left_bytes: u64,
    /// The peak counts them. The other numbers do not.
    pub inherited: FromParent,
    /// The bytes and blocks in use over time.
    pub curve: Curve,
    /// By the number of the caller.
    pub sites: Vec<Site>,
}

/// The blocks that a site has in use.
#[derive(Clone, Copy, Default)]
struct InUse {
    blocks: u64,
    bytes: u64,
    /// Blocks and bytes at the peak that was the `seen`-th one.
    at_peak: (u64, u64),
    seen: u64,
}

impl InUse {
    /// Before a change: at a peak that the site has not seen, it had what it has now.
    fn see(&mut self, peaks: u64) {
        if self.seen != peaks {
            self.at_peak = (self.blocks, self.bytes);
            self.seen = peaks;
        }
    }

    /// Wraps only for traces that nobody recorded.
    fn add(&mut self, bytes: u64) {
        self.blocks = self.blocks.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(bytes);
    }

    fn take(&mut self, bytes: u64) {
        self.blocks = self.blocks.wrapping_sub(1);
        self.bytes = self.bytes.wrapping_sub(bytes);
    }
}

struct Sums<'a, W: Watch> {
    watch: &'a mut W,
    info: Info,
    calls: [u64; Api::ALL.len()],
    live: FxHashMap<u64, Block>,
    bytes: u64,
    first: Option<u64>,
    last: u64,
    /// How often there was more in use than ever before.
    peaks: u64,
    peak_tick: u64,
    lifetimes: ByPower, // in ticks; scaled at the end
    curve: Growing,
    by_caller: Vec<InUse>,
}

impl<'a, W: Watch> Sums<'a, W> {
    fn new(watch: &'a mut W) -> Self {
        Self {
            watch,
            info: Info::default(),
            calls: [0; Api::ALL.len()],
            live: FxHashMap::default(),
            bytes: 0,
            first: None,
            last: 0,
            peaks: 0,
            peak_tick: 0,
            lifetimes: ByPower::new(),
            curve: Growing::default(),
            by_caller: Vec::new(),
        }
    }

    fn site(&mut self, caller: u32) -> &mut Site {
        let at = caller as usize;
        if self.info.sites.len() <= at {
            self.info.sites.resize(at + 1, Site::default());
            self.by_caller.resize(at + 1, InUse::default());
        }
        &mut self.info.sites[at]
    }

    fn make(&mut self, event: &Event, block: u64, size: u64) {
        let site = self.site(event.caller);
        site.calls += 1;
        site.bytes = site.bytes.saturating_add(size);
        self.use_more(event.caller, size);
        self.info.allocated_blocks += 1;
        self.info.allocated_bytes = self.info.allocated_bytes.saturating_add(size);
        count(&mut self.info.sizes, size);
        let Event { tick, caller, thread, .. } = *event;
        let made = Block { size, tick, caller, thread };
        self.live.insert(block, made);
        self.watch.made(event, &made);
        self.bytes = self.bytes.wrapping_add(size);
    }

    fn end(&mut self, event: &Event, block: u64) {
        let Some(old) = self.live.remove(&block) else { return };
        self.watch.ended(event, &old);
        if old.is_inherited() {
            self.info.inherited.freed_blocks += 1;
            let bytes = &mut self.info.inherited.freed_bytes;
            *bytes = bytes.saturating_add(old.size);
        } else {
            let ticks = event.tick - old.tick;
            count(&mut self.lifetimes, ticks);
            let lived = &mut self.info.sites[old.caller as usize].lifetime_ns;
            *lived = lived.saturating_add(ticks); // scaled at the end
            self.info.freed_by_another_thread += u64::from(old.thread != event.thread);
        }
        self.bytes = self.bytes.wrapping_sub(old.size);
        let in_use = &mut self.by_caller[old.caller as usize];
        in_use.see(self.peaks);
        in_use.take(old.size);
    }

    fn use_more(&mut self, caller: u32, size: u64) {
        let in_use = &mut self.by_caller[caller as usize];
        in_use.see(self.peaks);
        in_use.add(size);
        let site = &mut self.info.sites[caller as usize];
        if in_use.bytes > site.most_bytes {
            (site.most_bytes, site.most_blocks) = (in_use.bytes, in_use.blocks);
        }
    }

    fn inherit(&mut self, event: &Event, block: u64, size: u64) {
        let site = self.site(event.caller);
        site.inherited_blocks += 1;
        site.inherited_bytes = site.inherited_bytes.saturating_add(size);
        self.use_more(event.caller, size);
        self.info.inherited.blocks += 1;
        self.info.inherited.bytes = self.info.inherited.bytes.saturating_add(size);
        let Event { tick, caller, .. } = *event;
        let made = Block { size, tick, caller, thread: INHERITED };
        self.live.insert(block, made);
        self.watch.made(event, &made);
        self.bytes = self.bytes.wrapping_add(size);
        self.note_peak(tick);
        self.curve.begin(self.bytes, self.live.len() as u64);
    }

    /// After an event that may have made a block: whether there was never as much in use.
    fn note_peak(&mut self, tick: u64) {
        if self.bytes > self.info.peak_bytes {
            self.info.peak_bytes = self.bytes;
            self.info.peak_blocks = self.live.len() as u64;
            self.peak_tick = tick;
            self.peaks += 1;
        }
    }

    fn add(&mut self, event: &Event) {
        match event.kind {
            Kind::Resident { .. } => return,
            Kind::Inherit { block, size, .. } => return self.inherit(event, block, size),
            _ => {}
        }
        self.info.events += 1;
        self.first.get_or_insert(event.tick);
        self.last = event.tick;
        self.calls[event.api as usize] += 1;
        self.info.threads = self.info.threads.max(u64::from(event.thread));
        self.watch.called(event);
        match event.kind {
            Kind::Allocate { block, size, .. } => self.make(event, block, size),
            Kind::Free { block } => self.end(event, block),
            Kind::Resize { old, block, size, in_place, .. } => {
                self.end(event, old);
                self.make(event, block, size);
                self.info.resized_in_place += u64::from(in_place);
                self.info.resized_moved += u64::from(!in_place);
            }
            Kind::Failed { .. } => self.info.failed += 1,
            Kind::FreeNull
            | Kind::UsableSize { .. }
            | Kind::Resident { .. }
            | Kind::Inherit { .. } => {}
        }
        self.note_peak(event.tick);
        self.curve.note(event.tick, self.bytes, self.live.len() as u64);
    }

    fn finish(mut self, ticks_a_ns: f64) -> Info {
        let ns = clock(ticks_a_ns);
        let first = self.first.unwrap_or_default();
        self.info.first_tick = first;
        self.info.peak_ns = ns(self.peak_tick.saturating_sub(first));
        self.info.duration_ns = ns(self.last - first);
        self.info.lifetimes = in_ns(&self.lifetimes, &ns);
        for live in self.live.values() {
            self.watch.left(live);
            if live.is_inherited() {
                continue;
            }
            let site = &mut self.info.sites[live.caller as usize];
            site.left_blocks += 1;
            site.left_bytes = site.left_bytes.saturating_add(live.size);
            site.lifetime_ns = site.lifetime_ns.saturating_add(self.last - live.tick);
            self.info.left_blocks += 1;
            self.info.left_bytes = self.info.left_bytes.saturating_add(live.size);
        }
        for (site, in_use) in self.info.sites.iter_mut().zip(&mut self.by_caller) {
            in_use.see(self.peaks);
            (site.peak_blocks, site.peak_bytes) = in_use.at_peak;
        }
        for site in &mut self.info.sites {
            site.lifetime_ns = ns(site.lifetime_ns);
        }
        self.info.curve = self.curve.finish(ticks_a_ns);
        let calls = Api::ALL.iter().map(|&api| (api, self.calls[api as usize]));
        self.info.calls = calls.filter(|&(_, n)| n != 0).collect();
        self.info
    }
}

/// Sums up the trace at `path`. Returns the sums, the tables (empty if the trace is damaged) and a
/// line about damage.
pub fn of_trace(path: &Path) -> Result<(Info, Tables, Option<String>)> {
    watched(path, &mut ())
}

/// The same, and tells `watch` of each block.
pub fn watched(path: &Path, watch: &mut impl Watch) -> Result<(Info, Tables, Option<String>)> {
    let mut reader = Reader::open(path)?;
    let mut sums = Sums::new(watch);
    let mut events = 0u64;
    reader.for_each(|event| {
        events += u64::from(!matches!(event.kind, Kind::Inherit { .. }));
        sums.add(event);
    })?;
    let tables = reader.tables.take().unwrap_or_default();
    let all = tables.meta.events;
    let cut = || (events < all).then(|| format!("{}: {events} of {all} events", path.display()));
    let damage = reader.damage.take().map(|error| error.to_string()).or_else(cut);
    Ok((sums.finish(tables.meta.ticks_a_ns), tables, damage))
}
