//! How a family stands against its targets.

use std::io::{self, Write};

use anyhow::Result;

use super::targets::{Bar, Target};
use crate::bench::standing::{Standing, show, verdict};
use crate::metric::Metric;
use crate::row::Row;
use crate::stats::Estimate;

const LIMIT: &str = "limit";

pub fn print(rows: &[Row], targets: &[Target]) -> Result<()> {
    let mut out = io::stdout().lock();
    for target in targets {
        for row in rows.iter().filter(|row| (target.includes)(row)) {
            if let Some(line) = target.judge(row) {
                writeln!(out, "{line}")?;
            }
        }
    }
    Ok(())
}

impl Target {
    /// The verdict of one row; none where the target says nothing or someone did not take part.
    fn judge(&self, row: &Row) -> Option<String> {
        let peer = self.peer.of(row, self.metric)?.name();
        let Standing { estimate, .. } = self.standing(row, self.own, peer)?;
        let (own, title) = (self.own, self.metric.title());
        let head = format!("{}, {title}, {own} against {peer}: {}", row.label(), show(&estimate));
        let limit = self.where_limit.or(self.or_of_limit).is_some();
        let of_limit = limit.then(|| self.limit_share(row, peer)).flatten();
        if let (Some(share), Some(most)) = (of_limit, self.where_limit) {
            if share > most {
                return Some(format!("{head}, no target: {LIMIT} takes {share:.2} of {peer}"));
            }
        }
        if self.is_met(&estimate) {
            return Some(format!("{head}, {}", self.bar.verdict(&estimate)));
        }
        let against_limit = self.or_of_limit.and_then(|most| {
            let Standing { estimate, .. } = self.standing(row, self.own, LIMIT)?;
            let judged = verdict(estimate.low, most);
            Some(format!("; against {LIMIT} {}, {judged}", show(&estimate)))
        });
        let further = against_limit.unwrap_or_default();
        Some(format!("{head}, {}{further}", self.bar.verdict(&estimate)))
    }

    fn standing<'a>(&self, row: &'a Row, own: &str, peer: &str) -> Option<Standing<'a>> {
        Standing::of(row, row.named(own)?, row.named(peer)?, self.metric)
    }

    fn limit_share(&self, row: &Row, peer: &str) -> Option<f64> {
        let median = |name: &str, metric: Metric| row.named(name)?.median(metric);
        Some(median(LIMIT, self.metric)? / median(peer, self.metric)?)
    }

    fn is_met(&self, estimate: &Estimate) -> bool {
        match self.bar {
            Bar::AtMost(most) => estimate.low <= most,
            Bar::Ahead => estimate.high < 1.0,
        }
    }
}

impl Bar {
    fn verdict(self, estimate: &Estimate) -> String {
        match self {
            Self::AtMost(most) => verdict(estimate.low, most),
            Self::Ahead if estimate.high < 1.0 => "target ahead met".to_string(),
            Self::Ahead => "target ahead missed".to_string(),
        }
    }
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
