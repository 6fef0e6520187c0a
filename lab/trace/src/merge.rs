//! Puts the events of all threads of a file in one order, and gives each block of memory a number.
//!
//! The recorder stamps a free before the call and an allocation after it, so each stamp of a block's
//! life lies before the next, whichever thread makes it. But two stamps may be equal, and the clocks
//! of two processors may differ by some ticks. So an allocation whose address is still in use waits,
//! and a free whose address is not in use: for at most [`SLACK`] ticks, until another thread has
//! come that far. Only if three threads or more have one address within one tick may two of its
//! lives be taken for each other, or an event not fit.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use rustc_hash::FxHashMap;

use crate::event::{Api, Event, Kind};
use crate::raw::{Events, RawEvent, RawFile, RawKind, Stack};

/// 64 ticks are 4096 counts of the processor's clock, one to two microseconds.
pub const SLACK: u64 = 64;

/// Events that did not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Misfits {
    /// Frees of addresses that no recorded call allocated: the block is older than the recording, or
    /// a forked process has it from a parent whose blocks are not known.
    pub unknown: u64,
    /// Allocations at addresses that were in use: the free was lost, or the block ended with its
    /// first-class heap. An event says that the older block is freed there.
    pub unfreed: u64,
}

/// Where the numbers of callers and stacks come from.
pub trait Callers {
    fn caller(&mut self, address: u64) -> u32;
    /// A sampled stack that ends in `caller`.
    fn stack(&mut self, caller: u32, stack: &Stack);
}

struct Thread<'a> {
    number: u32,
    events: Events<'a>,
    next: Option<RawEvent>,
    /// The new half of a realloc, whose old half was passed on.
    resized: Option<(u64, u64)>, // old block, or u64::MAX if unknown; tick of the begin
}

/// All events of a file in order.
pub struct Merged<'a, C> {
    threads: Vec<Thread<'a>>,
    /// The next step of each thread that does not wait: tick, allocations last, thread.
    ready: BinaryHeap<Reverse<(u64, bool, usize)>>,
    /// Threads whose next allocation waits until its address is free.
    waiting: Vec<(u64, usize)>, // tick, thread
    live: FxHashMap<u64, u64>, // address to block
    blocks: u64,
    last_tick: u64,
    /// Where the block lies that the last event allocated, and the one that it ended.
    pub made: u64,
    pub ended_at: u64,
    /// The block whose address was given out again in this step.
    unfreed: Option<u64>,
    /// The event of the last step, behind that which frees this block, and its `ended_at`.
    held: Option<(Event, u64)>,
    pub misfits: Misfits,
    /// The threads that were seen to end, and when.
    pub ended: BTreeMap<u32, u64>,
    /// Who started a thread, and when, by the number of this record.
    pub starts: FxHashMap<u32, (u32, u64)>,
    /// When the process had how many bytes in memory that belong to no file.
    pub memory: Vec<(u64, u64)>,
    pub callers: C,
}

const UNKNOWN: u64 = u64::MAX;

impl<'a, C: Callers> Merged<'a, C> {
    pub fn of(file: &'a RawFile, callers: C) -> Self {
        let mut merged = Self {
            threads: Vec::new(),
            ready: BinaryHeap::new(),
            waiting: Vec::new(),
            live: FxHashMap::default(),
            blocks: 0,
            last_tick: 0,
            made: 0,
            ended_at: 0,
            unfreed: None,
            held: None,
            misfits: Misfits::default(),
            ended: BTreeMap::new(),
            starts: FxHashMap::default(),
            memory: Vec::new(),
            callers,
        };
        for (n, &in_file) in file.threads.keys().enumerate() {
            let (number, events) = (n as u32 + 1, Events::of(file, in_file));
            merged.threads.push(Thread { number, events, next: None, resized: None });
            merged.advance(merged.threads.len() - 1);
        }
        merged
    }

    /// Before the first event: a block of the parent lies at `address`. Returns its number.
    pub fn inherit(&mut self, address: u64) -> u64 {
        self.live.insert(address, self.blocks);
        self.blocks += 1;
        self.blocks - 1
    }

    /// How many blocks are in use after the last event.
    pub fn live_blocks(&self) -> usize {
        self.live.len()
    }

    fn advance(&mut self, at: usize) {
        let thread = &mut self.threads[at];
        thread.next = thread.events.next();
        let stack = thread.events.stack.take();
        let Some(event) = thread.next else { return };
        if let Some(stack) = stack {
            let caller = self.callers.caller(event.caller);
            self.callers.stack(caller, &stack);
        }
        // The tick of a realloc is that of its end; its old half comes when it began.
        let (tick, makes) = match event.kind {
            RawKind::Realloc { took, .. } => (event.tick - took, false),
            RawKind::Allocate { .. } => (event.tick, true),
            _ => (event.tick, false),
        };
        self.ready.push(Reverse((tick, makes, at)));
    }

    /// Whether the next step of a thread allocates an address that is in use, or frees one that is
    /// not.
    fn is_blocked(&self, at: usize) -> bool {
        let thread = &self.threads[at];
        let Some(event) = thread.next else { return false };
        match event.kind {
            RawKind::Allocate { address, .. } => self.live.contains_key(&address),
            RawKind::Free { address } => !self.live.contains_key(&address),
            RawKind::Realloc { old, address, size, .. } => match thread.resized {
                Some(_) => self.live.contains_key(&address),
                // A call that fails leaves the block.
                None => old != 0 && (address != 0 || size == 0) && !self.live.contains_key(&old),
            },
            _ => false,
        }
    }

