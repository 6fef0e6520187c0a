//! Forked processes get the blocks that their parents had: random families against a model.

mod raw_files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heapsmith_trace::family::Family;
use heapsmith_trace::info::of_trace;
use heapsmith_trace::packed::{Lack, Meta, Reader};
use heapsmith_trace::{Event, Kind};
use raw_files::{Call, Head, write_as};

/// A process of the model.
#[derive(Clone, Default)]
struct Process {
    head: Head,
    threads: Vec<Vec<Call>>,
    live: BTreeMap<u64, u64>, // address to size
    /// At the begin.
    inherited: Vec<u64>, // sizes
    frees_of_inherited: u64,
    /// The tick of the last stamp of an address, and how many it has in that tick.
    stamps: BTreeMap<u64, (u64, u32)>,
}

const ADDRESSES: u64 = 60;

impl Process {
    fn name(&self) -> String {
        format!("{}.0.raw", self.head.pid)
    }

    /// At most two stamps of an address in a tick: which is which is then certain.
    fn stamp(&mut self, tick: &mut u64, at: u64) {
        let last = self.stamps.entry(at).or_default();
        *tick += u64::from(*last == (*tick, 2));
        *last = (*tick, if last.0 == *tick { last.1 + 1 } else { 1 });
    }

    fn pick(&self, random: &mut fastrand::Rng) -> Option<u64> {
        let n = self.live.len();
        (n != 0).then(|| *self.live.keys().nth(random.usize(..n)).expect("one of n"))
    }

    fn step(&mut self, random: &mut fastrand::Rng, tick: &mut u64, size: u64) {
        let thread = random.usize(..self.threads.len());
        let unused: Vec<u64> = (1..ADDRESSES).filter(|at| !self.live.contains_key(at)).collect();
        match (random.u8(..5), self.pick(random)) {
            (0..=1, _) if !unused.is_empty() => {
                let at = unused[random.usize(..unused.len())];
                self.stamp(tick, at);
                self.live.insert(at, size);
                self.threads[thread].push(Call::MallocOf(*tick, at, size));
            }
            (2, Some(old)) if !unused.is_empty() => {
                // Both addresses are stamped alone, before and after.
                let new = if random.bool() { old } else { unused[0] };
                let (begin, end) = (*tick + 1, *tick + 3);
                *tick = end + 1;
                self.end(old);
                self.live.insert(new, size);
                self.threads[thread].push(Call::ReallocOf(begin, end, old, new, size));
            }
            (_, Some(at)) => {
                self.stamp(tick, at);
                self.end(at);
                self.threads[thread].push(Call::Free(*tick, at));
            }
            _ => {}
        }
    }

    fn end(&mut self, at: u64) {
        let size = self.live.remove(&at).expect("in use");
        self.frees_of_inherited += u64::from(self.inherited.contains(&size));
    }

    fn fork(&self, tick: u64, pid: u32, threads: usize) -> Process {
        let (fork_tick, first_tick) = (tick, tick + 1);
        let head = Head { pid, first_tick, fork_tick, parent_file: self.name() };
        Process {
            head,
            threads: vec![Vec::new(); threads],
            live: self.live.clone(),
            inherited: self.live.values().copied().collect(),
            ..Process::default()
        }
    }
}

/// A family with children and grandchildren. Each size is that of one block.
fn draw(seed: u64) -> Vec<Process> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut tick = 1000;
    let head = Head { pid: 100, first_tick: 1000, ..Head::default() };
    let threads = vec![Vec::new(); random.usize(1..4)];
    let mut all = vec![Process { head, threads, ..Process::default() }];
    for size in 1..3000 {
        tick += u64::from(random.u8(..3) == 0);
        let who = random.usize(..all.len());
        if random.u8(..100) == 0 && all.len() < 12 {
            let child = all[who].fork(tick, 100 + all.len() as u32, random.usize(1..4));
            all.push(child);
            tick += 2; // a fork takes longer than a tick
        }
        all[who].step(&mut random, &mut tick, size);
    }
    all.retain(|process| process.threads.iter().any(|calls| !calls.is_empty()));
    all
}

fn write(folder: &Path, all: &[Process]) -> Vec<PathBuf> {
    let write_one = |process: &Process| {
        let path = folder.join(process.name());
        let threads: Vec<&[Call]> = process.threads.iter().map(Vec::as_slice).collect();
        write_as(&path, &process.head, &threads);
        path
    };
    all.iter().map(write_one).collect()
}

/// All packed, by pid.
fn pack(files: Vec<PathBuf>, most: usize) -> BTreeMap<u32, PathBuf> {
    let mut family = Family::of(files, most);
    let mut packed = BTreeMap::new();
    for member in 0..family.len() {
        let to = family.path(member).with_extension("trace");
        let tables = family.pack(member, &to, false).expect("packed").tables;
        packed.insert(tables.meta.pid, to);
    }
    packed
}

fn read(trace: &Path) -> (Vec<Event>, Meta) {
    let mut reader = Reader::open(trace).expect("a trace");
    let mut events = Vec::new();
    reader.for_each(|event| events.push(*event)).expect("read");
    assert!(reader.damage.is_none(), "{:?}", reader.damage);
    (events, reader.tables.expect("tables").meta)
}

