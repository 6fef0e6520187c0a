//! The negative control of the programs' checks. After the work has started, every
//! `OVERLAP_PERIOD`-th block of bytes has the address of the one before it. Only blocks with an
//! alignment of one byte overlap, so that the programs detect it in their data rather than crash.
//! Without that variable, all blocks are correct.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering::Relaxed};

/// Blocks of `LEAST` to `ROOM` bytes, which are texts of the programs, get `ROOM` bytes.
const LEAST: usize = 16;
const ROOM: usize = 256;

static PERIOD: AtomicU64 = AtomicU64::new(0);

pub struct Overlapping {
    counted: AtomicU64,
    last: AtomicPtr<u8>,
}

impl Overlapping {
    pub const fn new() -> Self {
        Self { counted: AtomicU64::new(0), last: AtomicPtr::new(null_mut()) }
    }
}

pub fn begin() {
    let period = std::env::var("OVERLAP_PERIOD").ok().and_then(|period| period.parse().ok());
    PERIOD.store(period.unwrap_or(0), Relaxed);
}

// SAFETY: violates the trait's contract, so that the checks have something to detect.
unsafe impl GlobalAlloc for Overlapping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let period = PERIOD.load(Relaxed);
        let is_text = layout.align() == 1 && (LEAST..=ROOM).contains(&layout.size());
        if period == 0 || !is_text {
            // SAFETY: the caller's promise.
            return unsafe { System.alloc(layout) };
        }
        let last = self.last.load(Relaxed);
        if self.counted.fetch_add(1, Relaxed) % period == period - 1 && !last.is_null() {
            // SAFETY: the last block is larger than that.
            unsafe { last.write_bytes(b'#', LEAST) };
            return last;
        }
        // SAFETY: the layout has a size.
        let block = unsafe { System.alloc(Layout::from_size_align_unchecked(ROOM, 1)) };
        self.last.store(block, Relaxed);
        block
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
