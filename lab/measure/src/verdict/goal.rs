//! What users choose an allocator for, and the metric that answers each goal.

use serde::{Deserialize, Serialize};

use crate::metric::Metric;
use crate::row::Row;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    Fastest,
    LeastProcessorTime,
    Steadiest,
    SmallestAtPeak,
    SmallestOnAverage,
    GivesBack,
}

impl Goal {
    pub const ALL: [Self; 6] = [
        Self::Fastest,
        Self::LeastProcessorTime,
        Self::Steadiest,
        Self::SmallestAtPeak,
        Self::SmallestOnAverage,
        Self::GivesBack,
    ];

    /// The metrics that can answer it, the best first.
    fn metrics(self) -> &'static [&'static str] {
        match self {
            Self::Fastest | Self::Steadiest => &["load_s", "wall_s"],
            Self::LeastProcessorTime => &["cpu_s"],
            Self::SmallestAtPeak => &["pss_peak_bytes", "peak_rss_bytes"],
            Self::SmallestOnAverage => &["pss_mean_bytes"],
            Self::GivesBack => &["pss_idle_bytes", "pss_end_bytes"],
        }
    }

    /// The metric that answers it in `row`: the best one with as many rounds as an interval needs,
    /// or else the best one that was measured.
    pub fn metric_in(self, row: &Row, baseline: &str, needed: usize) -> Option<Metric> {
        let base = row.named(baseline)?;
        let rounds = |metric: &Metric| base.by_round(*metric).iter().flatten().count();
        let known = self.metrics().iter().filter_map(|name| Metric::named(name));
        let measured: Vec<Metric> = known.filter(|metric| rounds(metric) > 0).collect();
        let enough = measured.iter().find(|metric| rounds(metric) >= needed);
        enough.or(measured.first()).copied()
    }

    /// Whether a gain in it is a reason to switch. How steady whole runs are says little about the
    /// delays inside a run. Processor time hardly scatters on a busy machine, so it shows differences
    /// that wall time hides there; but a program with threads may take more of it and end earlier.
    pub fn decides(self) -> bool {
        !matches!(self, Self::Steadiest | Self::LeastProcessorTime)
    }

    /// "faster", for a contender with less of the goal's metric.
    pub fn better(self) -> &'static str {
        match self {
            Self::Fastest => "faster",
            Self::LeastProcessorTime => "lighter on the processor",
            Self::Steadiest => "steadier",
            Self::SmallestAtPeak => "smaller at its peak",
            Self::SmallestOnAverage => "smaller on average",
            Self::GivesBack => "smaller in the end",
        }
    }

    pub fn worse(self) -> &'static str {
        match self {
            Self::Fastest => "slower",
            Self::LeastProcessorTime => "heavier on the processor",
            Self::Steadiest => "less steady",
            Self::SmallestAtPeak => "larger at its peak",
            Self::SmallestOnAverage => "larger on average",
            Self::GivesBack => "larger in the end",
        }
    }

    /// The quantity of which a contender takes more or less.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Fastest => "time",
            Self::LeastProcessorTime => "processor time",
            Self::Steadiest => "scatter of time",
            Self::SmallestAtPeak => "peak memory",
            Self::SmallestOnAverage => "memory on average",
            Self::GivesBack => "memory in the end",
        }
    }
}
