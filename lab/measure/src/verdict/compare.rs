//! One row: every contender against the baseline, in every goal, with corrected intervals.

use crate::metric::Metric;
use crate::row::{Row, Series};
use crate::stats::{self, Estimate};

use super::goal::Goal;
use super::judgement::{Comparison, Outcome};
use super::rules::{Rules, fewest};

/// A normal distribution's standard deviation over its median absolute deviation.
const DEVIATION: f64 = 1.4826;

/// A row with what its contenders change.
pub struct Compared<'a> {
    pub row: &'a Row,
    pub baseline: &'a str,
    pub effects: Vec<Effect<'a>>,
    /// The probability with which one interval may miss.
    pub miss: f64,
}

/// What one contender changes in one goal.
pub struct Effect<'a> {
    pub goal: Goal,
    pub metric: Metric,
    pub contender: &'a str,
    /// Rounds with a ratio.
    pub n: usize,
    pub median: Option<f64>,
    pub interval: Option<Estimate>,
    pub outcome: Outcome,
    /// The share from which on a difference counts.
    pub smallest: f64,
    /// The share from which on a hidden difference is worth more rounds.
    pub widest: f64,
    /// How much the ratios of the single rounds scatter: a robust standard deviation, as a share.
    pub scatter: f64,
}

impl<'a> Compared<'a> {
    pub fn of(row: &'a Row, baseline: &'a str, rules: &Rules, miss: f64) -> Self {
        let mut effects = Vec::new();
        for (goal, metric) in goals(row, baseline, fewest(miss)) {
            for rival in rivals(row, baseline) {
                let ratios = ratios(row, rival, baseline, goal, metric);
                let contender = rival.name();
                let limits = limits(row, baseline, goal, metric, rules);
                effects.push(Effect::of(goal, metric, contender, &ratios, limits, miss));
            }
        }
        Self { row, baseline, effects, miss }
    }

    /// Leaves out the contenders that failed. Without the baseline nothing is left to compare.
    pub fn exclude(&mut self, has_failed: impl Fn(&str) -> bool) {
        let baseline_failed = has_failed(self.baseline);
        self.effects.retain(|effect| !baseline_failed && !has_failed(effect.contender));
    }

    pub fn find(&self, contender: &str, goal: Goal) -> Option<&Effect<'a>> {
        self.effects.iter().find(|one| one.contender == contender && one.goal == goal)
    }

    pub fn in_goal(&self, goal: Goal) -> impl Iterator<Item = &Effect<'a>> {
        self.effects.iter().filter(move |effect| effect.goal == goal)
    }

    pub fn of_contender(&self, contender: &str) -> impl Iterator<Item = &Effect<'a>> {
        self.effects.iter().filter(move |effect| effect.contender == contender)
    }

    /// The contenders except the baseline.
    pub fn rivals(&self) -> Vec<&'a str> {
        let mut names = Vec::new();
        for effect in &self.effects {
            if !names.contains(&effect.contender) {
                names.push(effect.contender);
            }
        }
        names
    }

    pub fn goals(&self) -> Vec<Goal> {
        let has = |goal: &Goal| self.in_goal(*goal).next().is_some();
        Goal::ALL.into_iter().filter(has).collect()
    }

    /// The rounds of the contender that has most.
    pub fn rounds(&self) -> usize {
        self.row.series.iter().map(Series::rounds).max().unwrap_or(0)
    }

    /// Whether `left` takes measurably less than `right`. Their corrected intervals against the
    /// baseline lie apart, or the interval of their own ratio lies below 1. The second test is made
    /// only of contenders that both differ from the baseline: each such difference has found its
    /// error unspent, and the pairs of these contenders share it.
    pub fn is_below(&self, left: &str, right: &str, goal: Goal, rules: &Rules) -> bool {
        let (Some(one), Some(other)) = (self.find(left, goal), self.find(right, goal)) else {
            return false;
        };
        let metric = one.metric;
        if let (Some(one), Some(other)) = (one.interval, other.interval) {
            let [smallest, _] = limits(self.row, right, goal, metric, rules);
            if one.high < other.low && one.median <= other.median * (1.0 - smallest) {
                return true;
            }
        }
        let is_known = |one: &Effect| matches!(one.outcome, Outcome::Better | Outcome::Worse);
        if left == right || !is_known(one) || !is_known(other) {
            return false;
        }
        let known = self.in_goal(goal).filter(|effect| is_known(effect)).count();
        let miss = self.miss * (2.0 / (known - 1) as f64).min(1.0);
        let (Some(series), true) = (self.row.named(left), self.row.named(right).is_some()) else {
            return false;
        };
        let ratios = ratios(self.row, series, right, goal, metric);
        let limits = limits(self.row, right, goal, metric, rules);
        let effect = Effect::of(goal, metric, series.name(), &ratios, limits, miss);
        effect.outcome == Outcome::Better
    }

    /// The comparisons of measured metrics, as results hold them.
    pub fn comparisons(&self) -> Vec<Comparison> {
        let is_metric = |effect: &&Effect| effect.goal != Goal::Steadiest;
        let comparison = |effect: &Effect| Comparison {
            suite: self.row.suite.clone(),
            workload: self.row.workload.clone(),
            params: self.row.params.clone(),
            contender: effect.contender.to_string(),
            baseline: self.baseline.to_string(),
            metric: effect.metric.name().to_string(),
            n: effect.n,
            median: effect.median,
            low: effect.interval.map(|interval| interval.low),
            high: effect.interval.map(|interval| interval.high),
            outcome: effect.outcome,
        };
        self.effects.iter().filter(is_metric).map(comparison).collect()
    }
}