/// The sizes of the blocks that are inherited, and of those in use at the end.
fn sizes(events: &[Event]) -> (Vec<u64>, Vec<u64>) {
    let mut live: BTreeMap<u64, u64> = BTreeMap::new();
    let mut inherited = Vec::new();
    for event in events {
        if let Kind::Free { block } | Kind::Resize { old: block, .. } = event.kind {
            live.remove(&block).expect("in use");
        }
        match event.kind {
            Kind::Inherit { block, size, .. } => {
                inherited.push(size);
                live.insert(block, size);
            }
            Kind::Allocate { block, size, .. } | Kind::Resize { block, size, .. } => {
                live.insert(block, size);
            }
            _ => {}
        }
    }
    inherited.sort_unstable();
    let mut left: Vec<u64> = live.into_values().collect();
    left.sort_unstable();
    (inherited, left)
}

fn sorted(sizes: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut all: Vec<u64> = sizes.collect();
    all.sort_unstable();
    all
}

#[test]
fn each_process_begins_with_the_blocks_that_its_parent_had() {
    let mut forks = 0;
    for seed in 0..60 {
        let folder = tempfile::tempdir().expect("a folder");
        let all = draw(seed);
        let packed = pack(write(folder.path(), &all), usize::MAX);
        for process in &all {
            let pid = process.head.pid;
            let (events, meta) = read(&packed[&pid]);
            let parent_was_left_out = meta.inherited.as_ref().is_some_and(|it| it.lacks.is_some());
            if parent_was_left_out {
                continue; // it made no call, so the model has no file of it
            }
            let (inherited, left) = sizes(&events);
            assert_eq!(inherited, sorted(process.inherited.iter().copied()), "{seed} {pid}");
            assert_eq!(left, sorted(process.live.values().copied()), "{seed} {pid}");
            assert_eq!((meta.misfits.unknown, meta.misfits.unfreed), (0, 0), "{seed} {pid}");
            let calls: usize = process.threads.iter().map(Vec::len).sum();
            assert_eq!(meta.events, calls as u64, "inherited blocks are no events");
            let (info, _, _) = of_trace(&packed[&pid]).expect("sums");
            assert_eq!(info.events, calls as u64);
            assert_eq!(info.inherited.blocks, inherited.len() as u64);
            assert_eq!(info.inherited.freed_blocks, process.frees_of_inherited);
            assert_eq!(
                info.left_blocks + info.inherited.blocks,
                left.len() as u64 + { info.inherited.freed_blocks }
            );
            let sums = meta.inherited.map(|it| (it.blocks, it.bytes));
            let expected = (inherited.len() as u64, inherited.iter().sum());
            assert_eq!(sums, (pid != 100).then_some(expected));
            forks += u32::from(pid != 100);
        }
    }
    assert!(forks > 200, "{forks}");
}

#[test]
fn children_beyond_the_limit_get_sums() {
    use Call::{Free, MallocOf};
    let folder = tempfile::tempdir().expect("a folder");
    let head = |pid: u32, fork_tick: u64, parent: &str| {
        let (first_tick, parent_file) = (fork_tick + 1, parent.to_string());
        Head { pid, first_tick, fork_tick, parent_file }
    };
    let parent: Vec<Call> = (0..10).map(|n| MallocOf(10 + n, 1 + n, 100 + n)).collect();
    let own = [Free(60, 1), MallocOf(61, 90, 7)];
    let mut files = Vec::new();
    for (pid, fork_tick, of, calls) in [
        (1, 0, "", &parent[..]),
        (2, 30, "1.0.raw", &own),
        (3, 40, "1.0.raw", &own),
        (4, 70, "3.0.raw", &own[1..]),
        (5, 41, "9.0.raw", &own),
        (6, 0, "1.0.raw", &own),
    ] {
        files.push(folder.path().join(format!("{pid}.0.raw")));
        write_as(files.last().expect("one"), &head(pid, fork_tick, of), &[calls]);
    }
    let packed = pack(files, 15);
    let inherited = |pid: u32| {
        let (events, meta) = read(&packed[&pid]);
        let it = meta.inherited.expect("it is forked");
        let listed = sizes(&events).0.len();
        (it.pid, it.blocks, it.bytes, it.lacks, listed, meta.misfits.unknown)
    };
    assert_eq!(inherited(2), (1, 10, 1045, None, 10, 0));
    assert_eq!(inherited(3), (1, 10, 1045, Some(Lack::TooMany), 0, 1));
    assert_eq!(inherited(4), (3, 1, 7, Some(Lack::ParentLacks), 1, 0));
    assert_eq!(inherited(5), (0, 0, 0, Some(Lack::ParentMissing), 0, 1));
    assert_eq!(inherited(6), (1, 0, 0, Some(Lack::ForkUnknown), 0, 1));
    assert_eq!(read(&packed[&1]).1.inherited, None);
    let version = |pid| std::fs::read(&packed[&pid]).expect("read")[8];
    assert_eq!((version(1), version(2), version(3)), (1, 2, 1), "old readers can read 1 and 3");
}
