//! The measured quantities, with the names that results use.

use serde::{Deserialize, Serialize};

use crate::launch::Costs;

mod show;

pub use show::show_bytes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Metric {
    Wall,
    Cpu,
    PeakRss,
    PageFaults,
    /// The resident set two seconds after the last free.
    RssIdle,
    /// The time of the command that loads a server.
    Load,
    /// The memory of the process tree as [`crate::memory::Memory`] describes it.
    PssPeak,
    PssMean,
    PssEnd,
    PssIdle,
    PssSlope,
    Instructions,
    /// Conditional ones.
    Branches,
    /// One call in two, in a hundred, in a thousand takes longer than this.
    P50,
    P99,
    P999,
    /// The longest call: of each call, the shortest time in several identical runs.
    WorstCall,
    /// The processor time of one call, on average.
    Call,
    /// The processor time of a replay's calls, without that of the replay itself.
    Replay,
    /// The parts of the memory at the peak of a replay: what was asked for, what rounding adds, what
    /// is kept for threads, free in spans, not returned to the kernel, and not the allocator's.
    Asked,
    Rounding,
    InThreads,
    InSpans,
    NotReturned,
    NotIts,
    /// All parts but the first, of an allocator that does not tell them apart.
    Unsplit,
    /// Real runs as a replay foretells them.
    Foretold,
    ForetoldPeak,
    /// The resident bytes that blocks take, for each byte that was asked for.
    RssPerByte,
    /// The instructions of the longest single call that was counted.
    WorstInstructions,
    /// Requests that a contender had no memory for.
    Refused,
    /// The share of a buffer that is in use when the first request is refused.
    Utilisation,
    /// The part of the wall time in which a container is filled.
    Push,
    /// The time to make, to visit and to end one object.
    Alloc,
    Iterate,
    Destroy,
    /// The same as Destroy, as Rust calls it.
    Drop,
    /// The nanoseconds in which one object is found by its handle, or replaced.
    Get,
    Churn,
    /// The calls of operator new that a full container has made.
    Allocations,
    /// The bytes that its live blocks can hold, per element.
    BytesPerElement,
    /// The instructions of a call among many elements, as a multiple of those among few.
    InstructionsGrowth,
    /// The same of the time of a call.
    TimeGrowth,
    /// The CPUs that other processes used while the row was measured.
    Others,
    /// The CPUs that other machines took from this one meanwhile.
    Stolen,
}

const ALL: [Metric; 45] = [
    Metric::Wall,
    Metric::Cpu,
    Metric::PeakRss,
    Metric::PageFaults,
    Metric::RssIdle,
    Metric::Load,
    Metric::PssPeak,
    Metric::PssMean,
    Metric::PssEnd,
    Metric::PssIdle,
    Metric::PssSlope,
    Metric::Instructions,
    Metric::Branches,
    Metric::P50,
    Metric::P99,
    Metric::P999,
    Metric::WorstCall,
    Metric::Call,
    Metric::Replay,
    Metric::Asked,
    Metric::Rounding,
    Metric::InThreads,
    Metric::InSpans,
    Metric::NotReturned,
    Metric::NotIts,
    Metric::Unsplit,
    Metric::Foretold,
    Metric::ForetoldPeak,
    Metric::RssPerByte,
    Metric::WorstInstructions,
    Metric::Refused,
    Metric::Utilisation,
    Metric::Push,
    Metric::Alloc,
    Metric::Iterate,
    Metric::Destroy,
    Metric::Drop,
    Metric::Get,
    Metric::Churn,
    Metric::Allocations,
    Metric::BytesPerElement,
    Metric::InstructionsGrowth,
    Metric::TimeGrowth,
    Metric::Others,
    Metric::Stolen,
];

/// The metrics of one run of a process.
pub const OF_A_RUN: [Metric; 4] = [Metric::Wall, Metric::Cpu, Metric::PeakRss, Metric::PageFaults];

/// The metrics of one run of a server.
pub const OF_A_SERVER: [Metric; 4] =
    [Metric::Load, Metric::Cpu, Metric::PeakRss, Metric::PageFaults];

/// The metrics of a run whose memory is sampled.
pub const OF_MEMORY: [Metric; 5] =
    [Metric::PssPeak, Metric::PssMean, Metric::PssEnd, Metric::PssIdle, Metric::PssSlope];

impl From<Metric> for String {
    fn from(metric: Metric) -> Self {
        metric.name().to_string()
    }
}

impl TryFrom<String> for Metric {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Self::named(&name).ok_or_else(|| {
            let known = ALL.map(Self::name);
            let hint = crate::suggest::did_you_mean(&name, &known);
            format!("no metric is called '{name}'{hint}; there are {}", known.join(", "))
        })
    }
}

