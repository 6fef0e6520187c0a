//! What the families' contenders should reach, row by row.

use crate::metric::Metric;
use crate::row::{Row, Series};

/// One contender against another in every row that is included.
pub struct Target {
    pub own: &'static str,
    pub peer: Peer,
    pub metric: Metric,
    pub includes: fn(&Row) -> bool,
    pub bar: Bar,
    /// Also met when no further than this from `limit`: the peer is too fast for the bar.
    pub or_of_limit: Option<f64>,
    /// Only where `limit` itself takes at most this share of the peer's time.
    pub where_limit: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
pub enum Peer {
    Named(&'static str),
    /// The one with the best median of the row.
    BestOf(&'static [&'static str]),
}

impl Peer {
    pub fn of(self, row: &Row, metric: Metric) -> Option<&Series> {
        match self {
            Self::Named(name) => row.named(name),
            Self::BestOf(names) => row.best_of(names, metric),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Bar {
    /// Judged by the low end of the interval.
    AtMost(f64),
    /// The whole interval is below 1.
    Ahead,
}

pub const fn at_most(
    most: f64,
    own: &'static str,
    peer: &'static str,
    metric: Metric,
    includes: fn(&Row) -> bool,
) -> Target {
    let (peer, bar) = (Peer::Named(peer), Bar::AtMost(most));
    Target { own, peer, metric, includes, bar, or_of_limit: None, where_limit: None }
}

/// How far an arena may be from `limit`.
const OF_LIMIT: f64 = 1.15;

pub const ARENA: &[Target] = &[
    at_most(OF_LIMIT, "arena", "limit", Metric::Alloc, is_objects),
    Target {
        where_limit: Some(0.50 / OF_LIMIT),
        ..at_most(0.50, "arena", "pmr-monotonic", Metric::Alloc, is_objects)
    },
    at_most(0.40, "arena", "new-glibc", Metric::Push, is_judged_list),
    at_most(0.90, "arena", "new-glibc", Metric::Wall, is_judged_list),
    Target {
        or_of_limit: Some(OF_LIMIT),
        ..at_most(0.35, "inline_arena", "new-glibc", Metric::Wall, is_vector)
    },
];

const fn of_new(most: f64, metric: Metric, includes: fn(&Row) -> bool) -> Target {
    Target { or_of_limit: Some(1.25), ..at_most(most, "scope", "new-glibc", metric, includes) }
}

pub const SCOPE: &[Target] = &[
    of_new(0.15, Metric::Alloc, |row| row.workload == "objects-64-trivial"),
    of_new(0.01, Metric::Destroy, |row| row.workload == "objects-64-trivial"),
    of_new(0.26, Metric::Alloc, |row| row.workload == "objects-64-dtor"),
    of_new(0.13, Metric::Destroy, |row| row.workload == "objects-64-dtor"),
];

pub const POOL_RESOURCE: &[Target] = &[
    at_most(0.60, "pool", "pmr-unsync-pool", Metric::Wall, |_| true),
    at_most(0.30, "synchronized_pool", "pmr-sync-pool", Metric::Wall, |row| has_threads(row, 10)),
];

pub const ALLOCATOR: &[Target] = &[
    // libstdc++ relocates at once with std::allocator alone, and one by one with others, that of
    // `limit` among them.
    Target {
        or_of_limit: Some(1.05),
        ..at_most(1.00, "allocator", "new-glibc", Metric::Wall, |_| true)
    },
    // Where malloc takes more than a twentieth of the time.
    Target {
        bar: Bar::Ahead,
        where_limit: Some(0.95),
        ..at_most(1.00, "allocator", "new-glibc", Metric::Wall, |_| true)
    },
    at_most(1.30, "heap", "global_heap", Metric::Wall, |_| true),
    at_most(0.05, "heap", "global_heap", Metric::Destroy, |_| true),
];

fn is_objects(row: &Row) -> bool {
    row.workload.starts_with("objects-")
}

fn is_vector(row: &Row) -> bool {
    row.workload == "vector-uint8"
}

fn is_judged_list(row: &Row) -> bool {
    row.workload == "list-int16" && (has_threads(row, 1) || has_threads(row, 10))
}

fn has_threads(row: &Row, threads: u32) -> bool {
    row.params.get("threads") == Some(&threads.into())
}
