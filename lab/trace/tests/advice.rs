//! What sites do with their blocks, which changes fit them, and the plans of these.

use std::fs;
use std::path::Path;

use heapsmith_trace::advice::candidates::{Candidate, Change, candidates, treatments};
use heapsmith_trace::advice::study::{Merging, Study};
use heapsmith_trace::packed::{Meta, Tables, Writer};
use heapsmith_trace::plan::{Order, Survey, compile, compile_treated};
use heapsmith_trace::{Api, Event, Kind};

/// The events of a small program, written call by call.
#[derive(Default)]
struct Program {
    events: Vec<Event>,
    blocks: u64,
}

const THREAD: u32 = 1;

impl Program {
    fn push(&mut self, thread: u32, caller: u32, kind: Kind) {
        let tick = self.events.len() as u64;
        self.events.push(Event { tick, thread, api: Api::Malloc, caller, kind });
    }

    fn make(&mut self, caller: u32, size: u64) -> u64 {
        self.blocks += 1;
        let block = self.blocks - 1;
        self.push(THREAD, caller, Kind::Allocate { block, size, align: 1 });
        block
    }

    fn free(&mut self, block: u64) {
        self.free_in(THREAD, block);
    }

    fn free_in(&mut self, thread: u32, block: u64) {
        self.push(thread, 9, Kind::Free { block });
    }

    fn resize(&mut self, caller: u32, old: u64, size: u64) -> u64 {
        self.blocks += 1;
        let block = self.blocks - 1;
        self.push(THREAD, caller, Kind::Resize { old, block, size, took: 0, in_place: false });
        block
    }

    fn write(&self, path: &Path) {
        fs::remove_file(path).ok();
        let mut writer = Writer::create(path).expect("a file");
        for event in &self.events {
            writer.push(event).expect("written");
        }
        let meta = Meta { ticks_a_ns: 1.0, ..Meta::default() };
        writer.finish(&Tables { meta, ..Tables::default() }).expect("written");
    }

    /// The changes that fit the sites, if the program ran for a millisecond.
    fn candidates(&self) -> (Study, Vec<Candidate>) {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("t.trace");
        self.write(&trace);
        let study = Study::of(&trace, &Merging::default()).expect("a study");
        let found = candidates(&study, 1e-3);
        (study, found)
    }

    fn changes_of(&self, site: u32) -> Vec<Change> {
        let found = self.candidates().1;
        let of_site = found.iter().filter(|it| it.sites.contains(&site));
        let mut changes: Vec<Change> = of_site.map(|it| it.change).collect();
        changes.sort_by_key(|it| *it as u8);
        changes
    }
}

/// Other blocks of the program, which make its peak large.
fn with_others(size: u64) -> Program {
    let mut program = Program::default();
    program.make(8, size);
    program
}

#[test]
fn blocks_that_are_freed_at_once_fit_a_buffer() {
    let mut program = with_others(1 << 20);
    for n in 0..1000 {
        let block = program.make(1, 20 + n % 40);
        let between = program.make(2, 5000);
        program.free(block);
        let large = program.make(3, 5000 + n);
        program.free(large);
        program.free(between);
    }
    let (_, found) = program.candidates();
    let of = |site| found.iter().find(|it| it.sites == [site] && it.limit.is_some());
    assert_eq!(of(1).map(|it| (it.change, it.limit)), Some((Change::StackBuffer, Some(64))));
    assert_eq!(of(3).map(|it| (it.change, it.limit)), Some((Change::ReusedBuffer, Some(8192))));
    // Freed by another thread, or kept: one block is enough.
    let block = program.make(1, 30);
    program.free_in(2, block);
    program.make(3, 5001);
    assert_eq!(program.changes_of(1), []);
    assert!(!program.changes_of(3).contains(&Change::ReusedBuffer));
}

#[test]
fn blocks_freed_newest_first_fit_a_scope_and_a_queue_does_not() {
    let mut program = with_others(1 << 20);
    for _ in 0..200 {
        let blocks: Vec<u64> = (0..10).map(|n| program.make(1, 600 + 16 * n)).collect();
        for &block in blocks.iter().rev() {
            program.free(block);
        }
    }
    assert_eq!(program.changes_of(1), [Change::Scope]);

    let mut program = with_others(1 << 20);
    let mut queue: Vec<u64> = (0..10).map(|n| program.make(1, 600 + 16 * n)).collect();
    for n in 0..100_000 {
        let next = program.make(1, 600 + 16 * (n % 10));
        let first = std::mem::replace(&mut queue[n as usize % 10], next);
        program.free(first);
    }
    assert_eq!(program.changes_of(1), []);
}

