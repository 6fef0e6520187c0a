//! heapsmith's heap as the global allocator: layouts, contents and statistics, in one thread and in
//! several.
#![cfg(all(feature = "heap", not(miri)))]

use std::alloc::{GlobalAlloc, Layout};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, mpsc};
use std::{fs, ptr, slice, thread};

use heapsmith::Heapsmith;

#[global_allocator]
static A: Heapsmith = Heapsmith;

/// Statistics are of the whole process, so one test runs at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|e| e.into_inner())
}

/// A block that checks its contents.
struct Block {
    p: *mut u8,
    layout: Layout,
    mark: u8,
}

// SAFETY: a block has one owner.
unsafe impl Send for Block {}

impl Block {
    fn new(size: usize, align: usize, mark: u8, zeroed: bool) -> Self {
        let layout = Layout::from_size_align(size, align).expect("the tests ask for no nonsense");
        // SAFETY: the size is not 0.
        let p = unsafe { if zeroed { A.alloc_zeroed(layout) } else { A.alloc(layout) } };
        let mut block = Self { p, layout, mark: 0 };
        assert!(block.is_aligned(), "{layout:?} at {p:?}");
        assert!(!zeroed || block.has(size), "{layout:?} is not zero");
        block.fill(mark);
        block
    }

    fn is_aligned(&self) -> bool {
        !self.p.is_null() && self.p.addr() % self.layout.align() == 0
    }

    fn fill(&mut self, mark: u8) {
        self.mark = mark;
        // SAFETY: the block has that many bytes.
        unsafe { self.p.write_bytes(mark, self.layout.size()) };
    }

    /// Whether the first bytes are marked.
    fn has(&self, bytes: usize) -> bool {
        // SAFETY: the block has that many bytes, and they are initialized.
        unsafe { slice::from_raw_parts(self.p, bytes) }.iter().all(|&byte| byte == self.mark)
    }

    fn resize(&mut self, size: usize) {
        let kept = self.layout.size().min(size);
        // SAFETY: the block is live and the size not 0.
        self.p = unsafe { A.realloc(self.p, self.layout, size) };
        self.layout = Layout::from_size_align(size, self.layout.align()).expect("no nonsense");
        assert!(self.is_aligned() && self.has(kept), "{:?} after a resize", self.layout);
        self.fill(self.mark.wrapping_add(1));
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        assert!(self.has(self.layout.size()), "{:?} was overwritten", self.layout);
        // SAFETY: the block is live.
        unsafe { A.dealloc(self.p, self.layout) };
    }
}

fn resident_bytes() -> usize {
    let statm = fs::read_to_string("/proc/self/statm").expect("Linux tells");
    statm.split(' ').nth(1).expect("the second number").parse::<usize>().expect("a number") * 4096
}

#[test]
fn every_alignment_is_kept_and_zeroed_blocks_are_zero() {
    let _alone = alone();
    for align in (0..=21).map(|n| 1 << n) {
        for size in [1, 24, 100, 1000, 5000, 33_000, 70_000, 300_000] {
            drop(Block::new(size, align, 0xa5, false)); // what zeroed memory may be made of
            let mut block = Block::new(size, align, 1, true);
            for size in [size + 1, 2 * size, 5 * size, size, size / 3 + 1] {
                block.resize(size);
            }
        }
    }
}

#[test]
fn resizing_works_in_place_within_a_block() {
    let _alone = alone();
    for align in [8, 64, 4096] {
        let mut block = Block::new(3 * align, align, 7, false);
        let before = block.p;
        block.resize(2 * align);
        block.resize(3 * align);
        assert_eq!(block.p, before, "aligned to {align}");
    }
    // Another thread of the test program may take the pages that a shrunk block gave up, so one
    // of several blocks must stay.
    let stayed = (0..8).any(|_| {
        let mut large = Block::new(1 << 20, 256, 7, false);
        let before = large.p;
        large.resize(1 << 19);
        assert_eq!(large.p, before, "a large block shrinks in place");
        large.resize((1 << 20) - 1000);
        large.p == before
    });
    assert!(stayed);
}

#[test]
fn zeroed_memory_fresh_from_the_kernel_is_not_touched() {
    let _alone = alone();
    const SIZE: usize = 1 << 30;
    for align in [16, 4096] {
        let before = resident_bytes();
        let layout = Layout::from_size_align(SIZE, align).expect("no nonsense");
        // SAFETY: the size is not 0; the block has that many bytes and is freed once.
        unsafe {
            let p = A.alloc_zeroed(layout);
            assert_eq!((*p, *p.add(SIZE / 2), *p.add(SIZE - 1)), (0, 0, 0));
            assert!(resident_bytes() < before + SIZE / 8, "aligned to {align}");
            A.dealloc(p, layout);
        }
    }
}

