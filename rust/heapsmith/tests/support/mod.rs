//! Shared by tests with random steps: the number of cases, and a model of the live blocks.

use core::alloc::Layout;
use core::ptr::NonNull;

use proptest::prelude::ProptestConfig;

/// `quick` random cases, or as many as the variable PROPTEST_CASES sets; two under Miri.
pub fn cases(quick: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig {
        cases: if cfg!(miri) { 2 } else { asked.unwrap_or(quick) },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// A live block, filled with a value of its own.
#[derive(Clone, Copy)]
pub struct Block {
    pub at: NonNull<u8>,
    pub layout: Layout,
    pub value: u8,
}

impl Block {
    /// Whether the first bytes are unchanged.
    pub fn holds(&self, bytes: usize) -> bool {
        // SAFETY: the block is live and was filled.
        let contents = unsafe { NonNull::slice_from_raw_parts(self.at, bytes).as_ref() };
        contents.iter().all(|&byte| byte == self.value)
    }
}

/// All live blocks.
#[derive(Default)]
pub struct Blocks {
    pub all: Vec<Block>,
    filled: u8,
}

impl Blocks {
    /// Fills a new block, after checking that its address is valid.
    pub fn enter(&mut self, at: NonNull<u8>, layout: Layout) {
        self.filled = self.filled.wrapping_add(1);
        let (start, bytes) = (at.addr().get(), layout.size());
        assert_eq!(start % layout.align(), 0);
        for other in self.all.iter().filter(|other| other.layout.size() > 0 && bytes > 0) {
            let theirs = other.at.addr().get();
            assert!(start + bytes <= theirs || theirs + other.layout.size() <= start, "overlap");
        }
        // SAFETY: the block is new and has that many bytes.
        unsafe { at.write_bytes(self.filled, bytes) };
        self.all.push(Block { at, layout, value: self.filled });
    }

    /// Checks that the contents of every block are unchanged.
    pub fn check(&self) {
        assert!(self.all.iter().all(|block| block.holds(block.layout.size())));
    }
}
