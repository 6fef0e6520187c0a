//! The threads of a trace: those with most calls, and all others together.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::info::Info;
use crate::packed::{Tables, ThreadInfo};
use crate::pyramid::{Bins, OfThread};

const MOST: usize = 24;

#[derive(Debug, Default, Serialize)]
pub struct Threads {
    pub list: Vec<PageThread>,
    /// How many are not in the list, and what they did.
    pub others: usize,
    pub of_others: OfOthers,
}

#[derive(Debug, Default, Serialize)]
pub struct OfOthers {
    pub calls: u64,
    pub bytes: u64,
    pub freed_of_others: u64,
}

#[derive(Debug, Serialize)]
pub struct PageThread {
    pub number: u32,
    pub calls: u64,
    pub bytes: u64,
    pub freed_of_others: u64,
    /// Nanoseconds from the first event. Null: not known.
    pub started_ns: Option<u64>,
    pub ended_ns: Option<u64>,
    /// The bins in which it made calls, and how many.
    pub at: Vec<u32>,
    pub calls_at: Vec<u64>,
}

impl Threads {
    pub fn of(bins: &Bins, tables: &Tables, info: &Info) -> Self {
        let mut used: Vec<(u32, OfThread)> =
            (0u32..).zip(bins.threads.iter().copied()).filter(|it| it.1.calls != 0).collect();
        used.sort_by_key(|(_, it)| Reverse(it.calls));
        let rest = used.split_off(used.len().min(MOST));
        used.sort_by_key(|(number, _)| *number);
        let known: FxHashMap<u32, &ThreadInfo> =
            tables.threads.iter().map(|it| (it.number, it)).collect();
        let ticks_a_ns = tables.meta.ticks_a_ns;
        let ns = |tick: u64| {
            let ticks = tick.saturating_sub(info.first_tick);
            (ticks_a_ns > 0.0).then(|| (ticks as f64 / ticks_a_ns) as u64)
        };
        let list = used.iter().map(|&(number, it)| {
            let known = known.get(&number);
            let calls = (0u32..).zip(&bins.bins).filter_map(|(n, bin)| {
                let at = bin.threads.binary_search_by_key(&number, |it| it.0).ok()?;
                Some((n, bin.threads[at].1))
            });
            let (at, calls_at) = calls.unzip();
            PageThread {
                number,
                calls: it.calls,
                bytes: it.bytes,
                freed_of_others: it.freed_of_others,
                started_ns: known.and_then(|it| it.start_tick).and_then(ns),
                ended_ns: known.and_then(|it| it.end_tick).and_then(ns),
                at,
                calls_at,
            }
        });
        let mut of_others = OfOthers::default();
        for (_, it) in &rest {
            of_others.calls += it.calls;
            of_others.bytes = of_others.bytes.saturating_add(it.bytes);
            of_others.freed_of_others += it.freed_of_others;
        }
        Self { list: list.collect(), others: rest.len(), of_others }
    }
}
