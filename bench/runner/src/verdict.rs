//! How the region stands against its targets: the verdict of the region suite.

use std::io::{self, Write};

use anyhow::Result;

use super::BASELINE;
use crate::bench::standing::{Standing, mean_of, show, verdict, worst};
use crate::metric::Metric;
use crate::row::{Row, Series};
use crate::stats;

const REGION: &str = "region";
const SYNCHRONIZED: &str = "synchronized_region";
const CONCURRENT: &str = "concurrent_region";
/// Those that also serve any size from one buffer and reuse all of it.
const FITTING_PEERS: [&str; 3] = ["boost-rbtree", "rlsf", "talc"];
/// How many points of utilisation the region may lose in one row.
const POINTS_LOST: f64 = 0.01;

/// What the container workloads of one kind should take, against glibc.
struct ContainerTarget {
    what: &'static str,
    includes: fn(&str) -> bool,
    mean: f64,
    worst: Option<f64>,
}

const CONTAINER_TARGETS: [ContainerTarget; 5] = [
    ContainerTarget {
        what: "containers that allocate",
        includes: |name| is_container(name) && !name.ends_with("-find"),
        mean: 0.80,
        worst: Some(1.00),
    },
    ContainerTarget {
        what: "list",
        includes: |name| name.starts_with("list-"),
        mean: 0.70,
        worst: None,
    },
    ContainerTarget {
        what: "map erase",
        includes: |name| name == "map-erase",
        mean: 0.90,
        worst: None,
    },
    ContainerTarget {
        what: "find",
        includes: |name| name.ends_with("-find"),
        mean: 1.00,
        worst: Some(1.00),
    },
    ContainerTarget {
        what: "vector",
        includes: |name| name == "vector-push",
        mean: 1.00,
        worst: Some(1.00),
    },
];

fn is_container(workload: &str) -> bool {
    !workload.starts_with("random-") && !workload.starts_with("fill-")
}

fn is_mix(row: &Row, threads: u64) -> bool {
    row.workload.starts_with("random-") && row.params.get("threads") == Some(&threads.into())
}

pub fn print(rows: &[Row], peers: &[&str]) -> Result<()> {
    let mut out = io::stdout().lock();
    print_containers(&mut out, rows)?;
    print_mixes(&mut out, rows, peers)?;
    print_utilisation(&mut out, rows, peers)?;
    print_threads(&mut out, rows)
}

fn print_containers(out: &mut dyn Write, rows: &[Row]) -> Result<()> {
    for ContainerTarget { what, includes, mean, worst: limit } in &CONTAINER_TARGETS {
        let included = rows.iter().filter(|row| includes(&row.workload));
        let standings: Vec<_> =
            included.filter_map(|row| against(row, BASELINE, Metric::Wall)).collect();
        let Some(of_all) = mean_of(&standings) else {
            continue;
        };
        let (shown, judged) = (show(&of_all), verdict(of_all.low, *mean));
        writeln!(out, "{what}, region against {BASELINE}: geometric mean {shown}, {judged}")?;
        print_worst(out, &standings, *limit)?;
    }
    Ok(())
}

/// The region against one peer in one row.
fn against<'a>(row: &'a Row, peer: &str, metric: Metric) -> Option<Standing<'a>> {
    Standing::of(row, row.named(REGION)?, row.named(peer)?, metric)
}

fn print_worst(out: &mut dyn Write, standings: &[Standing], limit: Option<f64>) -> Result<()> {
    if let Some(Standing { row, peer, estimate, .. }) = worst(standings) {
        let judged = limit.map(|limit| format!(", {}", verdict(estimate.low, limit)));
        let (label, shown) = (row.label(), show(estimate));
        let judged = judged.unwrap_or_default();
        writeln!(out, "  worst row: {label} {shown} against {peer}{judged}")?;
    }
    Ok(())
}

fn print_mixes(out: &mut dyn Write, rows: &[Row], peers: &[&str]) -> Result<()> {
    let mixes: Vec<&Row> = rows.iter().filter(|row| is_mix(row, 1)).collect();
    for (metric, mean, limit) in [(Metric::Wall, 0.90, None), (Metric::P999, 1.10, Some(1.10))] {
        let title = metric.title();
        let standings: Vec<_> =
            mixes.iter().filter_map(|row| best_standing(row, peers, metric)).collect();
        if let Some(of_all) = mean_of(&standings) {
            let (shown, judged) = (show(&of_all), verdict(of_all.low, mean));
            writeln!(
                out,
                "random mixes, {title} of region against the best peer that refuses no more: \
                 geometric mean {shown}, {judged}"
            )?;
            print_worst(out, &standings, limit)?;
        }
        for peer in peers {
            let each = mixes.iter().filter_map(|row| against(row, peer, metric));
            if let Some(of_all) = mean_of(&each.collect::<Vec<_>>()) {
                let fewer = refusing_more(&mixes, peer);
                writeln!(out, "  against {peer}: {}{fewer}", show(&of_all))?;
            }
        }
    }
    print_worst_calls(out, &mixes)
}

