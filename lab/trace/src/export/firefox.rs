//! The processed format of the Firefox Profiler: sampled allocations with their stacks, and the bytes
//! in use over time.
//!
//! Samples at equal distances would beat with a program that allocates in turns: all could fall on
//! one site. So the bytes of each site are cut into equal parts, and of each part a byte is drawn by
//! lot. The block that has it stands for the part.

use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, ReferenceTimestamp, SamplingInterval,
    StackHandle, ThreadHandle, Timestamp, WeightType,
};
use rustc_hash::FxHashMap;

use super::Profile;
use crate::error::Result;
use crate::event::{Event, Kind};
use crate::info::Info;
use crate::packed::Reader;

/// A page of the viewer stays quick with so many.
const SAMPLES: u64 = 20_000;

/// An allocation that stands for others of its site, or its end.
pub struct Sampled {
    tick: u64,
    caller: u32,
    block: u64,
    /// That it stands for; negative at its end.
    bytes: i64,
}

/// The part of a site's bytes in which the next block is drawn.
struct Draw {
    bytes: u64,
    parts: u64,
    part: u64,
    /// The byte that is drawn of the part.
    at: u64,
    /// The bytes of the blocks so far.
    before: u64,
}

impl Draw {
    fn of(bytes: u64, each: u64, lots: &mut fastrand::Rng) -> Self {
        let mut it = Self { bytes, parts: bytes.div_ceil(each), part: 0, at: 0, before: 0 };
        it.draw(lots);
        it
    }

    fn begin(&self, part: u64) -> u64 {
        (u128::from(self.bytes) * u128::from(part) / u128::from(self.parts)) as u64
    }

    fn draw(&mut self, lots: &mut fastrand::Rng) {
        if self.part < self.parts {
            self.at = lots.u64(self.begin(self.part)..self.begin(self.part + 1));
        }
    }

    /// The bytes that the site's next block stands for. Those of all blocks add up to the site's.
    fn next(&mut self, size: u64, lots: &mut fastrand::Rng) -> u64 {
        self.before = self.before.saturating_add(size);
        let first = self.part;
        while self.part < self.parts && self.at < self.before {
            self.part += 1;
            self.draw(lots);
        }
        if self.part == first { 0 } else { self.begin(self.part) - self.begin(first) }
    }
}

/// About SAMPLES blocks, and at least one of each site.
pub fn sample(path: &Path, info: &Info) -> Result<Vec<Sampled>> {
    let each = (info.allocated_bytes / SAMPLES).max(1);
    let mut lots = fastrand::Rng::with_seed(1); // the same file each time
    let mut draws: Vec<Draw> =
        info.sites.iter().map(|it| Draw::of(it.bytes, each, &mut lots)).collect();
    let mut sampled = Vec::new();
    let mut live: FxHashMap<u64, (u32, i64)> = FxHashMap::default();
    let mut step = |event: &Event, ends: Option<u64>, makes: Option<(u64, u64)>| {
        let Event { tick, caller, .. } = *event;
        if let Some((block, (caller, bytes))) = ends.and_then(|it| live.remove_entry(&it)) {
            sampled.push(Sampled { tick, caller, block, bytes: -bytes });
        }
        let Some((block, size)) = makes else { return };
        let draw = draws.get_mut(caller as usize);
        let bytes = draw.map_or(0, |it| it.next(size, &mut lots)).min(i64::MAX as u64) as i64;
        if bytes > 0 {
            live.insert(block, (caller, bytes));
            sampled.push(Sampled { tick, caller, block, bytes });
        }
    };
    Reader::open(path)?.for_each(|event| match event.kind {
        Kind::Allocate { block, size, .. } => step(event, None, Some((block, size))),
        Kind::Free { block } => step(event, Some(block), None),
        Kind::Resize { old, block, size, .. } => step(event, Some(old), Some((block, size))),
        _ => {}
    })?;
    Ok(sampled)
}

/// Gives the samples of each site to its stacks, to each as many as its share of the bytes is.
struct Turns<'a> {
    profile: &'a Profile<'a>,
    /// The bytes of all stacks before each.
    before: Vec<u64>,
    /// How many samples each site had.
    samples: FxHashMap<u32, u64>,
}

impl<'a> Turns<'a> {
    fn of(profile: &'a Profile<'a>) -> Self {
        let bytes = profile.stacks.iter().map(|it| it.numbers.bytes);
        let sums = bytes.scan(0_u64, |sum, it| {
            let before = *sum;
            *sum = sum.saturating_add(it);
            Some(before)
        });
        Self { profile, before: sums.collect(), samples: FxHashMap::default() }
    }

    /// Complexity: logarithmic in the stacks of the site.
    fn next(&mut self, site: u32) -> Option<usize> {
        // Multiples of the golden ratio spread evenly over 0 to 1, however many there are.
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let stacks = self.profile.stacks_of(site);
        let last = stacks.clone().next_back()?;
        let samples = self.samples.entry(site).or_default();
        let place = (*samples as f64 * GOLDEN).fract();
        *samples += 1;
        let from = self.before[stacks.start];
        let bytes = self.before[last] - from + self.profile.stacks[last].numbers.bytes;
        let at = from.saturating_add((place * bytes as f64) as u64);
        let behind = self.before[stacks.clone()].partition_point(|&before| before <= at);
        Some(stacks.start + behind.saturating_sub(1))
    }
}

