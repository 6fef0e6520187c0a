//! How far a contender's cost grows along a parameter, against that of its best peers.

use heapsmith_measure::row::Row;
use heapsmith_measure::stats::Estimate;
use heapsmith_measure::verdict::Reached;

use super::line::{Line, words};
use super::standing::{Standing, show};
use crate::manifest::{Growth, Manifest, Role};

/// A line; none where fewer than two rows were measured.
pub fn judge<'a>(growth: &Growth, manifest: &Manifest, rows: &'a [Row]) -> Option<Line> {
    let Growth { own, metric, along, at_most, .. } = growth;
    let others = growth.others(&manifest.names_with(Role::Peer));
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let standing = |row: &'a Row| {
        let at = row.params.get(along)?.as_u64()?;
        Some((at, Standing::of_best(row, row.named(own)?, &others, *metric)?))
    };
    let standings = growth.rows.of(rows).into_iter().filter_map(standing);
    let mut standings: Vec<(u64, Standing)> = standings.collect();
    standings.sort_by_key(|(at, _)| *at);
    let [(from, first), .., (to, last)] = standings.as_slice() else { return None };
    let workload = &last.row.workload;
    let (first, last) = (&first.estimate, &last.estimate);
    let grown = Estimate {
        n: first.n.min(last.n),
        median: last.median / first.median,
        low: last.low / first.high,
        high: last.high / first.low,
    };
    let head = format!(
        "{workload}, {} of {own} against the best peer: {} at {along} {from}, {} at {along} {to}, \
         growth {}",
        metric.title(),
        show(first),
        show(last),
        show(&grown)
    );
    let Some(bar) = at_most else { return Some(Line::about(head)) };
    let reached = Reached::by_median(&grown, *bar, |median| median <= *bar);
    let text = format!("{head}, target ≤ {bar:.2} {}", words(reached, &grown, *bar));
    Some(Line::judged(text, reached, Vec::new))
}