#[test]
fn blocks_that_end_together_fit_one_arena() {
    let mut program = with_others(1 << 20);
    let round = |program: &mut Program| {
        let nodes: Vec<u64> = (0..20).map(|n| program.make(1, 520 + 40 * (n % 3))).collect();
        let texts: Vec<u64> = (0..20).map(|n| program.make(2, 600 + 20 * n)).collect();
        for block in nodes.into_iter().chain(texts) {
            program.free(block);
        }
    };
    for _ in 0..100 {
        round(&mut program);
    }
    let (study, found) = program.candidates();
    let arena = found.iter().find(|it| it.change == Change::Arena).expect("an arena");
    assert_eq!(arena.sites, [1, 2]);
    assert_eq!(study.sites[1].emptied, 100);
    // A block of each round that is kept lets an arena grow without end.
    let mut kept = Vec::new();
    for _ in 0..10_000 {
        let block = program.make(1, 520);
        round(&mut program);
        if let Some(old) = kept.pop() {
            program.free(old);
        }
        kept.push(block);
    }
    assert!(!program.changes_of(1).contains(&Change::Arena));
    assert!(program.changes_of(2).contains(&Change::Arena), "its rounds end as before");
}

#[test]
fn blocks_that_are_replaced_and_then_end_together_fit_a_heap() {
    // Documents of two sites, whose blocks are replaced more often than an arena has room for.
    let document = |program: &mut Program, ends: bool| {
        let mut live: Vec<u64> =
            (0..100).map(|n| program.make(1 + n % 2, 600 + 16 * u64::from(n))).collect();
        for n in 0..200usize {
            let at = n * 7919 % 100;
            program.free(live[at]);
            live[at] = program.make(1 + at as u32 % 2, 600 + 16 * (n as u64 * 31 % 100));
        }
        live.into_iter().filter(|_| ends).for_each(|block| program.free(block));
    };
    let mut program = Program::default();
    for _ in 0..50 {
        document(&mut program, true);
    }
    let (study, found) = program.candidates();
    let changes: Vec<(Change, &[u32])> =
        found.iter().map(|it| (it.change, it.sites.as_slice())).collect();
    assert_eq!(changes, [(Change::Heap, &[1, 2][..])]);
    assert_eq!((study.sites[1].emptied, study.sites[1].torn_down), (50, 2500));
    document(&mut program, false);
    assert_eq!(program.changes_of(1), [Change::Heap], "a document is left");
    for _ in 0..50 {
        document(&mut program, true); // but the sites are never empty again
    }
    assert_eq!(program.changes_of(1), [], "most blocks ended alone");
}

#[test]
fn blocks_of_one_size_fit_a_pool() {
    let mut program = with_others(1 << 20);
    let mut live: Vec<u64> = (0..100).map(|_| program.make(1, 48)).collect();
    for n in 0..50_000usize {
        let next = program.make(1, 48);
        let old = std::mem::replace(&mut live[n * 7919 % 100], next);
        program.free(old);
    }
    assert_eq!(program.changes_of(1), [Change::Pool]);
    let crossing = program.make(1, 48);
    program.free_in(2, crossing);
    assert_eq!(program.changes_of(1), [Change::SharedPool]);
    for n in 0..5000 {
        let block = program.make(1, 100 + n % 300);
        live.push(block);
    }
    assert_eq!(program.changes_of(1), [], "sizes are mixed");
}

/// Vectors of 2,000 elements of 4 bytes that grow from 4.
fn growing(by_realloc: bool) -> Program {
    let mut program = with_others(1 << 20);
    for _ in 0..100 {
        let mut block = program.make(1, 16);
        for step in 1..10 {
            if by_realloc {
                block = program.resize(1, block, 16 << step);
            } else {
                let next = program.make(1, 16 << step);
                program.free(block);
                block = next;
            }
        }
        program.free(block);
    }
    program
}

