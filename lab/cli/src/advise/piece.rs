//! One piece of advice: where, what was seen there, what must hold, and the code.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use heapsmith_trace::advice::candidates::{Candidate, Change};
use heapsmith_trace::advice::habits::Habits;
use heapsmith_trace::advice::study::{Merging, Study};
use heapsmith_trace::own::innermost;
use heapsmith_trace::packed::Tables;
use heapsmith_trace::printable::name;
use heapsmith_trace::regular;
use heapsmith_trace::symbols::{Frame, Symbols};
use serde::Serialize;

use crate::advise::code::{Language, code};
use crate::advise::gain::Gain;
use crate::shown::units::show_size;

/// A place in the program.
#[derive(Clone, Debug, Serialize)]
pub struct Place {
    /// The number of the caller in the trace.
    pub caller: u32,
    pub name: String,
    /// Of the innermost function that is not a system library's.
    pub file: Option<String>,
    pub line: Option<u32>,
    /// The line itself, if the file is here.
    pub source: Option<String>,
    #[serde(skip)]
    pub language: Language,
}

#[derive(Clone, Debug, Serialize)]
pub struct Piece {
    pub change: Change,
    /// The change in words: "an arena".
    pub title: &'static str,
    pub places: Vec<Place>,
    pub gain: Gain,
    pub blocks: u64,
    pub bytes: u64,
    /// Of a buffer, in bytes; of a reserve, the largest final size.
    pub limit: Option<u64>,
    /// A sentence on the site's blocks.
    pub seen: String,
    /// The conditions, and the things that no replay can see.
    pub safe_if: Vec<String>,
    pub not_verified: Vec<String>,
    pub code: String,
}

/// Names for callers.
pub struct Sites<'a> {
    tables: &'a Tables,
    symbols: Symbols,
}

/// The text of a line, if the file can be read.
fn line_of(path: &str, line: u32) -> Option<String> {
    const LONGEST: u64 = 64 << 20; // of a source file
    let file = regular::open(Path::new(path)).ok()?;
    let mut lines = BufReader::new(file.take(LONGEST)).lines();
    let text = lines.nth(line.checked_sub(1)? as usize)?.ok()?;
    Some(name(text.trim()).into_owned()).filter(|text| !text.is_empty())
}

impl<'a> Sites<'a> {
    pub fn of(tables: &'a Tables) -> Self {
        Self { tables, symbols: Symbols::default() }
    }

    pub fn name(&mut self, caller: u32) -> String {
        let found = self.tables.callers.get(caller as usize);
        found.map_or_else(
            || format!("site {caller}"),
            |it| self.symbols.name(&self.tables.modules, it),
        )
    }

    /// Callers are one site if they are copies of one line of the user's, in which they call the
    /// allocator through the same function.
    pub fn merging(&mut self) -> Merging {
        let mut known: BTreeMap<(String, u32, Option<String>), u32> = BTreeMap::new();
        let mut site_of = Vec::new();
        for number in 0..self.tables.callers.len() as u32 {
            let frames = self.frames(number);
            let line = self.own(&frames, number).and_then(|it| Some((it.path.clone()?, it.line?)));
            site_of.push(line.map_or(number, |(path, line)| {
                let inner = frames.first().and_then(|it| it.function.clone());
                *known.entry((path, line, inner)).or_insert(number)
            }));
        }
        Merging::new(site_of)
    }

    fn frames(&mut self, caller: u32) -> Vec<Frame> {
        let found = self.tables.callers.get(caller as usize);
        found.map_or_else(Vec::new, |it| self.symbols.frames(&self.tables.modules, it))
    }

    fn own<'b>(&self, frames: &'b [Frame], caller: u32) -> Option<&'b Frame> {
        let module = self.tables.callers.get(caller as usize)?.module?;
        innermost(frames, self.tables.modules.get(module as usize))
    }

    fn place(&mut self, caller: u32) -> Place {
        let name = self.name(caller);
        let frames = self.frames(caller);
        let frame = self.own(&frames, caller).or(frames.first());
        let path = frame.and_then(|it| it.path.clone());
        let line = frame.and_then(|it| it.line);
        let source = path.as_deref().zip(line).and_then(|(path, line)| line_of(path, line));
        let language = path.as_deref().map_or(Language::Cpp, Language::of);
        Place { caller, name, file: frame.and_then(|it| it.file.clone()), line, source, language }
    }
}

impl Piece {
    pub fn of(candidate: &Candidate, gain: Gain, study: &Study, sites: &mut Sites) -> Self {
        let places: Vec<Place> = candidate.sites.iter().map(|&it| sites.place(it)).collect();
        let habits: Vec<&Habits> =
            candidate.sites.iter().map(|&it| &study.sites[it as usize]).collect();
        let sum = |of: fn(&Habits) -> u64| habits.iter().map(|it| of(it)).sum::<u64>();
        let language = places.first().map_or(Language::Cpp, |it| it.language);
        let limit = match candidate.change {
            Change::Reserve => habits.iter().map(|it| it.largest_final).max(),
            Change::Pool | Change::SharedPool => habits[0].common_size().map(|it| it.0),
            _ => candidate.limit,
        };
        Self {
            change: candidate.change,
            title: title(candidate.change),
            gain,
            blocks: sum(|it| it.blocks),
            bytes: sum(|it| it.bytes),
            limit,
            seen: seen(candidate.change, limit.unwrap_or_default(), &habits),
            safe_if: safe_if(candidate.change).iter().map(|it| it.to_string()).collect(),
            not_verified: not_verified(candidate.change).iter().map(|it| it.to_string()).collect(),
            code: code(candidate.change, language, limit.unwrap_or_default()),
            places,
        }
    }
}

