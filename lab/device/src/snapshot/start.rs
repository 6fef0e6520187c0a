//! The state at the first event, worked out backwards from the end.

use std::collections::{BTreeMap, BTreeSet};

use super::parts::End;
use crate::sizes::{Config, GIB, SMALL, SMALL_SEGMENT};
use crate::trace::{Block, Device, Event, Kind, Segment, Trace};

/// The state while time runs backwards.
struct Past {
    segments: BTreeMap<u64, Segment>,
    blocks: BTreeMap<u64, Block>,
    /// Blocks that only their free tells of. The sizes of others are known from the end.
    told_by_free: BTreeSet<u64>,
    config: Config,
    misfits: usize,
}

/// Fills in the state at the first event, and the pool of each event. `ends` are the device's
/// segments at the end.
pub fn rewind(mut device: Device, ends: &[&End], settings: &[(String, String)]) -> Device {
    let known = Trace { settings: settings.to_vec(), ..Trace::default() };
    let mut past = Past {
        segments: ends.iter().map(|end| (end.segment.address, end.segment)).collect(),
        blocks: ends.iter().flat_map(|end| &end.blocks).map(|it| (it.address, *it)).collect(),
        told_by_free: BTreeSet::new(),
        config: Config::recorded(&known),
        misfits: 0,
    };
    for event in device.events.iter_mut().rev() {
        event.pool = past.pool_at(event.address);
        past.undo(event);
    }
    past.add_rests(&device.events);
    device.segments = past.segments.into_values().collect();
    device.blocks = past.blocks.into_values().collect();
    if !device.blocks.is_empty() {
        let bytes: f64 = device.blocks.iter().map(|block| block.bytes as f64).sum();
        device.notes.push(format!(
            "the history begins with {} blocks of {:.2} GiB in use: earlier calls are not known",
            device.blocks.len(),
            bytes / GIB as f64
        ));
    }
    if past.misfits > 0 {
        device.notes.push(format!("{} events do not fit the segments at the end", past.misfits));
    }
    device
}

impl Past {
    fn segment_at(&self, address: u64) -> Option<&Segment> {
        let (_, segment) = self.segments.range(..=address).next_back()?;
        (address - segment.address < segment.bytes).then_some(segment)
    }

    fn pool_at(&self, address: u64) -> u32 {
        self.segment_at(address).map_or(0, |segment| segment.pool)
    }

    fn undo(&mut self, event: &Event) {
        let Event { address, bytes, stream, pool, .. } = *event;
        match event.kind {
            Kind::Alloc => {
                self.told_by_free.remove(&address);
                self.misfits += usize::from(self.blocks.remove(&address).is_none());
            }
            Kind::Free => {
                let rounded = self.config.round(bytes);
                let block = Block { address, bytes: rounded, requested: bytes, stream, pool };
                self.told_by_free.insert(address);
                self.misfits += usize::from(self.blocks.insert(address, block).is_some());
            }
            Kind::SegmentAlloc => {
                self.misfits += usize::from(self.segments.remove(&address).is_none());
            }
            Kind::SegmentFree => {
                let is_small = bytes == SMALL_SEGMENT;
                let segment =
                    Segment { address, bytes, stream, pool, is_small, is_expandable: false };
                self.segments.insert(address, segment);
            }
            Kind::SegmentMap => self.unmap(address, bytes),
            Kind::SegmentUnmap => self.map(address, bytes, stream),
            Kind::FreeRequested | Kind::Oom | Kind::Snapshot => {}
        }
    }

    /// Takes a range out of an expandable segment, which may leave a part on each side.
    fn unmap(&mut self, address: u64, bytes: u64) {
        let Some(whole) = self.segment_at(address).copied() else {
            self.misfits += 1;
            return;
        };
        self.segments.remove(&whole.address);
        let (end, whole_end) = (address + bytes, whole.address + whole.bytes);
        if whole.address < address {
            let left = Segment { bytes: address - whole.address, ..whole };
            self.segments.insert(left.address, left);
        }
        if end < whole_end {
            self.segments.insert(end, Segment { address: end, bytes: whole_end - end, ..whole });
        }
    }

    /// Adds a range, which joins its neighbours.
    fn map(&mut self, address: u64, bytes: u64, stream: u64) {
        let mut new =
            Segment { address, bytes, stream, pool: 0, is_small: false, is_expandable: true };
        if let Some(before) = address.checked_sub(1).and_then(|it| self.segment_at(it)).copied() {
            new = Segment { bytes: address - before.address + bytes, ..before };
            self.segments.remove(&before.address);
        }
        if let Some(after) = self.segments.remove(&(address + bytes)) {
            new.bytes += after.bytes;
        }
        self.segments.insert(new.address, new);
    }

    /// A free says how much was asked for. The block may have been longer by a rest that was too
    /// short to be split off: then nothing else fits between it and the next block.
    fn add_rests(&mut self, events: &[Event]) {
        let mut begins: Vec<u64> = self.blocks.keys().copied().collect();
        begins.extend(self.segments.values().map(|segment| segment.address + segment.bytes));
        begins.extend(events.iter().filter(|it| it.kind == Kind::Alloc).map(|it| it.address));
        begins.sort_unstable();
        let segments = &self.segments;
        for address in &self.told_by_free {
            let Some(block) = self.blocks.get_mut(address) else { continue };
            let end = block.address + block.bytes;
            let next = begins[begins.partition_point(|&begin| begin < end)..].first();
            let is_small =
                segments.range(..=block.address).next_back().is_some_and(|it| it.1.is_small);
            let rest = next.map_or(0, |&next| next - end);
            if !is_small && !self.config.is_expandable && rest <= SMALL {
                block.bytes += rest;
            }
        }
    }
}