impl Metric {
    pub fn named(name: &str) -> Option<Self> {
        ALL.into_iter().find(|metric| metric.name() == name)
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall_s",
            Self::Cpu => "cpu_s",
            Self::PeakRss => "peak_rss_bytes",
            Self::PageFaults => "page_faults",
            Self::RssIdle => "rss_idle_bytes",
            Self::Load => "load_s",
            Self::PssPeak => "pss_peak_bytes",
            Self::PssMean => "pss_mean_bytes",
            Self::PssEnd => "pss_end_bytes",
            Self::PssIdle => "pss_idle_bytes",
            Self::PssSlope => "pss_slope_bytes_per_min",
            Self::Instructions => "instructions",
            Self::Branches => "branches",
            Self::P50 => "p50_ns",
            Self::P99 => "p99_ns",
            Self::P999 => "p999_ns",
            Self::WorstCall => "worst_ns",
            Self::Call => "call_ns",
            Self::Replay => "replay_s",
            Self::Asked => "at_peak_asked_bytes",
            Self::Rounding => "at_peak_rounding_bytes",
            Self::InThreads => "at_peak_threads_bytes",
            Self::InSpans => "at_peak_spans_bytes",
            Self::NotReturned => "at_peak_kept_bytes",
            Self::NotIts => "at_peak_others_bytes",
            Self::Unsplit => "at_peak_unsplit_bytes",
            Self::Foretold => "foretold_s",
            Self::ForetoldPeak => "foretold_peak_bytes",
            Self::RssPerByte => "rss_per_byte",
            Self::WorstInstructions => "worst_instructions",
            Self::Refused => "refused",
            Self::Utilisation => "utilisation",
            Self::Push => "push_s",
            Self::Alloc => "alloc_ns",
            Self::Iterate => "iterate_ns",
            Self::Destroy => "destroy_ns",
            Self::Drop => "drop_ns",
            Self::Get => "get_ns",
            Self::Churn => "churn_ns",
            Self::Allocations => "allocations",
            Self::BytesPerElement => "bytes_per_element",
            Self::InstructionsGrowth => "instructions_growth",
            Self::TimeGrowth => "time_growth",
            Self::Others => "others_cpus",
            Self::Stolen => "stolen_cpus",
        }
    }

    /// The head of its column.
    pub fn title(self) -> &'static str {
        match self {
            Self::Wall => "wall time",
            Self::Cpu => "CPU time",
            Self::PeakRss => "peak RSS",
            Self::PageFaults => "page faults",
            Self::RssIdle => "RSS after idle",
            Self::Load => "load time",
            Self::PssPeak => "peak memory",
            Self::PssMean => "mean memory",
            Self::PssEnd => "memory at end",
            Self::PssIdle => "memory after idle",
            Self::PssSlope => "memory growth",
            Self::Instructions => "instructions",
            Self::Branches => "branches",
            Self::P50 => "median latency",
            Self::P99 => "p99 latency",
            Self::P999 => "p99.9 latency",
            Self::WorstCall => "worst call",
            Self::Call => "time per call",
            Self::Replay => "time in the allocator",
            Self::Asked => "asked for",
            Self::Rounding => "rounding",
            Self::InThreads => "kept for threads",
            Self::InSpans => "free in spans",
            Self::NotReturned => "not returned",
            Self::NotIts => "not the allocator's",
            Self::Unsplit => "not told apart",
            Self::Foretold => "foretold time",
            Self::ForetoldPeak => "foretold peak",
            Self::RssPerByte => "RSS per byte",
            Self::WorstInstructions => "instructions of the worst call",
            Self::Refused => "refused requests",
            Self::Utilisation => "utilisation",
            Self::Push => "time to push",
            Self::Alloc => "time to allocate",
            Self::Iterate => "time to iterate",
            Self::Destroy => "time to destroy",
            Self::Drop => "time to drop",
            Self::Get => "time to find",
            Self::Churn => "time to replace",
            Self::Allocations => "allocations",
            Self::BytesPerElement => "bytes per element",
            Self::InstructionsGrowth => "growth of instructions",
            Self::TimeGrowth => "growth of time",
            Self::Others => "CPUs of others",
            Self::Stolen => "stolen CPUs",
        }
    }

    pub fn higher_is_better(self) -> bool {
        self == Self::Utilisation
    }

    /// Whether a value may be zero or negative, so that ratios of two values say nothing.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::PssSlope | Self::Others | Self::Stolen)
    }

    /// Whether every run gives the same value, so that one value is its own interval.
    pub fn is_exact(self) -> bool {
        matches!(
            self,
            Self::Instructions
                | Self::Branches
                | Self::Utilisation
                | Self::Allocations
                | Self::BytesPerElement
                | Self::InstructionsGrowth
        )
    }

    pub fn unit(self) -> &'static str {
        match self {
            Self::Wall | Self::Load | Self::Cpu | Self::Push | Self::Replay => "s",
            Self::Foretold => "s",
            Self::Asked | Self::Rounding | Self::InThreads | Self::InSpans => "bytes",
            Self::NotReturned | Self::NotIts | Self::Unsplit | Self::ForetoldPeak => "bytes",
            Self::PeakRss | Self::RssIdle | Self::BytesPerElement => "bytes",
            Self::PssPeak | Self::PssMean | Self::PssEnd | Self::PssIdle => "bytes",
            Self::PssSlope => "bytes/min",
            Self::Allocations => "allocations",
            Self::PageFaults => "faults",
            Self::Instructions | Self::WorstInstructions => "instructions",
            Self::Branches => "branches",
            Self::P50 | Self::P99 | Self::P999 | Self::WorstCall | Self::Call => "ns",
            Self::Alloc | Self::Iterate | Self::Destroy | Self::Drop | Self::Get | Self::Churn => {
                "ns"
            }
            Self::RssPerByte => "bytes/byte",
            Self::Refused => "requests",
            Self::Utilisation => "share",
            Self::InstructionsGrowth | Self::TimeGrowth => "times",
            Self::Others | Self::Stolen => "CPUs",
        }
    }

    pub fn of(self, costs: &Costs) -> Option<f64> {
        match self {
            // A server's own time includes its start, its stop and pauses.
            Self::Wall => costs.load_s.is_none().then_some(costs.wall_s),
            Self::Load => costs.load_s,
            Self::Cpu => Some(costs.cpu_s),
            Self::PeakRss => Some(costs.peak_rss_bytes),
            Self::PageFaults => Some(costs.page_faults),
            _ => None,
        }
    }
}
