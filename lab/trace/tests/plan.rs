//! Plans of random traces, played by a model: each thread makes its own calls in order, whichever
//! thread runs next, and every call finds the block that it means.

mod drawn;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use heapsmith_trace::packed::ThreadInfo;
use heapsmith_trace::plan::{
    Family, Growth, Order, Survey, Treatment, Treatments, compile, compile_treated,
};
use heapsmith_trace::{Api, Event, Kind};

use drawn::{Random, draw, lives, write, write_with};

/// A call of a plan.
#[derive(Clone, Debug)]
struct Call {
    op: u8,
    waits: bool,
    touched: bool,
    in_family: bool,
    numbers: Vec<u64>,
}

/// The calls of each thread, read as docs/replay.md draws them.
fn read(path: &Path) -> (u64, u32, Vec<Vec<Call>>) {
    let bytes = fs::read(path).expect("a plan");
    let u32_at = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
    let u64_at = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
    assert_eq!(&bytes[..8], b"HSREPLAY");
    let (threads, first, slots) = (u32_at(12), u32_at(20), u64_at(24));
    let mut all = Vec::new();
    for thread in 0..=threads as usize {
        let mut calls = Vec::new();
        let mut piece = (u64_at(64 + 8 * thread) & !1) as usize;
        while piece != 0 {
            let mut at = piece + 8;
            loop {
                let byte = bytes[at];
                at += 1;
                let (op, touched, waits) = (byte & 15, byte & 16 != 0, byte & 32 != 0);
                let in_family = byte & 64 != 0;
                if op == 0 {
                    break;
                }
                let numbers = match op {
                    1..=4 => 2 + usize::from(in_family),
                    5 => 4,
                    6 if waits => 5,
                    6 => 3,
                    7..=9 => 1 + usize::from(waits) + 2 * usize::from(in_family),
                    10 => 2 + usize::from(waits),
                    11 | 13 => 1,
                    12 => 0,
                    14 => 3,
                    _ => 2,
                } + usize::from(touched);
                let mut call = Call { op, waits, touched, in_family, numbers: Vec::new() };
                for _ in 0..numbers {
                    let (mut n, mut shift) = (0u64, 0);
                    loop {
                        let b = bytes[at];
                        at += 1;
                        n |= u64::from(b & 127) << shift;
                        shift += 7;
                        if b < 128 {
                            break;
                        }
                    }
                    call.numbers.push(n);
                }
                calls.push(call);
            }
            piece = u64_at(piece) as usize;
        }
        all.push(calls);
    }
    (slots, first, all)
}

/// One slot: how many blocks it has had, and the block that it holds.
#[derive(Clone, Default)]
struct Slot {
    turn: u64,
    holds: Option<u64>, // the size of the block stands for its address
}

