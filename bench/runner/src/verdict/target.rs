//! A target's verdicts: on each row, or on the geometric mean of its rows.

use heapsmith_measure::metric::Metric;
use heapsmith_measure::progress::counted;
use heapsmith_measure::row::{Row, Series, label};
use heapsmith_measure::stats::Estimate;
use heapsmith_measure::verdict::Reached;
use heapsmith_measure::verdict::target::is_precise;
use serde_json::{Map, Value};

use super::line::{Line, words};
use super::standing::{Standing, mean_of, noise_of, show, worst};
use crate::bench::Doubt;
use crate::manifest::{Manifest, Role, Target};

/// The lines of a target; none where the contenders it is about were not measured.
pub fn judge(target: &Target, manifest: &Manifest, rows: &[Row]) -> Vec<Line> {
    let judged = Judged { target, rows, manifest };
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
    manifest: &'a Manifest,
}

impl<'a> Judged<'a> {
    fn row(&self, (own, others): &Comparison, row: &'a Row) -> Option<Line> {
        let Target { metric, where_limit, or_of_limit, .. } = self.target;
        let standing = self.standing(row, own, others)?;
        let (estimate, other) = (&standing.estimate, standing.other);
        let against = self.target.of_workload.as_deref().unwrap_or(other.name());
        let (label, title) = (row.label(), metric.title());
        let head = format!("{label}, {title}, {own} against {against}: {}", show(estimate));
        let share = self.limit_share(row, other);
        let limit = self.manifest.limit();
        if let (Some(limit), Some(share), Some(most)) = (limit, share, where_limit) {
            if share > *most {
                let text = format!("{head}, no target: {limit} takes {share:.2} of {against}");
                return Some(Line::about(text));
            }
        }
        let bars = self.bars(Some(other));
        let reached = bars.reached(estimate);
        let text = format!("{head}, {}", bars.verdict(estimate));
        let of_limit = or_of_limit.filter(|_| reached != Reached::Met).and_then(|most| {
            let (limit, named) = (limit?, row.named(limit?)?);
            let estimate = Standing::of(row, standing.own, named, *metric)?.estimate;
            let (of_limit, verdict) = at_most(most, &estimate);
            Some((format!("; against {limit} {}, {verdict}", show(&estimate)), of_limit))
        });
        let (further, reached) = match of_limit {
            Some((further, of_limit)) => (further, reached.or(of_limit)),
            None => (String::new(), reached),
        };
        Some(Line::judged(text + &further, reached, || self.doubts(&[&standing], others)))
    }

    /// The rows of `standings`, with all that take part in the comparison.
    fn doubts(&self, standings: &[&Standing], others: &[String]) -> Vec<Doubt> {
        let limit = self.manifest.limit().filter(|_| self.target.or_of_limit.is_some());
        let of_standing = |one: &&Standing| {
            let twin = self.manifest.twin_of(one.own.name());
            let rivals = others.iter().map(String::as_str).chain(limit).chain(twin);
            let mut doubts: Vec<Doubt> = std::iter::once(one.own.name())
                .chain(rivals)
                .map(|name| Doubt::of(one.row, name))
                .collect();
            if let Some(workload) = &self.target.of_workload {
                let of_other =
                    Doubt { workload: workload.clone(), ..Doubt::of(one.row, &others[0]) };
                doubts.push(of_other);
            }
            doubts
        };
        standings.iter().flat_map(of_standing).collect()
    }