#[test]
fn impossible_requests_are_refused() {
    let _alone = alone();
    assert!(Vec::<u8>::new().try_reserve_exact(isize::MAX as usize).is_err());
    heapsmith::set_limit(Some(256 << 20));
    assert!(Vec::<u64>::new().try_reserve_exact(1 << 26).is_err());
    let small = vec![1u8; 1 << 20];
    heapsmith::set_limit(None);
    assert!(small.iter().all(|&byte| byte == 1));
}

#[test]
fn stats_follow_the_program() {
    let _alone = alone();
    heapsmith::purge(); // collects what earlier tests freed
    let before = heapsmith::stats();
    let mut words: Vec<String> =
        (0..100_000).map(|n| format!("a word of the {n}th kind")).collect();
    let full = heapsmith::stats();
    assert!(full.in_use_bytes >= before.in_use_bytes + 100_000 * (size_of::<String>() + 32));
    assert!(
        full.peak_bytes >= full.in_use_bytes && full.large_bytes >= before.large_bytes + 2_400_000
    );
    words.clear();
    words.shrink_to_fit();
    let empty = heapsmith::stats();
    assert!(empty.in_use_bytes < before.in_use_bytes + (1 << 20));
    heapsmith::purge();
    let purged = heapsmith::stats();
    assert!(purged.purged_bytes >= before.purged_bytes + (4 << 20));
    assert_eq!(purged.cached_bytes, 0);
}

#[test]
fn collections_grow_in_threads_and_end_in_others() {
    let _alone = alone();
    let (give, take) = mpsc::channel();
    let workers: Vec<_> = (0..4u64)
        .map(|t| {
            let give = give.clone();
            thread::spawn(move || {
                let mut map = HashMap::new();
                for n in 0..20_000u64 {
                    map.insert(n * 4 + t, format!("{n} of {t}"));
                    if n % 3 == 0 {
                        map.remove(&(n / 2 * 4 + t));
                    }
                }
                give.send((t, map)).expect("the test takes it");
            })
        })
        .collect();
    drop(give);
    let mut kept = 0;
    for (t, map) in take {
        kept += map.len();
        assert!(map.iter().all(|(key, text)| *text == format!("{} of {t}", key / 4)));
    }
    workers.into_iter().for_each(|w| w.join().expect("no thread fails"));
    assert!(kept > 50_000);
}

/// Random steps on blocks of any layout, some of which go to the next thread.
fn play(seed: u64, next: &mpsc::Sender<Block>, from: &mpsc::Receiver<Block>) {
    let mut state = seed;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut live: Vec<Block> = Vec::new();
    for step in 0..6000u32 {
        let magnitude = 3 + random(14);
        let size = 1 + random(1 << magnitude);
        let mark = step as u8;
        match random(8) {
            0..3 => live.push(Block::new(size, 1 << random(13), mark, random(3) == 0)),
            3 if !live.is_empty() => {
                let at = random(live.len());
                live[at].resize(size);
            }
            4 if !live.is_empty() => {
                // If the other thread has ended, the block is freed here.
                drop(next.send(live.swap_remove(random(live.len()))));
            }
            5 => live.extend(from.try_iter().take(3)),
            _ if !live.is_empty() => drop(live.swap_remove(random(live.len()))),
            _ => {}
        }
    }
}

#[test]
fn blocks_keep_their_contents_among_threads() {
    let _alone = alone();
    let before = heapsmith::stats().in_use_bytes;
    let (mut gives, takes): (Vec<_>, Vec<_>) = (0..3).map(|_| mpsc::channel()).unzip();
    gives.rotate_left(1);
    thread::scope(|scope| {
        for (seed, (give, take)) in (1..).zip(gives.into_iter().zip(takes)) {
            scope.spawn(move || play(seed, &give, &take));
        }
    });
    heapsmith::thread_purge();
    assert!(heapsmith::stats().in_use_bytes < before + (4 << 20), "blocks were lost");
}

#[test]
fn a_refused_request_returns_null() {
    let _alone = alone();
    let layout = Layout::from_size_align(1 << 46, 1 << 30).expect("an absurd layout");
    heapsmith::set_limit(Some(1 << 30));
    // SAFETY: the size is not 0.
    unsafe {
        assert_eq!(A.alloc(layout), ptr::null_mut());
        assert_eq!(A.alloc_zeroed(layout), ptr::null_mut());
        let mut block = Block::new(5000, 1 << 13, 3, false);
        assert_eq!(A.realloc(block.p, block.layout, 1 << 46), ptr::null_mut());
        block.resize(6000); // which finds the contents as they were
    }
    heapsmith::set_limit(None);
}
