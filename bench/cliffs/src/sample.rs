//! What one run of a pattern cost, and how two such costs compare.

use serde::{Deserialize, Serialize};

/// A peer that is worse by less than this is not worse.
pub const WORSE: f64 = 1.05;
/// A process that is larger by this has no cliff, whatever the ratio.
const SLACK_BYTES: f64 = 1048576.0;
/// Two runs that are both shorter than this are not compared in time.
const MIN_TIMED_S: f64 = 0.005;
/// With fewer calls, the instructions of the first ones hide those of the others.
pub const MIN_COUNTED: f64 = 1000.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    Time,
    Instructions,
    PeakRss,
    FreedRss,
    IdleRss,
}

pub const METRICS: [Metric; 5] =
    [Metric::Time, Metric::Instructions, Metric::PeakRss, Metric::FreedRss, Metric::IdleRss];

impl Metric {
    pub fn title(self) -> &'static str {
        match self {
            Self::Time => "time per call",
            Self::Instructions => "instructions",
            Self::PeakRss => "peak RSS",
            Self::FreedRss => "RSS after the last free",
            Self::IdleRss => "RSS after idling",
        }
    }

    pub fn is_memory(self) -> bool {
        !matches!(self, Self::Time | Self::Instructions)
    }
}

/// The values of one run, or none where one could not be measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The time of all phases.
    pub timed_s: f64,
    pub ns_per_call: Option<f64>,
    pub instructions: Option<f64>,
    pub peak_rss: Option<f64>,
    pub freed_rss: Option<f64>,
    pub idle_rss: Option<f64>,
}

impl Sample {
    /// Reads the lines `value NAME NUMBER`.
    pub fn parse(text: &str) -> Self {
        let value = |name: &str| {
            let words = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
            let mut found = words.filter(|words| words.len() == 3 && words[1] == name);
            found.next().and_then(|words| words[2].parse::<f64>().ok())
        };
        let timed_s = value("call_ns").zip(value("calls")).map(|(ns, calls)| ns * calls / 1e9);
        Self {
            timed_s: timed_s.unwrap_or(0.0),
            ns_per_call: value("call_ns"),
            instructions: None,
            peak_rss: value("peak_rss_bytes"),
            freed_rss: value("rss_freed_bytes"),
            idle_rss: value("rss_idle_bytes"),
        }
    }

    /// The number of calls that a run printed, if instructions can be told from it.
    pub fn counted_calls(text: &str) -> Option<f64> {
        let calls = text.lines().find_map(|line| line.strip_prefix("value calls "))?;
        calls.parse().ok().filter(|calls| *calls >= MIN_COUNTED)
    }

    pub fn of(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::Time => self.ns_per_call,
            Metric::Instructions => self.instructions,
            Metric::PeakRss => self.peak_rss,
            Metric::FreedRss => self.freed_rss,
            Metric::IdleRss => self.idle_rss,
        }
    }

    /// How many times more than `other` it needs.
    pub fn over(&self, other: &Self, metric: Metric) -> Option<f64> {
        if metric == Metric::Time && self.timed_s.max(other.timed_s) < MIN_TIMED_S {
            return None;
        }
        let (value, base) = (self.of(metric)?, other.of(metric)?);
        let base = if metric.is_memory() { base + SLACK_BYTES } else { base };
        Some(value / base)
    }
}

/// The metric in which `own` needs most of what `peer` needs, with the ratio, if the peer is worse
/// in none. `tolerance` is how much worse the peer may look in time, which one run cannot tell.
pub fn worst(own: &Sample, peer: &Sample, tolerance: f64) -> Option<(Metric, f64)> {
    let is_worse = |metric: &Metric| {
        let limit = if *metric == Metric::Time { tolerance } else { WORSE };
        peer.over(own, *metric).is_some_and(|ratio| ratio > limit)
    };
    if METRICS.iter().any(is_worse) {
        return None;
    }
    let ratios = METRICS.iter().filter_map(|metric| Some((*metric, own.over(peer, *metric)?)));
    ratios.max_by(|one, other| one.1.total_cmp(&other.1))
}

#[cfg(test)]
mod tests {
    //! Lines of the program, and comparisons.
    use super::*;

    const MIB: f64 = 1048576.0;

    fn sample(ns: f64, peak: f64, idle: f64) -> Sample {
        Sample {
            timed_s: 1.0,
            ns_per_call: Some(ns),
            peak_rss: Some(peak * MIB),
            idle_rss: Some(idle * MIB),
            ..Sample::default()
        }
    }

    #[test]
    fn values_are_read_and_short_runs_are_not_timed() {
        let text = "check 1\nvalue calls 100000\nvalue call_ns 60.5\nvalue peak_rss_bytes 4096\n";
        let read = Sample::parse(text);
        assert_eq!((read.ns_per_call, read.peak_rss), (Some(60.5), Some(4096.0)));
        assert_eq!(Sample::counted_calls(text), Some(100_000.0));
        let short = Sample::parse("value calls 100\nvalue call_ns 60\n");
        assert_eq!((short.over(&short, Metric::Time), short.idle_rss), (None, None));
        // A quick one is compared with a slow one.
        assert!(read.over(&short, Metric::Time).is_some_and(|ratio| ratio > 1.0));
        assert_eq!(Sample::counted_calls("value calls 100\n"), None);
    }

    #[test]
    fn the_largest_ratio_leads() {
        let (own, peer) = (sample(300.0, 30.0, 20.0), sample(100.0, 30.0, 4.0));
        let (metric, ratio) = worst(&own, &peer, 1.15).expect("a ratio");
        assert_eq!(metric, Metric::IdleRss);
        assert!((ratio - 4.0).abs() < 1e-9);
    }

    #[test]
    fn a_peer_that_pays_elsewhere_is_none() {
        let own = sample(300.0, 30.0, 20.0);
        assert!(worst(&own, &sample(100.0, 40.0, 4.0), 1.15).is_none());
        assert!(worst(&own, &sample(360.0, 30.0, 4.0), 1.15).is_none());
        assert!(worst(&own, &sample(340.0, 30.0, 4.0), 1.15).is_some());
    }

    #[test]
    fn a_megabyte_is_no_cliff() {
        let (own, peer) = (sample(100.0, 3.0, 2.0), sample(100.0, 3.0, 1.0));
        assert!(worst(&own, &peer, 1.15).is_some_and(|(_, ratio)| ratio <= 1.0));
    }
}
