//! A target's verdicts: on each row, or on the geometric mean of its rows.

use heapsmith_measure::metric::Metric;
use heapsmith_measure::progress::counted;
use heapsmith_measure::row::{Row, Series, label};
use heapsmith_measure::stats::Estimate;
use serde_json::{Map, Value};

use super::standing::{Standing, mean_of, show, worst};
use super::word;
use crate::manifest::{Manifest, Role, Target};

/// The lines of a target; none where the contenders it is about were not measured.
pub fn judge(target: &Target, manifest: &Manifest, rows: &[Row]) -> Vec<String> {
    let judged = Judged { target, rows, limit: manifest.limit() };
    let included = target.rows.of(rows);
    let comparisons = target.comparisons(&manifest.names_with(Role::Peer));
    if target.mean {
        let groups = judged.groups(&included);
        let lines = groups.iter().flat_map(|(what, rows)| {
            comparisons.iter().flat_map(|one| judged.mean(what, one, rows)).collect::<Vec<_>>()
        });
        return lines.collect();
    }
    let of_rows = |one| included.iter().filter_map(|row| judged.row(one, row)).collect::<Vec<_>>();
    comparisons.iter().flat_map(of_rows).collect()
}

/// An own contender, and those of which the best counts.
type Comparison = (String, Vec<String>);

struct Judged<'a> {
    target: &'a Target,
    rows: &'a [Row],
    limit: Option<&'a str>,
}

impl<'a> Judged<'a> {
    fn row(&self, (own, others): &Comparison, row: &'a Row) -> Option<String> {
        let Target { metric, where_limit, or_of_limit, .. } = self.target;
        let standing = self.standing(row, own, others)?;
        let (estimate, other) = (&standing.estimate, standing.other);
        let against = self.target.of_workload.as_deref().unwrap_or(other.name());
        let (label, title) = (row.label(), metric.title());
        let head = format!("{label}, {title}, {own} against {against}: {}", show(estimate));
        let share = self.limit_share(row, other);
        if let (Some(limit), Some(share), Some(most)) = (self.limit, share, where_limit) {
            if share > *most {
                return Some(format!("{head}, no target: {limit} takes {share:.2} of {against}"));
            }
        }
        let judged = self.verdict(estimate);
        if self.is_met(estimate) {
            return Some(format!("{head}, {judged}"));
        }
        let of_limit = or_of_limit.and_then(|most| {
            let (limit, named) = (self.limit?, row.named(self.limit?)?);
            let estimate = Standing::of(row, standing.own, named, *metric)?.estimate;
            let verdict = at_most(most, &estimate);
            Some(format!("; against {limit} {}, {verdict}", show(&estimate)))
        });
        Some(format!("{head}, {judged}{}", of_limit.unwrap_or_default()))
    }

    /// The limit's value as a part of the other's.
    fn limit_share(&self, row: &Row, other: &Series) -> Option<f64> {
        let metric = self.target.metric;
        Some(row.named(self.limit?)?.median(metric)? / other.median(metric)?)
    }

