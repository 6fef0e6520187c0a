//! Bins against a count of all events of traces that are drawn at random.

use std::collections::BTreeMap;

use super::*;
use crate::event::{Api, Kind};
use crate::info::{Info, watched};
use crate::packed::{Tables, Writer};

const SITES: u32 = 7;
const THREADS: u32 = 3;

/// Events of blocks that come and go, with times that jump. The first ones may be inherited.
fn drawn(seed: u64, events: u64, inherited: u64) -> Vec<Event> {
    let mut draw = fastrand::Rng::with_seed(seed);
    let (mut live, mut blocks, mut tick, mut all) = (Vec::new(), 0, 1_000_000, Vec::new());
    for n in 0..events + inherited {
        let (thread, caller) = (draw.u32(1..=THREADS), draw.u32(0..SITES));
        let size = if draw.bool() { draw.u64(0..40) } else { draw.u64(0..100_000) };
        let (block, align) = (blocks, 16);
        let mut push = |api, kind| all.push(Event { tick, thread, api, caller, kind });
        if n < inherited {
            push(Api::Malloc, Kind::Inherit { block, size, align });
            live.push(block);
            blocks += 1;
            continue;
        }
        tick += if draw.u8(..) == 0 { draw.u64(0..50_000) } else { draw.u64(0..40) };
        let mut push = |api, kind| all.push(Event { tick, thread, api, caller, kind });
        match draw.u8(0..10) {
            0..5 => {
                push(Api::Malloc, Kind::Allocate { block, size, align });
                live.push(block);
                blocks += 1;
            }
            5 if !live.is_empty() => {
                let old = std::mem::replace(live.last_mut().expect("some"), block);
                push(Api::Realloc, Kind::Resize { old, block, size, took: 0, in_place: false });
                blocks += 1;
            }
            6 => push(Api::Free, Kind::FreeNull),
            _ if !live.is_empty() => {
                let block = live.swap_remove(draw.usize(0..live.len()));
                push(Api::Free, Kind::Free { block });
            }
            _ => push(Api::Malloc, Kind::Failed { size }),
        }
    }
    all
}

/// The same bins, counted after all events are known.
fn counted(events: &[Event], width: u64, bins: usize) -> Bins {
    let calls = || events.iter().filter(|it| !matches!(it.kind, Kind::Inherit { .. }));
    let first = calls().next().expect("some").tick;
    let of = |tick: u64| ((tick - first) / width) as usize;
    let power = |n: u64| (0..).find(|&power| power == 64 || n >> power == 0).expect("one");
    let mut all = vec![Bin::default(); bins];
    let mut cells: BTreeMap<(usize, u32), Cell> = BTreeMap::new();
    let mut by_thread: BTreeMap<(usize, u32), u64> = BTreeMap::new();
    let mut threads = vec![OfThread::default(); THREADS as usize + 1];
    let mut live: BTreeMap<u64, (Event, u64)> = BTreeMap::new();
    let count = |into: &mut Vec<u64>, n: u64| {
        into.resize(into.len().max(power(n) + 1), 0);
        into[power(n)] += 1;
    };
    for event in events {
        let Kind::Inherit { block, size, .. } = event.kind else { continue };
        live.insert(block, (Event { thread: 0, ..*event }, size));
    }
    for event in calls() {
        let at = of(event.tick);
        all[at].calls += 1;
        *by_thread.entry((at, event.thread)).or_default() += 1;
        let thread = &mut threads[event.thread as usize];
        thread.calls += 1;
        let (ends, begins) = match event.kind {
            Kind::Allocate { block, size, .. } => (None, Some((block, size))),
            Kind::Free { block } => (Some(block), None),
            Kind::Resize { old, block, size, .. } => (Some(old), Some((block, size))),
            _ => (None, None),
        };
        if let Some((from, size)) = ends.and_then(|it| live.remove(&it)) {
            let cell = cells.entry((at, from.caller)).or_default();
            cell.freed_bytes += size;
            if from.thread != 0 {
                cell.ended += 1;
                cell.lived_ns += event.tick - from.tick;
                count(&mut all[at].lifetimes, event.tick - from.tick);
                thread.freed_of_others += u64::from(from.thread != event.thread);
            }
        }
        if let Some((block, size)) = begins {
            let cell = cells.entry((at, event.caller)).or_default();
            (cell.calls, cell.bytes) = (cell.calls + 1, cell.bytes + size);
            count(&mut all[at].sizes, size);
            thread.bytes += size;
            live.insert(block, (*event, size));
        }
    }
    for (event, size) in live.values().filter(|(event, _)| event.thread != 0) {
        let cell = cells.get_mut(&(of(event.tick), event.caller)).expect("it allocated");
        cell.left_bytes += size;
    }
    for ((at, caller), cell) in cells.into_iter().filter(|(_, it)| *it != Cell::default()) {
        all[at].sites.push((caller, cell));
    }
    for ((at, thread), calls) in by_thread {
        all[at].threads.push((thread, calls));
    }
    Bins { bin_ns: width as f64, bins: all, threads }
}

