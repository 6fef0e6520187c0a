//! The peak of a trace, against all moments of it: each is made by itself from the events before.

#[allow(dead_code)] // Other tests have threads that end.
mod drawn;

use std::collections::BTreeMap;

use drawn::{Random, draw, write};
use heapsmith_trace::info::{Info, of_trace};
use heapsmith_trace::{Api, Event, Kind};

/// Blocks and bytes.
type Sum = (u64, u64);

/// The caller and the size of each block that is in use after `events`.
fn live(events: &[Event]) -> BTreeMap<u64, (u32, u64)> {
    let mut live = BTreeMap::new();
    for event in events {
        if let Kind::Free { block } | Kind::Resize { old: block, .. } = event.kind {
            live.remove(&block);
        }
        if let Kind::Allocate { block, size, .. }
        | Kind::Inherit { block, size, .. }
        | Kind::Resize { block, size, .. } = event.kind
        {
            live.insert(block, (event.caller, size));
        }
    }
    live
}

/// The first moment with most bytes in use: how many nanoseconds behind the first call, and what each
/// site had.
fn peak(events: &[Event]) -> (u64, BTreeMap<u32, Sum>) {
    let bytes = |n: usize| live(&events[..n]).values().map(|it| it.1).sum::<u64>();
    let mut best = (0, 0);
    for n in 1..=events.len() {
        best = if bytes(n) > best.1 { (n, bytes(n)) } else { best };
    }
    let mut sites: BTreeMap<u32, Sum> = BTreeMap::new();
    for (caller, size) in live(&events[..best.0]).into_values() {
        let sum = sites.entry(caller).or_default();
        *sum = (sum.0 + 1, sum.1 + size);
    }
    let first = events.iter().find(|it| !matches!(it.kind, Kind::Inherit { .. }));
    let tick = best.0.checked_sub(1).map_or(0, |n| events[n].tick);
    let ticks = tick.saturating_sub(first.map_or(0, |it| it.tick));
    (ticks * 20, sites) // a tick of drawn traces is 20 ns
}

fn read(events: &[Event]) -> Info {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t");
    write(&path, events);
    of_trace(&path).expect("a trace").0
}

fn assert_peak(events: &[Event], what: &str) {
    let info = read(events);
    let (ns, sites) = peak(events);
    let sum = sites.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    assert_eq!((info.peak_blocks, info.peak_bytes, info.peak_ns), (sum.0, sum.1, ns), "{what}");
    let told = (0u32..).zip(&info.sites).map(|(n, it)| (n, (it.peak_blocks, it.peak_bytes)));
    let told: BTreeMap<u32, Sum> = told.filter(|it| it.1.0 != 0).collect();
    assert_eq!(told, sites, "{what}");
    let most = info.curve.steps.iter().map(|it| it.bytes).max().unwrap_or_default();
    assert_eq!(most, info.peak_bytes, "{what}: the curve");
}

#[test]
fn the_peak_is_the_first_moment_with_most_in_use() {
    for seed in 0..300 {
        let mut random = Random(seed);
        let count = random.below(160) as usize + 1;
        let mut events = draw(&mut random, 3, count);
        // Of a few sizes, many moments have equally much.
        if seed % 2 == 0 {
            for event in &mut events {
                if let Kind::Allocate { size, .. }
                | Kind::Inherit { size, .. }
                | Kind::Resize { size, .. } = &mut event.kind
                {
                    *size /= 15_000;
                }
            }
        }
        assert_peak(&events, &format!("seed {seed}"));
    }
}

#[test]
fn one_block_is_a_peak_of_one_block() {
    let event = |tick, caller, kind| Event { tick, thread: 1, api: Api::Malloc, caller, kind };
    let of = |block, size| Kind::Allocate { block, size, align: 1 };
    let free = |block| Kind::Free { block };
    let one = [event(100, 0, of(0, 1000)), event(900, 0, free(0))];
    let info = read(&one);
    assert_eq!((info.peak_bytes, info.peak_blocks, info.peak_ns), (1000, 1, 0));
    assert_peak(&one, "one block");
    // The second block is larger by less than a thousandth.
    let two = [
        event(100, 0, of(0, 1_000_000)),
        event(200, 0, free(0)),
        event(300, 1, of(1, 1_000_500)),
        event(400, 1, free(1)),
    ];
    let info = read(&two);
    assert_eq!(
        (info.peak_ns, info.sites[0].peak_bytes, info.sites[1].peak_bytes),
        (4000, 0, 1_000_500)
    );
    assert_peak(&two, "two blocks");
}
