//! The output of a benchmark program: values, and the check line that the runner compares.

use std::process::exit;

/// Prints what is wrong and exits at once: after a wrong block nothing can be trusted, least of all
/// destructors.
#[cold]
pub fn fail(what: &str) -> ! {
    eprintln!("wrong: {what}");
    exit(1)
}

#[inline(always)]
pub fn expect(holds: bool, what: &str) {
    if !holds {
        fail(what);
    }
}

/// Spreads the bits of a counter or a seed over the whole word (the finaliser of SplitMix64:
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
pub fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Lines are `value METRIC threads=N VALUE`, and `check` with a number that must be the same for
/// all contenders.
pub struct Report {
    threads: u32,
    lines: Vec<String>,
    check: u64,
}

impl Report {
    pub(crate) fn new(threads: u32) -> Self {
        Self { threads, lines: Vec::new(), check: 0 }
    }

    pub fn value(&mut self, metric: &str, value: f64) {
        self.lines.push(format!("value {metric} threads={} {value:.9e}", self.threads));
    }

    /// Adds an answer that does not depend on the allocator to the check line.
    pub fn answer(&mut self, value: u64) {
        self.check = mix(self.check.wrapping_add(value));
    }

    /// Prints all lines after the measured work, since stdout allocates a buffer, too.
    pub(crate) fn print(&self) {
        for line in &self.lines {
            println!("{line}");
        }
        println!("check {:016x}", self.check);
    }
}
