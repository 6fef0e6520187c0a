//! The gain of a change: of the program's time and of its peak, with intervals.

use heapsmith_measure::stats::{self, Estimate};
use serde::Serialize;

use crate::advise::trials::Cost;

/// Less than this share is not mentioned.
pub const LEAST: f64 = 0.01;
/// Nor is less memory than this, as in verdicts.
const LEAST_BYTES: f64 = 256.0 * 1024.0;

/// A replay lacks the program's own work: what hides a part of the calls' time, and what becomes
/// unnecessary with them. So an interval of time is wider by these shares of the gain, below and
/// above. `./dev bench advice` finds whether that is enough.
const LESS: f64 = 0.2;
const MORE: f64 = 0.5;

/// A change of the code may cost this share of the peak. Another malloc may cost more: it is as easy
/// to take back.
pub const MEMORY_OF_CHANGE: f64 = 0.1;
pub const MEMORY_OF_MALLOC: f64 = 0.5;

/// The program of which a gain is a share.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Whole {
    /// Its processor time without what recording cost; of a program of several processes, how long
    /// it ran.
    pub time_s: f64,
    pub is_processor_time: bool,
    /// How many processors it kept busy in that time.
    pub busy: f64,
    pub peak_bytes: f64,
    /// What recording cost, in seconds.
    pub recording_s: f64,
}

/// A median with its interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Share {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Share {
    fn of(estimate: Estimate, whole: f64) -> Self {
        let Estimate { median, low, high, .. } = estimate;
        Self { median: median / whole, low: low / whole, high: high / whole }
    }

    /// Wider by what the method of replays may miss.
    fn of_time(estimate: Estimate, whole: f64) -> Self {
        let size = estimate.median.abs();
        let (low, high) = (estimate.low - LESS * size, estimate.high + MORE * size);
        Self::of(Estimate { low, high, ..estimate }, whole)
    }

    /// Whether more rounds would hardly make it narrower, apart from a share of the gain.
    fn is_narrow(&self, apart: f64) -> bool {
        const NARROW: f64 = 0.25;
        let noise = self.high - self.low - apart * self.median.abs();
        noise <= (NARROW * self.median.abs()).max(LEAST)
    }

    /// At least so much, and surely more than nothing.
    fn is_gain(&self) -> bool {
        self.median >= LEAST && self.low > 0.0
    }

    fn is_loss(&self) -> bool {
        self.median <= -LEAST && self.high < 0.0
    }

    /// "−4.1 % [−4.4, −3.8]": what the program saves, with a sign.
    pub fn show(&self) -> String {
        let percent = |share: f64| -100.0 * share;
        let decimals = if (self.high - self.low) * 100.0 < 2.0 { 1 } else { 0 };
        let show = |value: f64| format!("{value:+.decimals$}").replace('-', "−");
        let (middle, low, high) = (percent(self.median), percent(self.high), percent(self.low));
        format!("{} % [{}, {}]", show(middle), show(low), show(high))
    }
}

/// Positive numbers are saved.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Gain {
    /// Of the program's time.
    pub time: Share,
    /// In seconds of processor time.
    pub saved_s: Share,
    /// Of the program's peak.
    pub peak: Share,
    pub saved_bytes: f64,
}

fn saved(base: &[Cost], changed: &[Cost], of: impl Fn(&Cost) -> f64) -> Vec<f64> {
    base.iter().zip(changed).map(|(base, changed)| of(base) - of(changed)).collect()
}

impl Gain {
    /// The gain of one of `compared` changes, whose intervals all hold together with a probability
    /// of 95 %. None: there were too few rounds for that.
    pub fn of(whole: &Whole, base: &[Cost], changed: &[Cost], compared: usize) -> Option<Self> {
        let miss = (1.0 - stats::CONFIDENCE) / compared.max(1) as f64;
        let time = stats::estimate_at(&saved(base, changed, Cost::time_s), miss)?;
        let peak = stats::estimate_at(&saved(base, changed, |it| it.peak_bytes), miss)?;
        // The calls never take more than the whole program.
        let calls_s = stats::median(&base.iter().map(Cost::time_s).collect::<Vec<_>>())?;
        let whole_s = (whole.busy * whole.time_s).max(calls_s);
        Some(Self {
            time: Share::of_time(time, whole_s),
            saved_s: Share::of_time(time, 1.0),
            peak: Share::of(peak, whole.peak_bytes),
            saved_bytes: peak.median,
        })
    }

    /// Time is saved without so much more memory, as a share of the peak, or memory without more
    /// time.
    pub fn pays(&self, most_memory: f64) -> bool {
        let needs_much = self.peak.median < -most_memory && self.saved_bytes < -LEAST_BYTES;
        let saves_memory = self.peak.is_gain() && self.saved_bytes >= LEAST_BYTES;
        (self.time.is_gain() && !needs_much) || (saves_memory && !self.time.is_loss())
    }

    /// Whether more rounds would hardly change what is said of it.
    pub fn is_sure(&self) -> bool {
        let is_little = self.saved_bytes.abs() < LEAST_BYTES;
        self.time.is_narrow(LESS + MORE) && (is_little || self.peak.is_narrow(0.0))
    }

    /// What orders changes: the larger share.
    pub fn size(&self) -> f64 {
        larger(self.time.median, self.peak.median, self.saved_bytes)
    }
}

/// The share of the time, or of the peak, that a few rounds show; to choose by. Other programs make
/// runs slower and never faster, so the fastest runs are compared.
pub fn promise(whole: &Whole, base: &[Cost], changed: &[Cost]) -> f64 {
    let least =
        |costs: &[Cost], of: fn(&Cost) -> f64| costs.iter().map(of).fold(f64::MAX, f64::min);
    let fastest = |costs: &[Cost]| least(costs, |it| it.run_s) - least(costs, |it| it.null_s);
    if changed.is_empty() {
        return 0.0;
    }
    let time = fastest(base) - fastest(changed);
    let peak = stats::median(&saved(base, changed, |it| it.peak_bytes)).unwrap_or_default();
    larger(time / (whole.busy * whole.time_s), peak / whole.peak_bytes, peak)
}

/// The larger share; that of the peak counts from some bytes on.
fn larger(of_time: f64, of_peak: f64, saved_bytes: f64) -> f64 {
    if saved_bytes >= LEAST_BYTES { of_time.max(of_peak) } else { of_time }
}
