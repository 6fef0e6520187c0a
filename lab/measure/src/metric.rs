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

/// How the values of a metric are written.
#[derive(Clone, Copy, Debug)]
enum Form {
    Seconds,
    /// The time of one operation.
    Nanoseconds,
    /// The time of a single call.
    Latency,
    /// In KiB, MiB or GiB.
    Bytes,
    /// So few that they are not KiB.
    PlainBytes,
    /// Bytes per minute, with their sign.
    Slope,
    /// A number of these.
    Count(&'static str),
    /// A multiple, in this unit.
    Ratio(&'static str),
    /// A part of a whole, in percent.
    Share,
    Cpus,
}

/// Each metric with its name, the head of its column, and the form of its values.
const TABLE: [(Metric, &str, &str, Form); Metric::Stolen as usize + 1] = {
    use Form::*;
    use Metric::*;
    [
        (Wall, "wall_s", "wall time", Seconds),
        (Cpu, "cpu_s", "CPU time", Seconds),
        (PeakRss, "peak_rss_bytes", "peak RSS", Bytes),
        (PageFaults, "page_faults", "page faults", Count("faults")),
        (RssIdle, "rss_idle_bytes", "RSS after idle", Bytes),
        (Load, "load_s", "load time", Seconds),
        (PssPeak, "pss_peak_bytes", "peak memory", Bytes),
        (PssMean, "pss_mean_bytes", "mean memory", Bytes),
        (PssEnd, "pss_end_bytes", "memory at end", Bytes),
        (PssIdle, "pss_idle_bytes", "memory after idle", Bytes),
        (PssSlope, "pss_slope_bytes_per_min", "memory growth", Slope),
        (Instructions, "instructions", "instructions", Count("instructions")),
        (Branches, "branches", "branches", Count("branches")),
        (P50, "p50_ns", "median latency", Latency),
        (P99, "p99_ns", "p99 latency", Latency),
        (P999, "p999_ns", "p99.9 latency", Latency),
        (WorstCall, "worst_ns", "worst call", Latency),
        (Call, "call_ns", "time per call", Latency),
        (Replay, "replay_s", "time in the allocator", Seconds),
        (Asked, "at_peak_asked_bytes", "asked for", Bytes),
        (Rounding, "at_peak_rounding_bytes", "rounding", Bytes),
        (InThreads, "at_peak_threads_bytes", "kept for threads", Bytes),
        (InSpans, "at_peak_spans_bytes", "free in spans", Bytes),
        (NotReturned, "at_peak_kept_bytes", "not returned", Bytes),
        (NotIts, "at_peak_others_bytes", "not the allocator's", Bytes),
        (Unsplit, "at_peak_unsplit_bytes", "not told apart", Bytes),
        (Foretold, "foretold_s", "foretold time", Seconds),
        (ForetoldPeak, "foretold_peak_bytes", "foretold peak", Bytes),
        (RssPerByte, "rss_per_byte", "RSS per byte", Ratio("bytes/byte")),
        (
            WorstInstructions,
            "worst_instructions",
            "instructions of the worst call",
            Count("instructions"),
        ),
        (Refused, "refused", "refused requests", Count("requests")),
        (Utilisation, "utilisation", "utilisation", Share),
        (Push, "push_s", "time to push", Seconds),
        (Alloc, "alloc_ns", "time to allocate", Nanoseconds),
        (Iterate, "iterate_ns", "time to iterate", Nanoseconds),
        (Destroy, "destroy_ns", "time to destroy", Nanoseconds),
        (Drop, "drop_ns", "time to drop", Nanoseconds),
        (Get, "get_ns", "time to find", Nanoseconds),
        (Churn, "churn_ns", "time to replace", Nanoseconds),
        (Allocations, "allocations", "allocations", Count("allocations")),
        (BytesPerElement, "bytes_per_element", "bytes per element", PlainBytes),
        (InstructionsGrowth, "instructions_growth", "growth of instructions", Ratio("times")),
        (TimeGrowth, "time_growth", "growth of time", Ratio("times")),
        (Others, "others_cpus", "CPUs of others", Cpus),
        (Stolen, "stolen_cpus", "stolen CPUs", Cpus),
    ]
};

// Each metric has the row that has its number.
const _: () = {
    let mut row = 0;
    while row < TABLE.len() {
        assert!(TABLE[row].0 as usize == row);
        row += 1;
    }
};

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
            let known = TABLE.map(|(metric, ..)| metric.name());
            let hint = crate::suggest::did_you_mean(&name, &known);
            format!("no metric is called '{name}'{hint}; there are {}", known.join(", "))
        })
    }
}

impl Metric {
    pub fn named(name: &str) -> Option<Self> {
        TABLE.into_iter().find(|row| row.1 == name).map(|row| row.0)
    }

    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// The head of its column.
    pub fn title(self) -> &'static str {
        TABLE[self as usize].2
    }

    fn form(self) -> Form {
        TABLE[self as usize].3
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
        match self.form() {
            Form::Seconds => "s",
            Form::Nanoseconds | Form::Latency => "ns",
            Form::Bytes | Form::PlainBytes => "bytes",
            Form::Slope => "bytes/min",
            Form::Count(unit) | Form::Ratio(unit) => unit,
            Form::Share => "share",
            Form::Cpus => "CPUs",
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