#[test]
fn blocks_that_grow_are_counted_and_replayed_with_their_final_size() {
    for by_realloc in [false, true] {
        let program = growing(by_realloc);
        let (study, found) = program.candidates();
        let site = &study.sites[1];
        assert_eq!((site.chains, site.growths, site.largest_final), (100, 900, 8192));
        assert_eq!(site.moved_bytes, 100 * (16 * 511));
        let reserve = found.iter().find(|it| it.change == Change::Reserve).expect("it grows");
        assert_eq!(reserve.sites, [1]);

        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("t.trace");
        program.write(&trace);
        let survey = Survey::of(&trace).expect("a survey");
        let made = |name: &str, followed: &[&Candidate]| {
            let changed = treatments(&trace, &Merging::default(), followed).expect("treatments");
            let to = folder.path().join(name);
            compile_treated(&trace, &survey, Order::Serial, &changed, &to).expect("a plan")
        };
        let samples = 200; // of the memory, which are calls of a plan, too
        let as_is = made("as-is", &[]);
        assert_eq!(as_is.calls, program.events.len() as u64 + samples.min(as_is.calls));
        // One allocation and one free of each vector.
        assert_eq!(made("reserved", &[reserve]).calls, 1 + 200 + samples);
    }
}

/// The changes of a site that makes a block and then frees the one before it. Sizes are given for
/// each block in turn.
fn changes_of_replaced(sizes: impl Fn(u64) -> u64) -> Vec<Change> {
    let mut program = with_others(1 << 20);
    let mut block = program.make(1, sizes(0));
    for n in 1..20_000 {
        let next = program.make(1, sizes(n));
        program.free(block);
        block = next;
    }
    program.changes_of(1)
}

#[test]
fn sizes_that_vary_are_no_growth() {
    let mixed = |n: u64| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ n;
    let random = |n: u64| 600 + (mixed(mixed(n)) >> 11) % 10_000;
    assert!(!changes_of_replaced(random).contains(&Change::Reserve));
    // One more byte each time: no vector grows so slowly.
    assert!(!changes_of_replaced(|n| 6000 + n % 500).contains(&Change::Reserve));
    assert!(changes_of_replaced(|n| 600 << (n % 8)).contains(&Change::Reserve), "twice as large");
}

#[test]
fn two_growth_steps_are_few() {
    let mut program = with_others(1 << 20);
    for _ in 0..1000 {
        let block = program.make(1, 600);
        let block = program.resize(1, block, 1200);
        let block = program.resize(1, block, 2400);
        program.free(block);
    }
    assert_eq!(program.changes_of(1), []);
}

#[test]
fn sites_that_cost_nothing_are_no_candidates() {
    let mut program = with_others(1 << 20);
    for _ in 0..1000 {
        let block = program.make(1, 20);
        program.free(block);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("t.trace");
    program.write(&trace);
    let study = Study::of(&trace, &Merging::default()).expect("a study");
    assert!(candidates(&study, 1.0).is_empty(), "a ten-thousandth of the time");
    assert!(!candidates(&study, 1e-3).is_empty());
}

#[test]
fn plans_without_changes_are_the_same_as_ever() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("t.trace");
    growing(true).write(&trace);
    let survey = Survey::of(&trace).expect("a survey");
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    compile(&trace, &survey, Order::Bounded, &a).expect("a plan");
    let nothing = treatments(&trace, &Merging::default(), &[]).expect("nothing");
    compile_treated(&trace, &survey, Order::Bounded, &nothing, &b).expect("a plan");
    assert_eq!(fs::read(a).expect("a plan"), fs::read(b).expect("a plan"));
}

#[test]
fn callers_of_one_line_are_one_site() {
    let mut program = with_others(1 << 20);
    for n in 0..1000 {
        let block = program.make(1 + n % 3, 600);
        let between = [program.make(4, 600), program.make(5, 600)];
        for block in [between[0], block, between[1]] {
            program.free(block);
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("t.trace");
    program.write(&trace);
    let merging = Merging::new(vec![0, 1, 1, 1, 4, 5, 6, 7, 8]);
    let study = Study::of(&trace, &merging).expect("a study");
    assert_eq!((study.sites[1].blocks, study.sites[1].emptied), (1000, 1000));
    assert!(study.sites.get(2).is_none_or(|it| it.blocks == 0));
    let found = candidates(&study, 1e-3);
    let one = found.iter().find(|it| it.sites.contains(&1)).expect("a candidate");
    let changed = treatments(&trace, &merging, &[one]).expect("treatments");
    let survey = Survey::of(&trace).expect("a survey");
    let plan = folder.path().join("plan");
    compile_treated(&trace, &survey, Order::Serial, &changed, &plan).expect("a plan");
    let text = format!("{changed:?}");
    assert!(text.contains("sites: [1, 2, 3"), "all callers of the line: {text}");
}
