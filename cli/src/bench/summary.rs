//! How heapsmith stands against its peers over all rows: the verdict of the heap suite.

use std::io::{self, Write};

use anyhow::Result;

use super::standing::{Standing, mean_of, show, verdict, worst};
use crate::contender::HEAPSMITH;
use crate::metric::Metric;
use crate::row::{Row, Series};
use crate::stats::Estimate;

pub const PEERS: [&str; 5] =
    ["glibc", "jemalloc-debian", "mimalloc-debian", "gperftools", "tbbmalloc"];

struct Target {
    metric: Metric,
    /// What the best peer is called in this metric.
    best: &'static str,
    mean: f64,
    worst: Option<f64>,
}

const TARGETS: [Target; 2] = [
    Target { metric: Metric::Wall, best: "the fastest peer", mean: 1.05, worst: Some(1.25) },
    Target { metric: Metric::PeakRss, best: "the leanest peer", mean: 1.20, worst: None },
];

pub fn print(rows: &[Row]) -> Result<()> {
    let mut out = io::stdout().lock();
    for target in &TARGETS {
        let standings: Vec<_> =
            rows.iter().filter_map(|row| standing(row, target.metric)).collect();
        let Some(mean) = mean_of(&standings) else {
            continue;
        };
        let title = target.metric.title();
        writeln!(
            out,
            "{title} of heapsmith against {} of each row: geometric mean {} over {} rows, {}",
            target.best,
            show(&mean),
            standings.len(),
            verdict(mean.low, target.mean)
        )?;
        if let Some(Standing { row, peer, estimate, .. }) = worst(&standings) {
            let judged = target.worst.map(|limit| format!(", {}", verdict(estimate.low, limit)));
            writeln!(
                out,
                "  worst row: {} {} against {peer}{}",
                row.label(),
                show(estimate),
                judged.unwrap_or_default()
            )?;
        }
    }
    print_dominated(&mut out, rows)
}

/// heapsmith against the best peer of one row.
fn standing(row: &Row, metric: Metric) -> Option<Standing<'_>> {
    Standing::of(row, row.named(HEAPSMITH)?, row.best_of(&PEERS, metric)?, metric)
}

/// The peers that are both faster and leaner than heapsmith in one and the same row.
fn print_dominated(out: &mut dyn Write, rows: &[Row]) -> Result<()> {
    let mut found = 0;
    let mut compared = false;
    for row in rows {
        let Some(own) = row.named(HEAPSMITH) else {
            continue;
        };
        for peer in row.series.iter().filter(|series| PEERS.contains(&series.name())) {
            compared |= own.against(peer, Metric::Wall).is_some();
            if let Some((time, memory)) = dominated(own, peer) {
                let (label, name) = (row.label(), peer.name());
                let (time, memory) = (show(&time), show(&memory));
                writeln!(out, "slower and larger than {name}: {label}, time {time}, RSS {memory}")?;
                found += 1;
            }
        }
    }
    if found == 0 && compared {
        writeln!(
            out,
            "rows where heapsmith is slower and larger than one and the same peer: none"
        )?;
    }
    Ok(())
}

fn dominated(own: &Series, peer: &Series) -> Option<(Estimate, Estimate)> {
    let time = own.against(peer, Metric::Wall)?;
    let memory = own.against(peer, Metric::PeakRss)?;
    (time.low > 1.0 && memory.low > 1.0).then_some((time, memory))
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
