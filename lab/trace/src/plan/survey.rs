//! The first look through a trace.

use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::Result;
use crate::event::{Api, Kind};
use crate::packed::{Reader, Tables};

/// The facts that the first call of a plan depends on.
#[derive(Default)]
pub struct Survey {
    pub tables: Tables,
    pub events: u64,
    /// The tick of the first event.
    pub first_tick: u64,
    /// From the first event to the last.
    pub duration_ns: u64,
    pub threads: u32,
    /// The tick of each thread's last event, by its number.
    pub last_ticks: Vec<u64>,
    /// How many bytes of a large block the program touched, by its number.
    pub touched: FxHashMap<u64, u64>,
    /// The bytes of the largest block.
    pub largest: u64,
    pub uses_operators: bool,
    /// The blocks whose size is known, but not how much of it was touched.
    pub unknown_large: u64,
    /// Blocks that one thread asked about and another one ended: a replay could end them first.
    pub asked_and_passed_on: FxHashSet<u64>,
    /// A line about damage.
    pub damage: Option<String>,
}

/// A block in use.
struct Live {
    owner: u32,
    is_asked: bool,
}

/// Blocks from this size on are asked for their memory (`src/record/resident.hpp`).
const LARGE: u64 = 16 * 1024;

impl Survey {
    pub fn of(trace: &Path) -> Result<Self> {
        let mut reader = Reader::open(trace)?;
        let mut survey = Self::default();
        let mut large = 0;
        let mut ticks: Option<(u64, u64)> = None;
        let mut live: FxHashMap<u64, Live> = FxHashMap::default();
        reader.for_each(|event| {
            if !matches!(event.kind, Kind::Inherit { .. }) {
                survey.events += 1;
                ticks = Some((ticks.map_or(event.tick, |it| it.0), event.tick));
            }
            survey.threads = survey.threads.max(event.thread);
            let at = event.thread as usize;
            if survey.last_ticks.len() <= at {
                survey.last_ticks.resize(at + 1, 0);
            }
            survey.last_ticks[at] = event.tick;
            if let Kind::Free { block } | Kind::Resize { old: block, .. } = event.kind {
                let ended = live.remove(&block);
                if ended.is_some_and(|it| it.is_asked && it.owner != event.thread) {
                    survey.asked_and_passed_on.insert(block);
                }
            }
            if let Kind::Allocate { block, .. }
            | Kind::Inherit { block, .. }
            | Kind::Resize { block, .. } = event.kind
            {
                live.insert(block, Live { owner: event.thread, is_asked: false });
            }
            match event.kind {
                Kind::UsableSize { block } => {
                    live.entry(block).and_modify(|it| it.is_asked = true);
                }
                Kind::Allocate { size, .. }
                | Kind::Inherit { size, .. }
                | Kind::Resize { size, .. } => {
                    survey.largest = survey.largest.max(size);
                    large += u64::from(size >= LARGE);
                    survey.uses_operators |= (Api::New..=Api::NewArrayAligned).contains(&event.api);
                }
                Kind::Resident { block, bytes } => {
                    survey.touched.insert(block, bytes);
                }
                _ => {}
            }
        })?;
        survey.unknown_large = large - (survey.touched.len() as u64).min(large);
        survey.tables = reader.tables.take().unwrap_or_default();
        let scale = survey.tables.meta.ticks_a_ns;
        let (first, last) = ticks.unwrap_or_default();
        survey.first_tick = first;
        survey.duration_ns = if scale > 0.0 { ((last - first) as f64 / scale) as u64 } else { 0 };
        survey.damage = reader.damage.take().map(|error| error.to_string());
        Ok(survey)
    }

    /// The bytes of the recorded process that belong to no file, and when: nanoseconds from the
    /// first event.
    pub fn memory(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.tables.memory_since(self.first_tick).map(|(ns, bytes)| (ns, bytes as f64))
    }
}