/// A profile that is being made, whose stacks all belong to one thread: the viewer shows memory that
/// was not freed for one thread at a time.
struct Making<'a> {
    from: &'a Profile<'a>,
    to: fxprof_processed_profile::Profile,
    thread: ThreadHandle,
    stacks: FxHashMap<usize, Option<StackHandle>>,
}

impl Making<'_> {
    fn stack(&mut self, number: usize) -> Option<StackHandle> {
        if let Some(&known) = self.stacks.get(&number) {
            return known;
        }
        let stack = &self.from.stacks[number];
        let mut names: Vec<String> = self.from.places(stack).map(|it| it.describe()).collect();
        names.reverse();
        let frames: Vec<FrameInfo> = names
            .iter()
            .map(|name| FrameInfo {
                frame: Frame::Label(self.to.intern_string(name)),
                category_pair: CategoryHandle::OTHER.into(),
                flags: FrameFlags::empty(),
            })
            .collect();
        let made = self.to.intern_stack_frames(self.thread, frames.into_iter());
        self.stacks.insert(number, made);
        made
    }
}

pub fn write(profile: &Profile, sampled: &[Sampled], out: &mut dyn Write) -> io::Result<()> {
    let meta = &profile.tables.meta;
    let at = |ns: f64| Timestamp::from_nanos_since_reference(ns.max(0.0) as u64);
    let curve = &profile.info.curve;
    // The times of a trace count from its first event: what day it was is not known.
    let begin = ReferenceTimestamp::from_duration_since_unix_epoch(Duration::ZERO);
    let interval = SamplingInterval::from_nanos((curve.step_ns as u64).max(1));
    let name = profile.command();
    let mut to = fxprof_processed_profile::Profile::new(&name, begin, interval);
    let process = to.add_process(&name, meta.pid, at(0.0));
    let thread = to.add_thread(process, meta.pid, at(0.0), true);
    to.set_thread_name(thread, "all threads");
    to.set_thread_samples_weight_type(thread, WeightType::Bytes);
    let counter = to.add_counter(process, "malloc", "Memory", "Bytes in use");
    let mut before = 0.0;
    for (n, step) in curve.steps.iter().enumerate() {
        let calls = step.calls.min(u64::from(u32::MAX)) as u32;
        let ns = n as f64 * curve.step_ns;
        to.add_counter_sample(counter, at(ns), step.bytes as f64 - before, calls);
        before = step.bytes as f64;
    }
    let mut making = Making { from: profile, to, thread, stacks: FxHashMap::default() };
    let mut turns = Turns::of(profile);
    let mut taken: FxHashMap<u64, usize> = FxHashMap::default();
    for one in sampled {
        let ticks = one.tick.saturating_sub(profile.info.first_tick) as f64;
        let now = at(if meta.ticks_a_ns > 0.0 { ticks / meta.ticks_a_ns } else { 0.0 });
        // The end of a block has the stack of its begin.
        let number = match one.bytes {
            1.. => turns.next(one.caller).inspect(|&it| {
                taken.insert(one.block, it);
            }),
            _ => taken.remove(&one.block),
        };
        let stack = number.and_then(|it| making.stack(it));
        making.to.add_allocation_sample(thread, now, stack, one.block + 1, one.bytes);
        if one.bytes > 0 {
            let weight = one.bytes.min(i64::from(i32::MAX)) as i32;
            making.to.add_sample(thread, now, stack, CpuDelta::ZERO, weight);
        }
    }
    serde_json::to_writer(out, &making.to)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::example::example;

    #[test]
    fn what_blocks_stand_for_adds_up() {
        let mut lots = fastrand::Rng::with_seed(7);
        let mut draw = |sizes: &[u64], each| -> Vec<u64> {
            let mut it = Draw::of(sizes.iter().sum(), each, &mut lots);
            sizes.iter().map(|&size| it.next(size, &mut lots)).collect()
        };
        assert_eq!(draw(&[0, 0], 1000), [0, 0], "a site of nothing");
        assert_eq!(draw(&[7], 1000), [7]);
        assert_eq!(draw(&[10, 0, 20], 1), [10, 0, 20], "all are drawn");
        assert_eq!(draw(&[1 << 40, 0], 1 << 30), [1 << 40, 0]);
        // Every second block of a site, whose parts have an even number of blocks.
        let drawn = draw(&[100; 20_000], 2000);
        assert_eq!(drawn.iter().sum::<u64>(), 2_000_000);
        let second: u64 = drawn.iter().skip(1).step_by(2).sum();
        assert!((900_000..1_100_000).contains(&second), "{second}");
    }

    #[test]
    fn stacks_get_samples_by_their_shares() {
        let (info, tables) = example();
        let profile = Profile::of(&info, &tables);
        let mut turns = Turns::of(&profile);
        let mut counts = [0; 3];
        for _ in 0..300 {
            counts[turns.next(1).expect("a stack")] += 1;
            assert_eq!(turns.next(0), Some(0));
        }
        // 667 and 334 of 1001 bytes.
        assert_eq!(counts[0], 0);
        assert!((198..=202).contains(&counts[1]), "{counts:?}");
        assert_eq!(turns.next(2), None, "an unused site has no stacks");
    }
}
