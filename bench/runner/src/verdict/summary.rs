//! The largest values, and the rows where another contender is better in everything.

use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::stats::Estimate;
use heapsmith_measure::verdict::Reached;

use super::line::{Line, words};
use crate::manifest::{Dominated, Largest, Manifest, Role};

/// A line; none where nothing of it was measured.
pub fn largest(largest: &Largest, rows: &[Row]) -> Option<Line> {
    let Largest { what, own, metric, at_most, .. } = largest;
    let included = largest.rows.of(rows);
    let all = || included.iter().flat_map(|row| &row.series);
    if own.0.is_empty() {
        let mut each: Vec<(&str, f64)> = Vec::new();
        for (name, value) in all().filter_map(|one| Some((one.name(), one.median(*metric)?))) {
            match each.iter_mut().find(|(known, _)| *known == name) {
                Some((_, most)) => *most = most.max(value),
                None => each.push((name, value)),
            }
        }
        let shown = each.iter().map(|(name, most)| format!("{name} {}", metric.show(*most)));
        let shown = shown.collect::<Vec<_>>().join(", ");
        let line = || Line::about(format!("{what}, {}: {shown}", metric.title()));
        return (!each.is_empty()).then(line);
    }
    let is_own = |series: &&Series| own.0.iter().any(|name| name == series.name());
    let values = all().filter(is_own).filter_map(|series| series.median(*metric));
    let most = values.max_by(f64::total_cmp)?;
    let is_memory = metric.unit() == "bytes";
    let shown = |value: f64, plain: String| if is_memory { metric.show(value) } else { plain };
    let largest = shown(most, format!("{most:.1}"));
    let head = format!("{}, {what}: at most {largest} {}", own.0.join(" and "), metric.title());
    let Some(bar) = at_most else { return Some(Line::about(head)) };
    let reached = Reached::of_exact(most <= *bar);
    let exact = Estimate { n: 1, median: most, low: most, high: most };
    let bar_shown = shown(*bar, bar.to_string());
    let text = format!("{head}, target ≤ {bar_shown} {}", words(reached, &exact, *bar));
    Some(Line::judged(text, reached, Vec::new))
}

/// A line for each row and other contender that is better in all the metrics.
pub fn dominated(dominated: &Dominated, manifest: &Manifest, rows: &[Row]) -> Vec<String> {
    let Dominated { what, own, metrics, .. } = dominated;
    let others = dominated.others(&manifest.names_with(Role::Peer));
    let mut lines = Vec::new();
    let mut is_compared = false;
    for row in rows {
        let Some(own) = row.named(own) else {
            continue;
        };
        for other in row.series.iter().filter(|one| others.iter().any(|name| name == one.name())) {
            let estimates: Option<Vec<Estimate>> =
                metrics.iter().map(|metric| own.against(other, *metric)).collect();
            let Some(estimates) = estimates else { continue };
            is_compared = true;
            let is_worse = |estimate: &Estimate| estimate.low > 1.0;
            if estimates.iter().all(is_worse) {
                let each = metrics.iter().zip(&estimates);
                let each = each.map(|(metric, estimate)| format!("{} {estimate}", metric.title()));
                let each = each.collect::<Vec<_>>().join(", ");
                lines.push(format!("{what} {}: {}, {each}", other.name(), row.label()));
            }
        }
    }
    if lines.is_empty() && is_compared {
        lines.push(format!("rows where {own} is {what} one and the same peer: none"));
    }
    lines
}