fn title(change: Change) -> &'static str {
    match change {
        Change::StackBuffer => "a buffer on the stack",
        Change::ReusedBuffer => "a buffer that is used again",
        Change::Reserve => "the final size at once",
        Change::Scope => "a scope on an arena",
        Change::Arena => "an arena",
        Change::Heap => "a heap of their own",
        Change::Pool => "a pool",
        Change::SharedPool => "a pool for all threads",
    }
}

fn seen(change: Change, limit: u64, habits: &[&Habits]) -> String {
    let sum = |of: fn(&Habits) -> u64| habits.iter().map(|it| of(it)).sum::<u64>();
    let (blocks, bytes) = (sum(|it| it.blocks), show_size(sum(|it| it.bytes)));
    let threads =
        if habits.iter().any(|it| it.has_threads) { "several threads" } else { "one thread" };
    let of = format!("{blocks} blocks, {bytes} in all, allocated by {threads}");
    let share = |part: u64| format!("{:.0} %", 100.0 * part as f64 / blocks.max(1) as f64);
    match change {
        Change::StackBuffer | Change::ReusedBuffer => format!(
            "{of}; their thread frees all blocks of up to {} after at most one more allocation",
            show_size(limit)
        ),
        Change::Scope => format!(
            "{of}; {} are freed newest first, by their thread",
            share(sum(|it| it.newest_first))
        ),
        Change::Arena => {
            let more = sum(|it| it.most_in_arena).saturating_sub(sum(|it| it.most_live));
            format!(
                "{of}; their thread frees them; {} times, none is left in use; an arena needs {} \
                 more at its peak",
                habits.iter().map(|it| it.emptied).max().unwrap_or_default(),
                show_size(more)
            )
        }
        Change::Heap => format!(
            "{of}; their thread frees them, {} in a row until none is in use, {} times",
            share(sum(|it| it.torn_down)),
            habits.iter().map(|it| it.emptied).max().unwrap_or_default(),
        ),
        Change::Reserve => format!(
            "{} blocks grow {} times, to {} at most; {} are copied",
            sum(|it| it.chains),
            sum(|it| it.growths),
            show_size(limit),
            show_size(sum(|it| it.moved_bytes))
        ),
        Change::Pool | Change::SharedPool => {
            let crossed = match sum(|it| it.crossed) {
                0 => "freed by their thread".to_string(),
                n => format!("{} freed by another thread", share(n)),
            };
            format!("{of}, nearly all of up to {limit} bytes; {crossed}")
        }
    }
}

/// The conditions for the change to be right in all runs, not only in the recorded one.
fn safe_if(change: Change) -> &'static [&'static str] {
    match change {
        Change::StackBuffer => &[
            "no pointer to the block is used after its function returns, or is given to another \
             thread",
            "larger blocks still come from malloc, as below",
        ],
        Change::ReusedBuffer => &[
            "at most one such block is in use at a time in each thread; a recursive call needs a \
             block of its own",
        ],
        Change::Scope => &[
            "memory is freed in reverse order, at the end of a function or of a scope in it; \
             memory that must live longer comes from elsewhere",
            "the arena is used by one thread only",
        ],
        Change::Arena => &[
            "all blocks may end at the same moment, and none is used after it",
            "destructors that do more than free memory still run: a scope runs them",
            "the arena is used by one thread only",
        ],
        Change::Heap => &[
            "none of the heap's blocks is used after the heap is reset",
            "the program calls destructors that do more than free memory: the reset calls none",
        ],
        Change::Reserve => {
            &["the final size, or a bound that is close to it, is known before the first element"]
        }
        Change::Pool => &[
            "blocks are freed to the pool that they came from, with their size",
            "the pool is used by one thread only, and outlives its blocks",
        ],
        Change::SharedPool => {
            &["blocks are freed to the pool that they came from, with their size, before it ends"]
        }
    }
}

/// The things that the replay did not see.
fn not_verified(change: Change) -> &'static [&'static str] {
    match change {
        Change::StackBuffer | Change::ReusedBuffer => {
            &["whether the pointer is kept somewhere", "other inputs, which may need larger blocks"]
        }
        Change::Scope | Change::Arena | Change::Heap => &[
            "whether something still points to a block when all are freed",
            "how the new addresses of the blocks change cache misses",
        ],
        Change::Reserve => &["whether the size is known", "other inputs"],
        Change::Pool | Change::SharedPool => {
            &["how the new addresses of the blocks change cache misses"]
        }
    }
}