/// Plays the calls, with a thread drawn at random for each step. Returns for each thread the
/// sizes it allocated and freed.
fn play(plan: &Path, random: &mut Random) -> Vec<Vec<(u8, u64)>> {
    let (slots, first, calls) = read(plan);
    let mut slots = vec![Slot::default(); slots as usize];
    let mut at = vec![0; calls.len()];
    let mut started: HashSet<usize> = HashSet::from([first as usize]);
    let mut windows: HashMap<u64, (u64, u64)> = HashMap::new(); // left, threads
    let mut inside: Vec<Option<(u64, u64)>> = vec![None; calls.len()];
    let mut made = vec![Vec::new(); calls.len()];
    loop {
        let ready: Vec<usize> =
            started.iter().copied().filter(|&t| at[t] < calls[t].len()).collect();
        if ready.is_empty() {
            break;
        }
        let mut tried: Vec<usize> = ready.clone();
        let mut has_left = false;
        loop {
            if tried.is_empty() && std::mem::take(&mut has_left) {
                tried.clone_from(&ready);
            }
            let waiting = || ready.iter().map(|&t| (t, at[t], calls[t][at[t]].clone()));
            assert!(
                !tried.is_empty(),
                "all wait: {:?} {windows:?} {inside:?}",
                waiting().collect::<Vec<_>>()
            );
            let t = tried.swap_remove(random.below(tried.len() as u64) as usize);
            let call = &calls[t][at[t]];
            let n = &call.numbers;
            let is_there = |slots: &[Slot], slot: u64, turn: u64| {
                let it = &slots[slot as usize];
                it.turn % 65536 == turn && it.holds.is_some()
            };
            let is_empty = |slots: &[Slot], slot: u64| slots[slot as usize].holds.is_none();
            let can = match call.op {
                1..=5 => !call.waits || is_empty(&slots, n[0]),
                6 if call.waits => {
                    is_there(&slots, n[0], n[1]) && (n[2] & 1 == 0 || is_empty(&slots, n[2] >> 1))
                }
                7..=10 => !call.waits || is_there(&slots, n[0], n[1]),
                14 => {
                    // A thread leaves its window before it waits for another.
                    if let Some((window, threads)) = inside[t].take() {
                        let entry = windows.entry(window).or_insert((0, threads));
                        entry.0 += 1;
                        has_left = true;
                    }
                    (0..n[1]).all(|w| windows.get(&w).is_some_and(|(left, of)| left == of))
                }
                13 if call.waits => at[n[0] as usize] == calls[n[0] as usize].len(),
                _ => true,
            };
            if !can {
                continue;
            }
            match call.op {
                1..=5 => {
                    let slot = &mut slots[n[0] as usize];
                    assert!(slot.holds.is_none(), "a slot that holds a block is used again");
                    (slot.turn, slot.holds) = (slot.turn + 1, Some(n[1]));
                    made[t].push((1, n[1]));
                }
                6 => {
                    let (to, size) = if call.waits { (n[2] >> 1, n[3]) } else { (n[0], n[1]) };
                    let old = slots[n[0] as usize].holds.take().expect("a block to resize");
                    let written = n[if call.waits { 4 } else { 2 }];
                    assert!(written <= old.min(size));
                    let slot = &mut slots[to as usize];
                    assert!(slot.holds.is_none());
                    (slot.turn, slot.holds) = (slot.turn + 1, Some(size));
                    made[t].push((6, size));
                }
                7..=10 => {
                    let size = slots[n[0] as usize].holds.take().expect("a block to free");
                    if call.op == 10 || call.in_family {
                        assert_eq!(n[n.len() - 1], size, "it knows the size");
                    }
                    made[t].push((7, size));
                }
                11 => assert!(slots[n[0] as usize].holds.is_some()),
                13 if call.waits => {}
                13 => assert!(started.insert(n[0] as usize), "a thread starts once"),
                14 => inside[t] = Some((n[0], n[2])),
                _ => {}
            }
            at[t] += 1;
            if at[t] == calls[t].len() {
                if let Some((window, threads)) = inside[t].take() {
                    windows.entry(window).or_insert((0, threads)).0 += 1;
                }
            }
            break;
        }
    }
    let unplayed: usize = calls.iter().zip(&at).map(|(calls, at)| calls.len() - at).sum();
    assert_eq!(unplayed, 0, "a thread was never started");
    made
}

/// The same of the events. A family frees a block and allocates another where malloc resizes it.
fn expected(events: &[Event], order: Order, treated: &[u32]) -> Vec<Vec<(u8, u64)>> {
    let threads = events.iter().map(|event| event.thread).max().unwrap_or(0) as usize;
    let threads = if order == Order::Serial { 1 } else { threads };
    let mut made = vec![Vec::new(); threads + 1];
    let mut sizes: HashMap<u64, u64> = HashMap::new();
    let mut in_family: HashSet<u64> = HashSet::new();
    for event in events {
        let is_treated = treated.contains(&event.caller);
        let t = if order == Order::Serial { 1 } else { event.thread as usize };
        match event.kind {
            Kind::Allocate { block, size, .. } | Kind::Inherit { block, size, .. } => {
                sizes.insert(block, size);
                if is_treated {
                    in_family.insert(block);
                }
                made[t].push((1, size));
            }
            Kind::Resize { old, block, size, .. } if in_family.contains(&old) => {
                made[t].extend([(7, sizes[&old]), (1, size)]);
                sizes.insert(block, size);
                if is_treated {
                    in_family.insert(block);
                }
            }
            Kind::Free { block } => made[t].push((7, sizes[&block])),
            Kind::Resize { block, size, .. } => {
                sizes.insert(block, size);
                made[t].push((6, size));
            }
            _ => {}
        }
    }
    made
}

/// Threads are started by those that started them, and all that ended before others went on are
/// waited for.
fn assert_lives(calls: &[Vec<Call>], threads: &[ThreadInfo], events: &[Event]) {
    let has = |by: u32, other: u32, waits: bool| {
        let is_it = |call: &Call| call.op == 13 && call.waits == waits;
        calls[by as usize].iter().any(|call| is_it(call) && call.numbers == [u64::from(other)])
    };
    let last = events.last().map_or(0, |event| event.tick);
    for thread in threads {
        let number = thread.number;
        if let Some(by) = thread.started_by {
            assert!(has(by, number, false), "{by} starts {number}");
        }
        if thread.end_tick.is_some_and(|tick| tick < last) {
            let is_joined = (1..calls.len() as u32).any(|by| has(by, number, true));
            assert!(is_joined, "somebody waits for {number}");
        }
    }
}