/// The bins that a pass over the packed events finds.
fn passed(events: &[Event], most_cells: usize) -> (Bins, Info) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.trace");
    let mut writer = Writer::create(&path).expect("a file");
    events.iter().for_each(|event| writer.push(event).expect("written"));
    let mut tables = Tables::default();
    tables.meta.ticks_a_ns = 1.0;
    writer.finish(&tables).expect("written");
    let mut pyramid = Pyramid::with_cells(most_cells);
    let (info, ..) = watched(&path, &mut pyramid).expect("a trace");
    (pyramid.finish(1.0), info)
}

fn assert_same(told: &Bins, expected: &Bins) {
    assert_eq!(told.threads, expected.threads);
    assert_eq!(told.bins.len(), expected.bins.len());
    for (n, (told, expected)) in told.bins.iter().zip(&expected.bins).enumerate() {
        // Lifetimes are scaled by the middle of their power, which is exact at one tick a ns.
        assert_eq!(told, expected, "bin {n}");
    }
}

#[test]
fn bins_have_what_all_events_say() {
    for (seed, events, inherited) in [(1, 1, 0), (2, 60, 9), (3, 3000, 0), (4, 30_000, 500)] {
        let all = drawn(seed, events, inherited);
        let (told, _) = passed(&all, MOST_CELLS);
        assert!(told.bins.len() <= MOST_BINS);
        assert!(events < 3000 || told.bins.len() > MOST_BINS / 2, "{}", told.bins.len());
        assert_same(&told, &counted(&all, told.bin_ns as u64, told.bins.len()));
    }
}

#[test]
fn too_many_cells_make_bins_wider() {
    let all = drawn(5, 20_000, 100);
    let (told, _) = passed(&all, 60);
    assert!((1..=20).contains(&told.bins.len()), "{}", told.bins.len());
    let closed: usize = told.bins.iter().rev().skip(1).map(|bin| bin.sites.len()).sum();
    assert!(closed <= 60, "{closed}");
    assert_same(&told, &counted(&all, told.bin_ns as u64, told.bins.len()));
    // More sites than cells leave one bin, and the one that is open.
    assert!(passed(&all, 3).0.bins.len() <= 2);
}

#[test]
fn bins_add_up_to_the_sums_of_the_trace() {
    let (told, info) = passed(&drawn(6, 30_000, 200), MOST_CELLS);
    assert_eq!(told.bins.iter().map(|bin| bin.calls).sum::<u64>(), info.events);
    for (caller, site) in (0u32..).zip(&info.sites) {
        let of_site = |bin: &Bin| bin.sites.iter().find(|it| it.0 == caller).map(|it| it.1);
        let mut sum = Cell::default();
        told.bins.iter().filter_map(of_site).for_each(|cell| sum.add(cell));
        assert_eq!((sum.calls, sum.bytes), (site.calls, site.bytes));
        assert_eq!(sum.left_bytes, site.left_bytes);
        // What came and did not go is in use at the end, with inherited blocks.
        assert!(site.inherited_bytes + sum.bytes - sum.freed_bytes >= site.left_bytes);
    }
    let others: u64 = told.threads.iter().map(|it| it.freed_of_others).sum();
    assert_eq!(others, info.freed_by_another_thread);
}

#[test]
fn the_clock_of_a_broken_trace_does_no_harm() {
    let mut pyramid = Pyramid::default();
    for tick in [u64::MAX, 0, u64::MAX / 2] {
        let kind = Kind::FreeNull;
        pyramid.called(&Event { tick, thread: 1, api: Api::Free, caller: 0, kind });
    }
    assert_eq!(pyramid.finish(0.0).bins.len(), 1);
    let mut wide = Pyramid::default();
    for tick in [0, u64::MAX] {
        let kind = Kind::FreeNull;
        wide.called(&Event { tick, thread: 1, api: Api::Free, caller: 0, kind });
    }
    assert!(wide.finish(1.0).bins.len() <= MOST_BINS);
}