/// The region against the peer with the best median among those that served as many requests.
fn best_standing<'a>(row: &'a Row, peers: &[&str], metric: Metric) -> Option<Standing<'a>> {
    let own = row.named(REGION)?;
    let refused = |series: &Series| series.median(Metric::Refused).unwrap_or(0.0);
    let serves = |name: &&str| row.named(name).is_some_and(|peer| refused(peer) <= refused(own));
    let serving: Vec<&str> = peers.iter().copied().filter(serves).collect();
    Standing::of(row, own, row.best_of(&serving, metric)?, metric)
}

/// In how many of the mixes the peer refuses more requests: there it does less work.
fn refusing_more(mixes: &[&Row], peer: &str) -> String {
    let refused = |row: &Row, name: &str| row.named(name)?.median(Metric::Refused);
    let more = |row: &&&Row| refused(row, peer) > refused(row, REGION);
    match mixes.iter().filter(more).count() {
        0 => String::new(),
        count => format!("; it refuses more requests in {count} of {} rows", mixes.len()),
    }
}

/// The longest call of every contender over all mixes.
fn print_worst_calls(out: &mut dyn Write, mixes: &[&Row]) -> Result<()> {
    let metric = Metric::WorstInstructions;
    let mut longest: Vec<(&str, f64)> = Vec::new();
    for series in mixes.iter().flat_map(|row| &row.series) {
        let Some(count) = series.median(metric) else {
            continue;
        };
        match longest.iter_mut().find(|(name, _)| *name == series.name()) {
            Some((_, most)) => *most = most.max(count),
            None => longest.push((series.name(), count)),
        }
    }
    if !longest.is_empty() {
        let each = longest.iter().map(|(name, most)| format!("{name} {}", metric.show(*most)));
        let all = each.collect::<Vec<_>>().join(", ");
        writeln!(out, "random mixes, {}: {all}", metric.title())?;
    }
    Ok(())
}

fn print_utilisation(out: &mut dyn Write, rows: &[Row], peers: &[&str]) -> Result<()> {
    let metric = Metric::Utilisation;
    for peer in peers {
        let pair = |row: &Row| {
            let median = |name: &str| row.named(name)?.median(metric);
            Some((row.label(), median(REGION)?, median(peer)?))
        };
        let pairs: Vec<_> = rows.iter().filter_map(pair).collect();
        let ratios: Vec<f64> = pairs.iter().map(|(_, own, other)| own / other).collect();
        let least =
            pairs.iter().min_by(|left, right| (left.1 - left.2).total_cmp(&(right.1 - right.2)));
        let (Some(mean), Some((label, own, other))) = (stats::geometric_mean(&ratios), least)
        else {
            continue;
        };
        let points = 100.0 * (own - other);
        write!(out, "utilisation, region against {peer}: geometric mean ×{mean:.4}")?;
        write!(out, ", least {points:+.2} points in {label}")?;
        if FITTING_PEERS.contains(peer) {
            let met = mean >= 1.0 && own - other >= -POINTS_LOST;
            write!(
                out,
                ", target ≥ 1, none worse by over one point {}",
                if met { "met" } else { "missed" }
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_threads(out: &mut dyn Write, rows: &[Row]) -> Result<()> {
    for threads in [1, 2, 5, 10] {
        for peer in [SYNCHRONIZED, BASELINE] {
            let mixes = rows.iter().filter(|row| is_mix(row, threads));
            let standing = |row| {
                let row: &Row = row;
                Standing::of(row, row.named(CONCURRENT)?, row.named(peer)?, Metric::Wall)
            };
            if let Some(mean) = mean_of(&mixes.filter_map(standing).collect::<Vec<_>>()) {
                let shown = show(&mean);
                writeln!(
                    out,
                    "random mixes ×{threads}, {CONCURRENT} against {peer}: geometric mean {shown}"
                )?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