    /// The limit's value as a part of the other's.
    fn limit_share(&self, row: &Row, other: &Series) -> Option<f64> {
        let metric = self.target.metric;
        Some(row.named(self.manifest.limit()?)?.median(metric)? / other.median(metric)?)
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

    fn mean(&self, what: &str, (own, others): &Comparison, rows: &[&'a Row]) -> Vec<Line> {
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
            return vec![self.shares(head, &mean, &standings)];
        }
        let is_judged = self.has_bar();
        if !is_judged && self.target.worst_at_most.is_none() {
            return vec![Line::about(format!("{head}{}", self.having_more(&standings)))];
        }
        let all: Vec<&Standing> = standings.iter().collect();
        let bars = self.bars(None);
        let judged = || {
            let text = format!("{head}, {}", bars.verdict(&mean));
            Line::judged(text, bars.reached(&mean), || self.doubts(&all, others))
        };
        let mean = if is_judged { judged() } else { Line::about(head.clone()) };
        let further = [self.worst(&standings, others), self.noise(own, rows)];
        std::iter::once(mean).chain(further.into_iter().flatten()).collect()
    }

    /// How far the same allocator is from itself in these rows.
    fn noise(&self, own: &str, rows: &[&'a Row]) -> Option<Line> {
        let twin = self.manifest.twin_of(own)?;
        let of_row = |row: &&'a Row| {
            Standing::of(row, row.named(own)?, row.named(twin)?, self.target.metric)
        };
        let noise = noise_of(&rows.iter().filter_map(of_row).collect::<Vec<_>>())?;
        Some(Line::about(format!("  noise: {own} against itself {noise}")))
    }

    /// The row that decides the bar of the worst row: the worst one above the bar; else one that may
    /// be above it, because its interval is too wide; else the worst one.
    fn worst(&self, standings: &[Standing<'a>], others: &[String]) -> Option<Line> {
        let worst = worst(standings)?;
        let line = |one: &Standing| {
            let (label, shown) = (one.row.label(), show(&one.estimate));
            format!("  worst row: {label} {shown} against {}", one.other.name())
        };
        let Some(bar) = self.target.worst_at_most else { return Some(Line::about(line(worst))) };
        let may_be_above =
            |one: &&Standing| !is_precise(&one.estimate, bar) && one.estimate.high > bar;
        let is_above =
            |one: &&Standing| is_precise(&one.estimate, bar) && one.estimate.median > bar;
        let highest = |one: &&Standing, other: &&Standing| {
            one.estimate.median.total_cmp(&other.estimate.median)
        };
        let above = standings.iter().filter(is_above).max_by(highest);
        let unclear: Vec<&Standing> = standings.iter().filter(may_be_above).collect();
        let (deciding, reached) = match (above, unclear.iter().copied().max_by(highest)) {
            (Some(one), _) => (one, Reached::Missed),
            (None, Some(one)) => (one, Reached::CannotTell),
            (None, None) => (worst, Reached::Met),
        };
        let judged = format!("target ≤ {bar:.2} {}", words(reached, &deciding.estimate, bar));
        let text = format!("{}, {judged}", line(deciding));
        Some(Line::judged(text, reached, || self.doubts(&unclear, others)))
    }

    fn against(&self, others: &[String]) -> String {
        let who = match others {
            [one] => return self.target.of_workload.clone().unwrap_or(one.clone()),
            _ if self.target.is_against_best_peer() => {
                format!("the {}best peer of each row", self.rank())
            }
            many => format!("the best of {}", many.join(", ")),
        };
        let Some(metric) = self.target.best_has_no_more else { return who };
        format!("{who} that has no more {}", metric.title())
    }

    /// Such as "3rd ".
    fn rank(&self) -> String {
        match self.target.nth_best {
            None | Some(1) => String::new(),
            Some(2) => "2nd ".to_string(),
            Some(3) => "3rd ".to_string(),
            Some(nth) => format!("{nth}th "),
        }
    }

    /// Of a mean of shares: the row that loses most, and the verdict.
    fn shares(&self, head: String, mean: &Estimate, standings: &[Standing]) -> Line {
        let median = |series: &Series| series.median(self.target.metric).unwrap_or(0.0);
        let points = |one: &Standing| median(one.own) - median(one.other);
        let least = standings.iter().min_by(|left, right| points(left).total_cmp(&points(right)));
        let Some(least) = least else { return Line::about(head) };
        let lost = -points(least);
        let label = least.row.label();
        let shown = format!("{head}, least {:+.2} points in {label}", -100.0 * lost);
        let Some(at_least) = self.target.at_least else { return Line::about(shown) };
        let most = self.target.most_points_lost;
        let loses_little = most.is_none_or(|most| lost <= most / 100.0);
        let meets = |mean| mean >= at_least && loses_little;
        let reached = Reached::by_median(mean, at_least, meets);
        let points = most.map_or(String::new(), |most| format!(", at most {most:.1} points lost"));
        let judged = words(reached, mean, at_least);
        Line::judged(format!("{shown}, target ≥ {at_least:.2}{points} {judged}"), reached, Vec::new)
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
        let metric = self.target.metric;
        if let Some(workload) = &self.target.of_workload {
            let same = |other: &&Row| other.workload == *workload && other.params == row.params;
            let other = self.rows.iter().find(same)?.named(others.first()?)?;
            return Standing::of(row, own, other, metric);
        }
        if let [one] = others {
            return Standing::of(row, own, row.named(one)?, metric);
        }
        let may_be_best = |name: &&str| {
            let Some(metric) = self.target.best_has_no_more else { return true };
            row.named(name).is_some_and(|one| amount(one, metric) <= amount(own, metric))
        };
        let names: Vec<&str> = others.iter().map(String::as_str).filter(may_be_best).collect();
        Standing::of_nth_best(row, own, &names, metric, self.target.nth_best.unwrap_or(1))
    }

    fn bars(&self, other: Option<&Series>) -> Bars {
        let Target { at_most, allowance, at_least, ahead, metric, .. } = self.target;
        let base = other.and_then(|other| other.median(*metric)).filter(|base| *base > 0.0);
        let more = allowance.zip(base).map_or(0.0, |(allowance, base)| allowance / base);
        let at_most = at_most.map(|most| most + more);
        let allowed = allowance.map(|allowance| metric.show(allowance));
        Bars { at_most, allowed, at_least: *at_least, ahead: *ahead }
    }

    fn has_bar(&self) -> bool {
        self.target.ahead || self.target.at_most.is_some() || self.target.at_least.is_some()
    }
}

/// The bars of a target, in one row.
struct Bars {
    /// With the allowance.
    at_most: Option<f64>,
    allowed: Option<String>,
    at_least: Option<f64>,
    ahead: bool,
}

impl Bars {
    fn reached(&self, estimate: &Estimate) -> Reached {
        Reached::by_median(estimate, self.bar(), |median| {
            self.at_most.is_none_or(|most| median <= most)
                && self.at_least.is_none_or(|least| median >= least)
                && (!self.ahead || estimate.high < 1.0)
        })
    }

    /// The value to reach: a contender that is ahead stays below 1.
    fn bar(&self) -> f64 {
        self.at_most.or(self.at_least).unwrap_or(1.0)
    }

    fn verdict(&self, estimate: &Estimate) -> String {
        let bar = match (self.at_most, self.at_least) {
            (Some(most), _) => format!("≤ {most:.2}"),
            (_, Some(least)) => format!("≥ {least:.2}"),
            _ => "ahead".to_string(),
        };
        let allowed = self.allowed.as_ref().map_or(String::new(), |it| format!(" with {it} more"));
        let judged = words(self.reached(estimate), estimate, self.bar());
        format!("target {bar}{allowed} {judged}")
    }
}

fn at_most(most: f64, estimate: &Estimate) -> (Reached, String) {
    let reached = Reached::by_median(estimate, most, |median| median <= most);
    (reached, format!("target ≤ {most:.2} {}", words(reached, estimate, most)))
}

fn amount(series: &Series, metric: Metric) -> f64 {
    series.median(metric).unwrap_or(0.0)
}
