//! A program under a model: whether it fits, what it needs, and whether the model is right.

use std::collections::BTreeMap;

use crate::model::allocator::{Allocator, Counts};
use crate::model::torch::Torch;
use crate::program::{Program, Request, Step};
use crate::setting::Setting;
use crate::sizes::{Config, GIB, MIB, SMALL};
use crate::trace::{Device, LARGEST, Trace};

/// The cards that people have, in GiB.
pub const CARDS: [u64; 8] = [8, 12, 16, 24, 40, 48, 80, 141];
/// Of a card, the driver and the context of a process take about so much.
pub const TAKEN: u64 = GIB / 2;
/// The exact figure is found to so many bytes.
const STEP: u64 = 2 * MIB;

/// One setting's outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub setting: String,
    pub counts: Counts,
    /// The smallest limit under which the program runs to its end.
    pub least: u64,
    /// In GiB. None: it fits on no card.
    pub card: Option<u64>,
    /// On that card.
    pub retries: u64,
}

/// How much of a recording the model of its allocator reproduced: right ones, and all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reproduced {
    pub segments: (usize, usize),
    pub addresses: (usize, usize),
    pub peak: u64,
}

impl Reproduced {
    pub fn is_whole(&self) -> bool {
        self.segments.0 == self.segments.1 && self.addresses.0 == self.addresses.1
    }
}

/// A device of a trace, made ready for replays.
pub struct Stage<'a> {
    device: &'a Device,
    recorded: Config,
    /// The bytes that were free in large segments at the first event, for each stream and pool.
    holes: Vec<Request>,
    pub program: Program,
}

impl<'a> Stage<'a> {
    pub fn new(trace: &Trace, device: &'a Device) -> Self {
        let (recorded, program) = (Config::recorded(trace), Program::of(device));
        Self { device, recorded, holes: holes(device), program }
    }

    /// The segments at the first event are those of native segments, and so of no other allocator.
    fn can_restore(&self, config: &Config) -> bool {
        let segments = &self.device.segments;
        let is_plain = segments.iter().all(|segment| !segment.is_expandable);
        !segments.is_empty() && is_plain && !config.is_expandable
    }

    /// The state at the first event, under a setting. Returns the first step that follows.
    fn begin(&self, setting: &Setting, limit: Option<u64>) -> (Box<dyn Allocator>, usize) {
        let at_start = self.program.at_start;
        if let Some(config) = setting.config().filter(|it| self.can_restore(it)) {
            let mut torch = Torch::new(config.clone(), limit);
            torch.restore(self.device);
            if limit.is_some_and(|limit| torch.supply.reserved > limit) {
                torch.empty_cache();
            }
            return (Box::new(torch), at_start);
        }
        let mut allocator = setting.allocator(limit);
        if !setting.joins() {
            return (allocator, 0);
        }
        // Memory that is free at the first event was in use before. An allocator that joins
        // neighbours has it as one hole, with later blocks behind.
        let numbers = (0..self.holes.len() as u32).map(|at| u32::MAX - at);
        let holes: Vec<(u32, Request)> = numbers.zip(self.holes.iter().copied()).collect();
        let made: Vec<u32> = holes
            .into_iter()
            .filter_map(|(number, hole)| allocator.allocate(number, hole).then_some(number))
            .collect();
        let mut fits = true;
        for step in &self.program.steps[..at_start] {
            if let Step::Allocate { block, request } = *step {
                fits &= allocator.allocate(block, request);
            }
        }
        for number in made {
            allocator.free(number);
        }
        (allocator, if fits { at_start } else { 0 })
    }

    /// Plays the program. None: a request failed.
    fn play(&self, setting: &Setting, limit: Option<u64>) -> Option<Counts> {
        let (mut allocator, first) = self.begin(setting, limit);
        for step in &self.program.steps[first..] {
            match *step {
                Step::Allocate { block, request } => {
                    if !allocator.allocate(block, request) {
                        return None;
                    }
                }
                Step::Free { block } => allocator.free(block),
                Step::EmptyCache => allocator.empty_cache(),
                Step::NewSegment { address, bytes } => allocator.expect_segment(address, bytes),
                Step::OldSegment { .. } => {}
            }
        }
        Some(allocator.counts())
    }

    pub fn row(&self, setting: &Setting) -> Row {
        let counts = self.play(setting, None).unwrap_or_default();
        let least = self.least(setting, counts.peak_reserved);
        let mut row = Row { setting: setting.name.clone(), counts, least, card: None, retries: 0 };
        for card in CARDS {
            let limit = card * GIB - TAKEN;
            if limit < least {
                continue;
            }
            if let Some(counts) = self.play(setting, Some(limit)) {
                (row.card, row.retries) = (Some(card), counts.retries);
                break;
            }
        }
        row
    }

    /// The smallest limit under which the program runs, between its live bytes and `enough`.
    fn least(&self, setting: &Setting, enough: u64) -> u64 {
        if !setting.retries() {
            return enough;
        }
        let bound = self.play(&Setting::bound(), None).map_or(0, |it| it.peak_reserved);
        let (mut low, mut high) = (bound / STEP, enough.div_ceil(STEP));
        while low < high {
            let middle = low.midpoint(high);
            if self.play(setting, Some(middle * STEP)).is_some() {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        (high * STEP).min(enough)
    }

    /// Plays the program under the model of the recorded allocator, and compares. None: the
    /// recording does not say enough.
    pub fn reproduce(&self) -> Option<Reproduced> {
        if !self.can_restore(&self.recorded) {
            return None;
        }
        let mut torch = Torch::new(self.recorded.clone(), None);
        torch.restore(self.device);
        let mut found = Reproduced::default();
        let mut expected: Vec<u64> = Vec::new();
        for step in &self.program.steps[self.program.at_start..] {
            match *step {
                Step::Allocate { block, request } => {
                    let before = torch.supply.sizes.len();
                    torch.allocate(block, request);
                    let right =
                        torch.address(block) == Some(self.program.addresses[block as usize]);
                    found.addresses.0 += usize::from(right);
                    found.addresses.1 += 1;
                    let made = &torch.supply.sizes[before..];
                    found.segments.1 += expected.len().max(made.len());
                    found.segments.0 +=
                        made.iter().zip(&expected).filter(|it| it.0 == it.1).count();
                    expected.clear();
                }
                Step::Free { block } => torch.free(block),
                Step::NewSegment { address, bytes } => {
                    torch.expect_segment(address, bytes);
                    expected.push(bytes);
                }
                Step::OldSegment { address } => torch.release_segment(address),
                Step::EmptyCache => {}
            }
        }
        found.peak = torch.counts().peak_reserved;
        Some(found)
    }
}

fn holes(device: &Device) -> Vec<Request> {
    let mut free: BTreeMap<(u64, u32), u64> = BTreeMap::new();
    let mut blocks = device.blocks.iter().peekable();
    for segment in &device.segments {
        let end = segment.address + segment.bytes;
        let mut rest = segment.bytes;
        while let Some(block) = blocks.next_if(|block| block.address < end) {
            rest = rest.saturating_sub(block.bytes);
        }
        if !segment.is_small {
            let sum = free.entry((segment.stream, segment.pool)).or_default();
            *sum = (*sum + rest).min(LARGEST);
        }
    }
    let large = free.into_iter().filter(|(_, bytes)| *bytes > SMALL);
    large.map(|((stream, pool), bytes)| Request { bytes, stream, pool }).collect()
}