impl<'a> Effect<'a> {
    fn of(
        goal: Goal,
        metric: Metric,
        contender: &'a str,
        ratios: &[f64],
        [smallest, widest]: [f64; 2],
        miss: f64,
    ) -> Self {
        let interval = stats::estimate_at(ratios, miss);
        let median = stats::median(ratios);
        let scatter = stats::noise(ratios).unwrap_or(0.0) * DEVIATION;
        let outcome = match (&interval, median) {
            (_, None) => Outcome::Missing,
            (None, _) => Outcome::Unclear,
            (Some(interval), _) => outcome(interval, smallest),
        };
        let n = ratios.len();
        Self { goal, metric, contender, n, median, interval, outcome, smallest, widest, scatter }
    }

    /// Whether its uncertainty concerns the choice: sampled memory of a few runs does not.
    pub fn is_telling(&self) -> bool {
        self.goal.decides() && (self.goal == Goal::Fastest || self.interval.is_some())
    }

    /// The gain that the interval does not rule out, as a share.
    pub fn possible_gain(&self) -> f64 {
        self.interval.map_or(f64::INFINITY, |interval| (1.0 - interval.low).max(0.0))
    }

    /// The loss that the interval does not rule out, as a share.
    pub fn possible_loss(&self) -> f64 {
        self.interval.map_or(f64::INFINITY, |interval| (interval.high - 1.0).max(0.0))
    }
}

/// The shares from which on a difference to `other` counts, and is worth more rounds if hidden.
/// Between the two there is always the same distance: more rounds can tell what lies beyond.
fn limits(row: &Row, other: &str, goal: Goal, metric: Metric, rules: &Rules) -> [f64; 2] {
    let bytes = || row.named(other).and_then(|other| other.median(metric));
    let smallest = match goal {
        Goal::Fastest | Goal::LeastProcessorTime => rules.smallest_gain,
        Goal::Steadiest => rules.smallest_steadiness,
        _ => rules.smallest_gain.max(rules.smallest_bytes / bytes().unwrap_or(f64::INFINITY)),
    };
    [smallest, smallest + (rules.widest - rules.smallest_gain)]
}

/// The outcome of ratios of which less is better.
fn outcome(interval: &Estimate, smallest: f64) -> Outcome {
    let (least, most) = (1.0 - smallest, 1.0 + smallest);
    match interval {
        Estimate { high, median, .. } if *high < 1.0 && *median <= least => Outcome::Better,
        Estimate { low, median, .. } if *low > 1.0 && *median >= most => Outcome::Worse,
        Estimate { low, high, .. } if *low >= least && *high <= most => Outcome::Equal,
        _ => Outcome::Unclear,
    }
}

/// How many comparisons share the confidence: those of `rows`, but no fewer than were planned.
pub fn compared(rows: &[Row], baseline: &str, rules: &Rules) -> usize {
    let counts = rows.iter().map(|row| count(row, baseline));
    let found: usize = if rules.each_row { counts.max().unwrap_or(0) } else { counts.sum() };
    found.max(rules.compared)
}

fn count(row: &Row, baseline: &str) -> usize {
    goals(row, baseline, 1).len() * rivals(row, baseline).count()
}

/// Whether more rounds of `row` would change nothing: each contender is better, worse or equal in
/// everything that is measured in every round. It looks only after some rounds, so call it after
/// each one.
pub fn is_decided(row: &Row, baseline: &str, rules: &Rules) -> bool {
    let rounds = row.series.iter().map(Series::rounds).max().unwrap_or(0);
    let compared = compared(std::slice::from_ref(row), baseline, rules);
    let Some(miss) = rules.miss_of_look(compared, rounds) else {
        return false;
    };
    let table = Compared::of(row, baseline, rules, miss);
    let is_measured_each_round = |effect: &&Effect| effect.goal.decides() && effect.n == rounds;
    let mut effects = table.effects.iter().filter(is_measured_each_round).peekable();
    let is_clear = |effect: &Effect| effect.outcome != Outcome::Unclear;
    effects.peek().is_some() && effects.all(is_clear)
}

fn goals(row: &Row, baseline: &str, needed: usize) -> Vec<(Goal, Metric)> {
    let answered = |goal: Goal| Some((goal, goal.metric_in(row, baseline, needed)?));
    Goal::ALL.into_iter().filter_map(answered).collect()
}

fn rivals<'a>(row: &'a Row, baseline: &'a str) -> impl Iterator<Item = &'a Series> {
    row.series.iter().filter(move |series| series.name() != baseline)
}

fn ratios(row: &Row, series: &Series, baseline: &str, goal: Goal, metric: Metric) -> Vec<f64> {
    let base = row.named(baseline).map_or(&[][..], |base| base.by_round(metric));
    match goal {
        Goal::Steadiest => stats::scatter_ratios(series.by_round(metric), base),
        _ => stats::ratios(series.by_round(metric), base),
    }
}