    /// The rows whose means are judged, with what they are called.
    fn groups<'r>(&self, rows: &[&'r Row]) -> Vec<(String, Vec<&'r Row>)> {
        let what = self.target.what.clone().unwrap_or_default();
        let Some(parameter) = &self.target.each else {
            return vec![(what, rows.to_vec())];
        };
        let mut values: Vec<&Value> = Vec::new();
        for value in rows.iter().filter_map(|row| row.params.get(parameter)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let group = |value: &Value| {
            let params = Map::from_iter([(parameter.clone(), value.clone())]);
            let has_value = |row: &&&Row| row.params.get(parameter) == Some(value);
            (label(&what, &params), rows.iter().filter(has_value).copied().collect())
        };
        values.into_iter().map(group).collect()
    }

    fn mean(&self, what: &str, (own, others): &Comparison, rows: &[&'a Row]) -> Vec<String> {
        let of_row = |row: &&'a Row| self.standing(row, own, others);
        let standings: Vec<Standing> = rows.iter().filter_map(of_row).collect();
        let Some(mean) = mean_of(&standings) else {
            return Vec::new();
        };
        let (title, count) = (self.target.metric.title(), standings.len());
        let against = self.against(others);
        let (mean_shown, count) = (show(&mean), counted(count, "row"));
        let head = format!(
            "{what}, {title} of {own} against {against}: geometric mean {mean_shown} over {count}"
        );
        if self.target.metric.higher_is_better() {
            return vec![format!("{head}{}", self.shares(&mean, &standings))];
        }
        if !self.has_bar() {
            return vec![format!("{head}{}", self.having_more(&standings))];
        }
        let mut lines = vec![format!("{head}, {}", self.verdict(&mean))];
        if let Some(Standing { row, other, estimate, .. }) = worst(&standings) {
            let bar = self.target.worst_at_most;
            let judged = bar.map(|most| format!(", {}", at_most(most, estimate)));
            let (label, shown, judged) = (row.label(), show(estimate), judged.unwrap_or_default());
            lines.push(format!("  worst row: {label} {shown} against {}{judged}", other.name()));
        }
        lines
    }

    fn against(&self, others: &[String]) -> String {
        let who = match others {
            [one] => return self.target.of_workload.clone().unwrap_or(one.clone()),
            _ if self.target.is_against_best_peer() => "the best peer of each row".to_string(),
            many => format!("the best of {}", many.join(", ")),
        };
        let Some(metric) = self.target.best_has_no_more else { return who };
        format!("{who} that has no more {}", metric.title())
    }

    /// Of a mean of shares: the row that loses most, and the verdict.
    fn shares(&self, mean: &Estimate, standings: &[Standing]) -> String {
        let median = |series: &Series| series.median(self.target.metric).unwrap_or(0.0);
        let points = |one: &Standing| median(one.own) - median(one.other);
        let least = standings.iter().min_by(|left, right| points(left).total_cmp(&points(right)));
        let Some(least) = least else { return String::new() };
        let lost = -points(least);
        let shown = format!(", least {:+.2} points in {}", -100.0 * lost, least.row.label());
        let Some(at_least) = self.target.at_least else { return shown };
        let most = self.target.most_points_lost;
        let is_met = mean.high >= at_least && most.is_none_or(|most| lost <= most / 100.0);
        let points = most.map_or(String::new(), |most| format!(", at most {most:.1} points lost"));
        format!("{shown}, target ≥ {at_least:.2}{points} {}", word(is_met))
    }

    /// In how many rows the other has more of what the best peer must not have more of.
    fn having_more(&self, standings: &[Standing]) -> String {
        let Some(metric) = self.target.best_has_no_more else {
            return String::new();
        };
        let has_more = |one: &&Standing| amount(one.other, metric) > amount(one.own, metric);
        match standings.iter().filter(has_more).count() {
            0 => String::new(),
            count => {
                format!("; it has more {} in {count} of {}", metric.title(), standings.len())
            }
        }
    }

    fn standing(&self, row: &'a Row, own: &str, others: &[String]) -> Option<Standing<'a>> {
        let own = row.named(own)?;
        Standing::of(row, own, self.other(row, own, others)?, self.target.metric)
    }

    /// The series that the own one is compared with.
    fn other(&self, row: &'a Row, own: &Series, others: &[String]) -> Option<&'a Series> {
        if let Some(workload) = &self.target.of_workload {
            let same = |other: &&Row| other.workload == *workload && other.params == row.params;
            return self.rows.iter().find(same)?.named(others.first()?);
        }
        if let [one] = others {
            return row.named(one);
        }
        let may_be_best = |name: &&str| {
            let Some(metric) = self.target.best_has_no_more else { return true };
            row.named(name).is_some_and(|one| amount(one, metric) <= amount(own, metric))
        };
        let names: Vec<&str> = others.iter().map(String::as_str).filter(may_be_best).collect();
        row.best_of(&names, self.target.metric)
    }

    fn has_bar(&self) -> bool {
        self.target.ahead || self.target.at_most.is_some() || self.target.at_least.is_some()
    }

    fn is_met(&self, estimate: &Estimate) -> bool {
        let Target { at_most, at_least, ahead, .. } = self.target;
        at_most.is_none_or(|most| estimate.low <= most)
            && at_least.is_none_or(|least| estimate.high >= least)
            && (!ahead || estimate.high < 1.0)
    }

    fn verdict(&self, estimate: &Estimate) -> String {
        let Target { at_most, at_least, .. } = self.target;
        let bar = match (at_most, at_least) {
            (Some(most), _) => format!("≤ {most:.2}"),
            (_, Some(least)) => format!("≥ {least:.2}"),
            _ => "ahead".to_string(),
        };
        format!("target {bar} {}", word(self.is_met(estimate)))
    }
}

fn at_most(most: f64, estimate: &Estimate) -> String {
    format!("target ≤ {most:.2} {}", word(estimate.low <= most))
}

fn amount(series: &Series, metric: Metric) -> f64 {
    series.median(metric).unwrap_or(0.0)
}
