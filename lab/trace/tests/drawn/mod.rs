//! Traces drawn at random.

use std::fs;
use std::path::Path;

use heapsmith_trace::packed::{Meta, Tables, ThreadInfo, Writer};
use heapsmith_trace::{Api, Event, Kind};

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

const SITES: u64 = 4;

/// A trace of some threads, with blocks of a parent, which free and resize each other's blocks.
pub fn draw(random: &mut Random, threads: u64, events: usize) -> Vec<Event> {
    let (mut live, mut blocks, mut tick): (Vec<u64>, u64, u64) = (Vec::new(), 0, 1000);
    let mut all = Vec::new();
    for _ in 0..random.below(40) {
        let kind = Kind::Inherit { block: blocks, size: random.below(40_000), align: 1 };
        all.push(Event { tick: 10, thread: 1, api: Api::Malloc, caller: 0, kind });
        live.push(blocks);
        blocks += 1;
    }
    // Threads run for a while each, so that some windows have one thread, and others several.
    let (mut thread, mut run) = (1, 0);
    for _ in 0..events {
        if run == 0 {
            thread = 1 + random.below(threads) as u32;
            run = if random.below(20) == 0 { 5000 } else { 1 + random.below(30) };
        }
        run -= 1;
        tick += random.below(3);
        let pick = |random: &mut Random, live: &mut Vec<u64>| {
            let at = random.below(live.len() as u64) as usize;
            live.swap_remove(at)
        };
        let (api, kind) = match random.below(10) {
            0..=4 => {
                let kind = Kind::Allocate { block: blocks, size: random.below(40_000), align: 1 };
                live.push(blocks);
                blocks += 1;
                (Api::Malloc, kind)
            }
            5..=7 if !live.is_empty() => {
                let sized = random.below(4) == 0;
                let api = if sized { Api::DeleteSized } else { Api::Free };
                (api, Kind::Free { block: pick(random, &mut live) })
            }
            8 if !live.is_empty() => {
                let old = pick(random, &mut live);
                live.push(blocks);
                blocks += 1;
                let size = random.below(60_000);
                let in_place = random.below(2) == 0;
                (Api::Realloc, Kind::Resize { old, block: blocks - 1, size, took: 0, in_place })
            }
            9 if !live.is_empty() => {
                let block = live[random.below(live.len() as u64) as usize];
                (Api::UsableSize, Kind::UsableSize { block })
            }
            _ => (Api::Free, Kind::FreeNull),
        };
        let caller = random.below(SITES) as u32;
        all.push(Event { tick, thread, api, caller, kind });
    }
    all
}

/// Some threads were seen to start, and some to end.
pub fn lives(random: &mut Random, events: &[Event]) -> Vec<ThreadInfo> {
    let threads = events.iter().map(|event| event.thread).max().unwrap_or(1);
    let ticks = |number| {
        let its = events.iter().filter(move |event| event.thread == number);
        its.filter(|event| !matches!(event.kind, Kind::Inherit { .. })).map(|event| event.tick)
    };
    let first = |number| ticks(number).min().unwrap_or(1000);
    let info = |number| {
        // A thread is started by one that is older; the first one has the parent's blocks.
        let by = (1..=threads).filter(|&by| number > 1 && first(by) < first(number));
        let by = by.max_by_key(|_| random.below(1000)).filter(|_| random.below(3) != 0);
        let tick = by.map(|by| first(by) + random.below(first(number) - first(by) + 1));
        let has_ended = random.below(2) == 0;
        ThreadInfo {
            number,
            tid: 7,
            has_ended,
            end_tick: has_ended.then(|| ticks(number).max().unwrap_or(0)),
            started_by: by,
            start_tick: tick,
        }
    };
    (1..=threads).map(info).collect()
}

pub fn write(path: &Path, events: &[Event]) {
    write_with(path, events, vec![ThreadInfo { number: 1, tid: 7, ..ThreadInfo::default() }]);
}

pub fn write_with(path: &Path, events: &[Event], threads: Vec<ThreadInfo>) {
    fs::remove_file(path).ok();
    let mut writer = Writer::create(path).expect("a file");
    for event in events {
        writer.push(event).expect("written");
    }
    let meta = Meta { ticks_a_ns: 0.05, events: events.len() as u64, ..Meta::default() };
    writer.finish(&Tables { meta, threads, ..Tables::default() }).expect("written");
}
