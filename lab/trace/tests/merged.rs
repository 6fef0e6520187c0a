//! Raw files, written byte by byte, are put in order.

mod raw_files;

use std::fs;

use heapsmith_trace::merge::{Callers, Merged, Misfits};
use heapsmith_trace::raw::{RawFile, Stack};
use heapsmith_trace::{Event, Kind};
use raw_files::{BLOCK, Call, write};

/// The callers' addresses are their numbers.
struct Plain;
impl Callers for Plain {
    fn caller(&mut self, address: u64) -> u32 {
        address as u32
    }
    fn stack(&mut self, _: u32, _: &Stack) {}
}

fn merged(threads: &[&[Call]]) -> (Vec<Event>, Misfits) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("1.0.raw");
    write(&path, threads);
    let raw = RawFile::open(&path).expect("a raw file");
    assert!(raw.damage.is_empty(), "{:?}", raw.damage);
    let mut merged = Merged::of(&raw, Plain);
    let events: Vec<_> = merged.by_ref().collect();
    (events, merged.misfits)
}

/// Each block is freed once, after it was allocated; returns the blocks in the order of their ends.
fn assert_valid(events: &[Event]) -> Vec<u64> {
    let mut live = std::collections::BTreeSet::new();
    let mut ended = Vec::new();
    let mut made = 0;
    let mut tick = 0;
    for event in events {
        assert!(event.tick >= tick, "time goes on");
        tick = event.tick;
        if let Kind::Free { block } | Kind::Resize { old: block, .. } = event.kind {
            assert!(live.remove(&block), "block {block} is not in use");
            ended.push(block);
        }
        if let Kind::Allocate { block, .. } | Kind::Resize { block, .. } = event.kind {
            assert_eq!(block, made, "blocks are numbered in order");
            made += 1;
            live.insert(block);
        }
    }
    ended
}

#[test]
fn equal_ticks_do_not_swap_the_halves_of_a_life() {
    use Call::{Free, Malloc};
    // Freed by one thread, allocated by another within the tick; and the other way round.
    let (first, second) = ([Malloc(10, 9), Free(50, 9)], [Malloc(50, 9), Free(90, 9)]);
    for threads in [[&first[..], &second], [&second, &first]] {
        let (events, misfits) = merged(&threads);
        assert_eq!(misfits, Misfits::default());
        assert_eq!(assert_valid(&events), [0, 1]);
    }
    for threads in [[&[Malloc(50, 9)][..], &[Free(50, 9)]], [&[Free(50, 9)], &[Malloc(50, 9)]]] {
        let (events, misfits) = merged(&threads);
        assert_eq!(misfits, Misfits::default());
        assert_eq!(assert_valid(&events), [0]);
    }
}

#[test]
fn clocks_that_differ_by_some_ticks_are_put_right() {
    use Call::{Free, Malloc};
    // The second thread's clock is 40 ticks late, then 40 ticks early.
    let (events, misfits) =
        merged(&[&[Malloc(100, 9), Malloc(300, 9)], &[Free(60, 9), Free(340, 9)]]);
    assert_eq!(misfits, Misfits::default());
    assert_eq!(assert_valid(&events), [0, 1]);
    let (events, misfits) = merged(&[&[Malloc(100, 9), Free(200, 9)], &[Malloc(160, 9)]]);
    assert_eq!(misfits, Misfits::default());
    assert_eq!(assert_valid(&events), [0]);
}

#[test]
fn a_realloc_gives_up_its_address_when_it_begins() {
    use Call::{Free, Malloc, Realloc};
    // While the first thread copies, the second gets the old address.
    let first = [Malloc(10, 5), Realloc(100, 5000, 5, 6), Free(6000, 6)];
    let (events, misfits) = merged(&[&first, &[Malloc(200, 5), Free(5500, 5)]]);
    assert_eq!(misfits, Misfits::default());
    assert_eq!(assert_valid(&events), [0, 1, 2]);
    let resized = events.iter().find_map(|event| match event.kind {
        Kind::Resize { old, block, took, in_place, .. } => Some((old, block, took, in_place)),
        _ => None,
    });
    assert_eq!(resized, Some((0, 2, 4900, false)));
    let (events, _) = merged(&[&[Malloc(10, 5), Realloc(20, 30, 5, 5), Free(40, 5)]]);
    assert_eq!(assert_valid(&events), [0, 1]);
}

#[test]
fn lost_events_are_counted_and_go_no_further() {
    use Call::{Free, Malloc};
    let (events, misfits) =
        merged(&[&[Malloc(10, 5), Malloc(1000, 5), Free(2000, 5), Free(3000, 77)]]);
    assert_eq!(misfits, Misfits { unknown: 1, unfreed: 1 });
    // The first block ends where its address is given out again.
    assert_eq!(assert_valid(&events), [0, 1]);
    assert!(matches!(events[1].kind, Kind::Free { block: 0 }), "{events:?}");
    assert!(matches!(events[2].kind, Kind::Allocate { block: 1, .. }), "{events:?}");
    assert_eq!(events[1].tick, events[2].tick);
}

/// Programs at random: threads pass blocks on, with ticks that are often equal.
#[test]
fn random_programs_are_put_in_order() {
    for seed in 0..200 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut threads = vec![Vec::new(); random.usize(1..6)];
        let mut live: Vec<u64> = Vec::new();
        let mut free: Vec<u64> = (1..20).collect();
        let (mut tick, mut ends) = (0, 0);
        // At most two stamps of an address in a tick: which is which is then certain.
        let mut stamps = [(0u64, 0u32); 20];
        let mut stamp = |tick: &mut u64, at: u64| {
            let last = &mut stamps[at as usize];
            *tick += u64::from(*last == (*tick, 2));
            *last = (*tick, if last.0 == *tick { last.1 + 1 } else { 1 });
        };
        for _ in 0..500 {
            tick += u64::from(random.u8(..3) == 0);
            let thread = random.usize(..threads.len());
            if random.bool() && !free.is_empty() {
                let at = free.swap_remove(random.usize(..free.len()));
                stamp(&mut tick, at);
                threads[thread].push(Call::Malloc(tick, at));
                live.push(at);
            } else if !live.is_empty() {
                let at = live.swap_remove(random.usize(..live.len()));
                stamp(&mut tick, at);
                threads[thread].push(Call::Free(tick, at));
                free.push(at);
                ends += 1;
            }
        }
        let parts: Vec<&[Call]> = threads.iter().map(Vec::as_slice).collect();
        let (events, misfits) = merged(&parts);
        assert_eq!(misfits, Misfits::default(), "seed {seed}");
        assert_eq!(assert_valid(&events).len(), ends, "seed {seed}");
    }
}

#[test]
fn damaged_raw_files_are_read_as_far_as_they_go() {
    use Call::{Free, Malloc};
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("1.0.raw");
    let calls: Vec<_> = (0..500).flat_map(|n| [Malloc(n * 9, n), Free(n * 9 + 3, n)]).collect();
    write(&path, &[&calls, &calls]);
    let bytes = fs::read(&path).expect("read");
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..300 {
        let mut other = bytes.clone();
        for _ in 0..random.usize(1..20) {
            let at = random.usize(BLOCK..other.len());
            other[at] = random.u8(..);
        }
        other.truncate(random.usize(BLOCK..=bytes.len()));
        fs::write(&path, &other).expect("written");
        let raw = RawFile::open(&path).expect("its header is whole");
        assert_valid(&Merged::of(&raw, Plain).collect::<Vec<_>>());
    }
    fs::write(&path, &bytes[..BLOCK - 1]).expect("written");
    assert!(RawFile::open(&path).is_err());
}
