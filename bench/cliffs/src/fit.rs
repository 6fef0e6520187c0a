//! Makes a pattern sound: settings that agree with each other, bounded memory and time.

use crate::pattern::Pattern;

/// The most bytes of requested memory that are alive at once.
const MAX_LIVE: f64 = 192e6;
/// The time of the first fill, and that of the replaced blocks, under a usual allocator.
const FILL_NS: f64 = 0.2e9;
const CALLS_NS: f64 = 0.15e9;
/// The least time to replace a block in a program that is ready for any pattern.
const PAIR_NS: f64 = 80.0;
/// An OS page that is touched for the first time.
const FAULT_NS: f64 = 250.0;
const LARGE: f64 = 128.0 * 1024.0;
/// The calls of the kernel for a large block, under allocators that keep none.
const KERNEL_NS: f64 = 4000.0;
/// The time of the calls in each tenth of a second that is idle but for them.
const TRICKLE_NS: f64 = 5e6;
/// All pauses together.
const MAX_PAUSE_MS: u64 = 1500;

pub fn fit(pattern: &mut Pattern) {
    agree(pattern);
    let mean = mean_size(pattern);
    let cost = cost_ns(pattern, mean);
    let threads = pattern.number("threads");
    let fills = pattern.number("phases") as f64;
    let most = (MAX_LIVE / mean).min(FILL_NS / fills / cost) as u64;
    let slots = pattern.number("slots").clamp(threads, most.max(threads));
    pattern.set("slots", slots);
    let calls = pattern.number("calls").min((CALLS_NS / cost) as u64);
    pattern.set("calls", calls);
    pattern.set("trickle", pattern.number("trickle").min((TRICKLE_NS / cost) as u64));
    pattern.set("burst", pattern.number("burst").clamp(1, (slots / threads).min(4096)));
}

impl Pattern {
    /// The same with one more setting, made sound.
    pub fn with(&self, name: &str, value: impl ToString) -> Self {
        let mut changed = self.clone();
        changed.set(name, value);
        fit(&mut changed);
        changed
    }

    /// The same with this setting at its simplest value, made sound.
    pub fn without(&self, name: &str) -> Self {
        let mut changed = take_away(self, name);
        fit(&mut changed);
        changed
    }
}

/// Takes away settings that have no effect beside the others.
fn agree(pattern: &mut Pattern) {
    if pattern.number("largest") < pattern.number("smallest") {
        pattern.set("largest", pattern.number("smallest"));
    }
    let phases = pattern.number("phases");
    if phases == 1 {
        for name in ["next-smallest", "next-largest", "keep", "rotate", "pause-ms"] {
            *pattern = take_away(pattern, name);
        }
    }
    if pattern.is_simplest("next-smallest") != pattern.is_simplest("next-largest") {
        let one = pattern.number("next-smallest").max(pattern.number("next-largest"));
        pattern.set("next-smallest", one);
        pattern.set("next-largest", one);
    }
    if pattern.number("next-largest") < pattern.number("next-smallest") {
        pattern.set("next-largest", pattern.number("next-smallest"));
    }
    if phases > 1 {
        pattern.set("pause-ms", pattern.number("pause-ms").min(MAX_PAUSE_MS / (phases - 1)));
    }
    let without = |pattern: &mut Pattern, cause: bool, names: &[&str]| {
        for name in names.iter().filter(|_| cause) {
            *pattern = take_away(pattern, name);
        }
    };
    let alone = pattern.number("threads") == 1;
    without(pattern, alone, &["cross", "rotate", "renew"]);
    let never = |pattern: &Pattern, name: &str| pattern.number(name) == 0;
    let (aligned, realloc) = (never(pattern, "aligned"), never(pattern, "realloc"));
    without(pattern, aligned, &["alignment"]);
    without(pattern, realloc, &["resizing"]);
    let one_size = pattern.number("smallest") == pattern.number("largest")
        && pattern.number("next-smallest") == pattern.number("next-largest");
    without(pattern, one_size, &["spread"]);
}

fn take_away(pattern: &Pattern, name: &str) -> Pattern {
    let mut changed = pattern.clone();
    changed.take(name, &Pattern::default());
    changed
}

/// The mean size, the larger one of both kinds of phases.
fn mean_size(pattern: &Pattern) -> f64 {
    let of = |least: u64, most: u64| {
        let (least, most) = (least as f64, most as f64);
        match pattern.word("spread") {
            _ if least == most => least,
            "uniform" => f64::midpoint(least, most),
            "pareto" => least * (most / least).ln() / (1.0 - least / most),
            _ => (most - least) / (most / least).ln(),
        }
    };
    let now = of(pattern.number("smallest"), pattern.number("largest"));
    let next = match pattern.number("next-smallest") {
        0 => now,
        least => of(least, pattern.number("next-largest")),
    };
    // A growing block ends at the largest size. An aligned one may keep its whole alignment.
    let grown = match (pattern.number("realloc"), pattern.word("resizing")) {
        (1.., "growing" | "steps") => {
            pattern.number("largest").max(pattern.number("next-largest")) as f64 / 2.0
        }
        _ => 0.0,
    };
    let aligned = match pattern.number("aligned") {
        0 => 0.0,
        _ => pattern.number("alignment") as f64,
    };
    now.max(next).max(grown).max(aligned)
}

/// The time to replace a block, roughly.
fn cost_ns(pattern: &Pattern, mean: f64) -> f64 {
    let pages = match pattern.word("touch") {
        "ends" => 2.0,
        _ => mean / 4096.0,
    };
    let faults = if mean >= LARGE { pages * FAULT_NS + KERNEL_NS } else { pages * 10.0 };
    let lines = if pattern.word("touch") == "whole" { mean / 64.0 } else { pages };
    let copied = if pattern.number("realloc") > 0 { mean * 0.05 } else { 0.0 };
    let zeroed = if pattern.number("calloc") > 0 && mean < LARGE { mean * 0.03 } else { 0.0 };
    PAIR_NS + faults + lines * 3.0 + copied + zeroed
}

#[cfg(test)]
mod tests {
    //! Bounds, and settings without effect.
    use super::*;

    fn fitted(settings: &[(&str, &str)]) -> Pattern {
        let mut pattern = Pattern::default();
        for (name, value) in settings {
            pattern.set(name, value);
        }
        fit(&mut pattern);
        pattern
    }

    #[test]
    fn memory_is_bounded() {
        let pattern = fitted(&[("smallest", "1000000"), ("slots", "100000")]);
        assert_eq!(pattern.number("largest"), 1_000_000);
        assert!((100..=192).contains(&pattern.number("slots")), "{}", pattern.label());
    }

    #[test]
    fn settings_without_effect_go_away() {
        let pattern = fitted(&[
            ("cross", "50"),
            ("keep", "10"),
            ("alignment", "4096"),
            ("resizing", "growing"),
            ("spread", "pareto"),
        ]);
        assert_eq!(pattern, Pattern::default());
        let pattern = fitted(&[("threads", "2"), ("cross", "50"), ("calls", "5")]);
        assert_eq!(pattern.label(), "calls=5 cross=50 threads=2");
    }

    #[test]
    fn every_thread_has_a_slot_and_a_burst_fits() {
        let pattern = fitted(&[("threads", "300"), ("slots", "10"), ("burst", "50")]);
        assert_eq!((pattern.number("slots"), pattern.number("burst")), (300, 1));
    }
}