#[test]
fn each_thread_makes_its_calls_on_the_blocks_it_means() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, plan) = (folder.path().join("t.trace"), folder.path().join("plan"));
    for seed in 0..12 {
        let mut random = Random(seed);
        let threads = 1 + seed % 5;
        let events = draw(&mut random, threads, 20_000);
        let threads = lives(&mut random, &events);
        write_with(&trace, &events, threads.clone());
        let survey = Survey::of(&trace).expect("a survey");
        for order in [Order::Serial, Order::Bounded, Order::Free] {
            fs::remove_file(&plan).ok();
            let made = compile(&trace, &survey, order, &plan).expect("a plan");
            let is_inherited = |event: &&Event| matches!(event.kind, Kind::Inherit { .. });
            let inherited = events.iter().filter(is_inherited).count();
            let word = fs::read(&plan).expect("a plan")[56];
            assert_eq!((made.inherited, word), (inherited as u64, inherited as u8));
            let first = &read(&plan).2[1][..inherited];
            assert!(first.iter().all(|call| call.op == 1), "they come first: {first:?}");
            assert_eq!(
                play(&plan, &mut random),
                expected(&events, order, &[]),
                "seed {seed} {order:?}"
            );
            if order != Order::Serial {
                assert_lives(&read(&plan).2, &threads, &events);
            }
        }
    }
}

#[test]
fn a_bounded_replay_keeps_threads_within_two_windows() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, plan) = (folder.path().join("t.trace"), folder.path().join("plan"));
    write(&trace, &draw(&mut Random(5), 3, 50_000));
    let survey = Survey::of(&trace).expect("a survey");
    compile(&trace, &survey, Order::Bounded, &plan).expect("a plan");
    let (_, _, calls) = read(&plan);
    let entered = calls.iter().flatten().filter(|call| call.op == 14);
    let behind: Vec<u64> = entered.map(|call| call.numbers[0] - call.numbers[1]).collect();
    assert!(behind.len() > 10, "{behind:?}");
    assert!(behind.iter().all(|&n| n <= 1), "{behind:?}");
}

#[test]
fn large_blocks_are_touched_as_far_as_the_program_did() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, plan) = (folder.path().join("t.trace"), folder.path().join("plan"));
    let event = |api, kind| Event { tick: 1, thread: 1, api, caller: 0, kind };
    let events = [
        event(Api::Malloc, Kind::Allocate { block: 0, size: 1 << 20, align: 1 }),
        event(Api::Malloc, Kind::Allocate { block: 1, size: 1 << 20, align: 1 }),
        event(Api::UsableSize, Kind::Resident { block: 0, bytes: 8192 }),
        event(Api::Free, Kind::Free { block: 0 }),
    ];
    write(&trace, &events);
    let survey = Survey::of(&trace).expect("a survey");
    assert_eq!(survey.unknown_large, 1);
    compile(&trace, &survey, Order::Serial, &plan).expect("a plan");
    let (_, _, calls) = read(&plan);
    let made: Vec<&Call> = calls[1].iter().filter(|call| call.op == 1).collect();
    assert!(made[0].touched && made[0].numbers[2] == 8192, "{made:?}");
    assert!(!made[1].touched, "{made:?}");
}

#[test]
fn families_have_the_blocks_of_their_sites() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, plan) = (folder.path().join("t.trace"), folder.path().join("plan"));
    let treatment = |sites: &[u32], limit| {
        let family = Family::SharedPool; // the one whose blocks other threads may free
        Treatment { family, sites: sites.to_vec(), limit }
    };
    let list = vec![treatment(&[1], u64::MAX), treatment(&[3], u64::MAX), treatment(&[2], 0)];
    let treated = Treatments::new(list, Growth::default());
    for seed in 0..8 {
        let mut random = Random(seed);
        let events = draw(&mut random, 1 + seed % 4, 10_000);
        write(&trace, &events);
        let survey = Survey::of(&trace).expect("a survey");
        for order in [Order::Serial, Order::Bounded, Order::Free] {
            fs::remove_file(&plan).ok();
            compile_treated(&trace, &survey, order, &treated, &plan).expect("a plan");
            assert_eq!(play(&plan, &mut random), expected(&events, order, &[1, 3]), "seed {seed}");
            let (_, _, calls) = read(&plan);
            let in_family =
                |op| calls.iter().flatten().filter(move |it| it.in_family && it.op == op);
            assert!(in_family(1).count() > 100 && in_family(7).count() > 100);
            assert!(in_family(1).all(|it| it.numbers[2] < 2 || it.numbers[1] == 0));
        }
    }
}