    /// Lets those go on that waited for the last change. Each waits for SLACK at most, so they are
    /// few.
    fn wake(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        for (tick, at) in std::mem::take(&mut self.waiting) {
            if self.is_blocked(at) {
                self.waiting.push((tick, at));
            } else {
                self.ready.push(Reverse((tick, true, at)));
            }
        }
    }

    fn allocate(&mut self, address: u64) -> u64 {
        self.unfreed = self.live.insert(address, self.blocks);
        self.misfits.unfreed += u64::from(self.unfreed.is_some());
        self.blocks += 1;
        self.made = address;
        self.wake();
        self.blocks - 1
    }

    fn free(&mut self, address: u64) -> Option<u64> {
        let block = self.live.remove(&address);
        if block.is_none() {
            self.misfits.unknown += 1;
        }
        self.ended_at = address;
        self.wake();
        block
    }

    /// The thread whose step is next. None: all have ended.
    fn choose(&mut self) -> Option<(u64, usize)> {
        loop {
            let oldest = self.waiting.iter().copied().min();
            let next = self.ready.peek().map(|&Reverse((tick, _, at))| (tick, at));
            let (tick, at) = match (oldest, next) {
                (None, None) => return None,
                (Some(waits), next) if next.is_none_or(|(tick, _)| tick > waits.0 + SLACK) => {
                    self.waiting.retain(|&each| each != waits);
                    return Some(waits);
                }
                (_, Some(next)) => next,
                (Some(_), None) => unreachable!("the guard above holds"),
            };
            self.ready.pop();
            if !self.is_blocked(at) {
                return Some((tick, at));
            }
            self.waiting.push((tick, at));
        }
    }

    fn step(&mut self, tick: u64, at: usize) -> Option<Event> {
        let raw = self.threads[at].next.expect("a thread that was chosen has an event");
        let thread = self.threads[at].number;
        let kind = match raw.kind {
            RawKind::Allocate { address, size, align } => {
                Some(Kind::Allocate { block: self.allocate(address), size, align })
            }
            RawKind::Free { address } => self.free(address).map(|block| Kind::Free { block }),
            RawKind::Realloc { old, address, size, took } => {
                return self.resize(tick, at, raw, (old, address, size, took));
            }
            RawKind::Failed { size } => Some(Kind::Failed { size }),
            RawKind::FreeNull => Some(Kind::FreeNull),
            RawKind::UsableSize { address } => {
                self.live.get(&address).map(|&block| Kind::UsableSize { block })
            }
            RawKind::Resident { address, bytes } => {
                self.live.get(&address).map(|&block| Kind::Resident { block, bytes })
            }
            RawKind::Start { number } => {
                self.starts.insert(number, (thread, tick));
                None
            }
            RawKind::Memory { bytes } => {
                self.memory.push((tick, bytes));
                None
            }
            RawKind::EndOfThread => {
                self.ended.insert(thread, tick);
                None
            }
        };
        self.advance(at);
        let kind = kind?;
        let is_call = !matches!(kind, Kind::Resident { .. });
        let caller = if is_call { self.callers.caller(raw.caller) } else { 0 };
        self.event(raw, tick, thread, caller, kind)
    }

    /// A realloc has two steps: it gives up the old address when it begins, and has the new one
    /// when it ends. The event stands where it ends, with the number that the block had.
    fn resize(
        &mut self,
        tick: u64,
        at: usize,
        raw: RawEvent,
        (old, address, size, took): (u64, u64, u64, u64),
    ) -> Option<Event> {
        let failed = address == 0 && size != 0;
        let Some((block, _)) = self.threads[at].resized else {
            let block =
                if old == 0 || failed { UNKNOWN } else { self.free(old).unwrap_or(UNKNOWN) };
            self.threads[at].resized = Some((block, tick));
            self.ready.push(Reverse((raw.tick, true, at)));
            return None;
        };
        self.threads[at].resized = None;
        self.ended_at = old; // other threads have made steps meanwhile
        let thread = self.threads[at].number;
        let kind = if failed {
            Kind::Failed { size }
        } else if address == 0 {
            if block == UNKNOWN {
                self.advance(at);
                return None;
            }
            Kind::Free { block }
        } else {
            let new = self.allocate(address);
            if block == UNKNOWN {
                Kind::Allocate { block: new, size, align: 1 }
            } else {
                Kind::Resize { old: block, block: new, size, took, in_place: old == address }
            }
        };
        self.advance(at);
        let caller = self.callers.caller(raw.caller);
        self.event(raw, tick, thread, caller, kind)
    }

    fn event(
        &mut self,
        raw: RawEvent,
        tick: u64,
        thread: u32,
        caller: u32,
        kind: Kind,
    ) -> Option<Event> {
        // An event that waited has the time of the one it waited for.
        self.last_tick = self.last_tick.max(tick);
        Some(Event { tick: self.last_tick, thread, api: raw.api, caller, kind })
    }
}

impl<C: Callers> Iterator for Merged<'_, C> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if let Some((event, ended_at)) = self.held.take() {
            self.ended_at = ended_at;
            return Some(event);
        }
        loop {
            let (tick, at) = self.choose()?;
            let Some(event) = self.step(tick, at) else { continue };
            let Some(block) = self.unfreed.take() else { return Some(event) };
            self.held = Some((event, self.ended_at));
            self.ended_at = self.made;
            return Some(Event { api: Api::Free, kind: Kind::Free { block }, ..event });
        }
    }
}
