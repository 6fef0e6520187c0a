//! Bytes and blocks in use over time, in steps of equal length. Their number is bounded, however long
//! the trace is.

use serde::Serialize;

/// A trace has from half of these to all of them.
pub const MOST_STEPS: usize = 1024;

/// A step of a curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Step {
    /// When most bytes were in use.
    pub bytes: u64,
    pub blocks: u64,
    /// When the fewest bytes were in use.
    pub least: u64,
    /// All events of the step.
    pub calls: u64,
}

/// Steps from the first event on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Curve {
    pub step_ns: f64,
    pub steps: Vec<Step>,
}

/// A curve whose trace goes on. Complexity of all calls together: linear in the events.
#[derive(Default)]
pub struct Growing {
    first: Option<u64>,
    /// A step has 2 to the power of this many ticks.
    power: u32,
    steps: Vec<Step>,
    last: Step,
}

impl Growing {
    /// Before the first event, so much is in use.
    pub fn begin(&mut self, bytes: u64, blocks: u64) {
        self.last = Step { bytes, blocks, least: bytes, calls: 0 };
    }

    /// After an event at `tick`, so much is in use.
    pub fn note(&mut self, tick: u64, bytes: u64, blocks: u64) {
        let ticks = tick.saturating_sub(*self.first.get_or_insert(tick));
        while ticks >> self.power >= MOST_STEPS as u64 {
            self.halve();
        }
        let at = (ticks >> self.power) as usize; // below MOST_STEPS
        // Until this event, there was as much in use as after the one before.
        let before = Step { calls: 0, ..self.last };
        // Up to MOST_STEPS at once, and as many in all after each halving.
        while self.steps.len() <= at {
            self.steps.push(before);
        }
        let step = &mut self.steps[at];
        step.calls += 1;
        step.least = step.least.min(bytes);
        if bytes > step.bytes {
            (step.bytes, step.blocks) = (bytes, blocks);
        }
        self.last = Step { bytes, blocks, least: bytes, calls: 0 };
    }

    /// Makes one of two steps each.
    fn halve(&mut self) {
        self.power += 1;
        let halves = self.steps.chunks(2).map(|two| {
            // Of equal ones, the first.
            let most = two.iter().rev().copied().max_by_key(|step| step.bytes).unwrap_or_default();
            let calls = two.iter().map(|step| step.calls).sum();
            let least = two.iter().map(|step| step.least).min().unwrap_or_default();
            Step { calls, least, ..most }
        });
        self.steps = halves.collect();
    }

    pub fn finish(self, ticks_a_ns: f64) -> Curve {
        let step_ns = if ticks_a_ns > 0.0 { (1u64 << self.power) as f64 / ticks_a_ns } else { 0.0 };
        Curve { step_ns, steps: self.steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_the_most_and_the_least_that_was_in_use() {
        let mut curve = Growing::default();
        for (tick, bytes) in [(100, 10), (100, 70), (100, 20), (103, 5)] {
            curve.note(tick, bytes, bytes / 5);
        }
        let of = |bytes, least, calls| Step { bytes, blocks: bytes / 5, least, calls };
        let steps = vec![of(70, 0, 3), of(20, 20, 0), of(20, 20, 0), of(20, 5, 1)];
        assert_eq!(curve.finish(2.0), Curve { step_ns: 0.5, steps });
    }

    #[test]
    fn long_traces_have_longer_steps() {
        let mut curve = Growing::default();
        const EVENTS: u64 = 1_000_000;
        let in_use = |n: u64| if n == 777_777 { 1 << 40 } else { n * 7919 % 100_003 };
        for n in 0..EVENTS {
            curve.note(n * 3, in_use(n), 1);
        }
        let curve = curve.finish(1.0);
        assert!((MOST_STEPS / 2..=MOST_STEPS).contains(&curve.steps.len()));
        assert!(curve.steps.len() as f64 * curve.step_ns >= 3.0 * (EVENTS - 1) as f64);
        assert_eq!(curve.steps.iter().map(|step| step.calls).sum::<u64>(), EVENTS);
        let (mut most, mut least) = (vec![0; curve.steps.len()], vec![u64::MAX; curve.steps.len()]);
        for n in 0..EVENTS {
            let at = (n as f64 * 3.0 / curve.step_ns) as usize;
            // A step begins with what was in use at the end of the one before.
            let begins = least[at] == u64::MAX;
            let before = if begins && n > 0 { in_use(n - 1) } else { 0 };
            most[at] = in_use(n).max(before).max(most[at]);
            least[at] = in_use(n).min(if begins { before } else { least[at] });
        }
        let told: Vec<u64> = curve.steps.iter().map(|step| step.bytes).collect();
        assert!(told == most, "{:?}", told.iter().zip(&most).position(|(a, b)| a != b));
        let told: Vec<u64> = curve.steps.iter().map(|step| step.least).collect();
        assert!(told == least, "{:?}", told.iter().zip(&least).position(|(a, b)| a != b));
    }

    #[test]
    fn the_clock_of_a_broken_trace_does_no_harm() {
        let mut curve = Growing::default();
        for tick in [u64::MAX, 0, u64::MAX / 2] {
            curve.note(tick, 1, 1);
        }
        let mut wide = Growing::default();
        wide.note(0, 1, 1);
        wide.note(u64::MAX, 2, 1);
        assert!(curve.finish(0.0).steps.len() == 1 && wide.finish(1.0).steps.len() <= MOST_STEPS);
    }
}
