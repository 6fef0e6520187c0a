//! Judges a cliff by fresh rounds.

use heapsmith_measure::stats::{Estimate, estimate, median};
use serde::{Deserialize, Serialize};

use crate::sample::{METRICS, Metric, Sample, WORSE};

/// The rounds that confirm a finding.
pub const ROUNDS: usize = 11;
/// The least factor by which the peer is better.
pub const CLIFF: f64 = 1.5;

/// The rounds of a pattern: own sample and the peer's.
pub type Pairs = Vec<(Sample, Sample)>;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    pub metric: Metric,
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    pub peer: String,
    /// The metric that made it a candidate.
    pub metric: Metric,
    /// In how far own values exceed the peer's.
    pub ratios: Vec<Ratio>,
    pub outcome: Outcome,
}

impl Judged {
    pub fn is_finding(&self) -> bool {
        matches!(self.outcome, Outcome::Finding(_))
    }

    pub fn of(&self, metric: Metric) -> Option<&Ratio> {
        self.ratios.iter().find(|it| it.metric == metric)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The peer is better by `CLIFF` in this metric, and worse in none.
    Finding(Metric),
    /// The peer is worse in this metric.
    Paid(Metric),
    /// No median ratio reaches `CLIFF`, with its interval above 1.
    NotConfirmed,
}

/// The finding that these rounds confirm, or why they confirm none.
pub fn judge(peer: &str, metric: Metric, pairs: &Pairs) -> Judged {
    let ratios: Vec<Ratio> = METRICS.iter().filter_map(|metric| ratio(pairs, *metric)).collect();
    let reaches = |it: &&Ratio| it.median >= CLIFF && it.low > 1.0;
    let best =
        ratios.iter().filter(reaches).max_by(|one, other| one.median.total_cmp(&other.median));
    let paid = METRICS.into_iter().find(|metric| is_paid(pairs, *metric));
    let outcome = match (best, paid) {
        (None, _) => Outcome::NotConfirmed,
        (Some(_), Some(metric)) => Outcome::Paid(metric),
        (Some(best), None) => Outcome::Finding(best.metric),
    };
    Judged { peer: peer.to_string(), metric, ratios, outcome }
}

fn ratio(pairs: &Pairs, metric: Metric) -> Option<Ratio> {
    let all: Vec<f64> = pairs.iter().filter_map(|(own, peer)| own.over(peer, metric)).collect();
    let Estimate { median, low, high, .. } = interval(&all)?;
    Some(Ratio { metric, median, low, high })
}

/// Whether the peer is worse by `WORSE`, with its interval above 1.
fn is_paid(pairs: &Pairs, metric: Metric) -> bool {
    let all: Vec<f64> = pairs.iter().filter_map(|(own, peer)| peer.over(own, metric)).collect();
    interval(&all).is_some_and(|it| it.median > WORSE && it.low > 1.0)
}

/// Instructions are counted once, and have no noise.
fn interval(values: &[f64]) -> Option<Estimate> {
    if let [one] = values {
        return Some(Estimate { n: 1, median: *one, low: *one, high: *one });
    }
    estimate(values)
}

/// The middle of a few rounds: good enough to decide what is worth more rounds.
pub fn middle(rounds: &[Sample]) -> Option<Sample> {
    let of = |pick: fn(&Sample) -> Option<f64>| {
        median(&rounds.iter().filter_map(pick).collect::<Vec<f64>>())
    };
    (!rounds.is_empty()).then(|| Sample {
        timed_s: of(|it| Some(it.timed_s)).unwrap_or(0.0),
        ns_per_call: of(|it| it.ns_per_call),
        instructions: of(|it| it.instructions),
        peak_rss: of(|it| it.peak_rss),
        freed_rss: of(|it| it.freed_rss),
        idle_rss: of(|it| it.idle_rss),
    })
}

#[cfg(test)]
mod tests {
    //! Rounds that are made up.
    use super::*;

    fn rounds(own_ns: &[f64], peer_ns: f64, own_mib: f64, peer_mib: f64) -> Pairs {
        let sample = |ns: f64, mib: f64| Sample {
            timed_s: 1.0,
            ns_per_call: Some(ns),
            idle_rss: Some(mib * 1048576.0),
            ..Sample::default()
        };
        own_ns.iter().map(|ns| (sample(*ns, own_mib), sample(peer_ns, peer_mib))).collect()
    }

    fn outcome(pairs: &Pairs) -> Outcome {
        judge("peer", Metric::Time, pairs).outcome
    }

    #[test]
    fn a_steady_gap_is_a_finding() {
        let pairs = rounds(&[200.0; ROUNDS], 100.0, 10.0, 10.0);
        assert_eq!(outcome(&pairs), Outcome::Finding(Metric::Time));
        let pairs = rounds(&[100.0; ROUNDS], 100.0, 33.0, 10.0);
        assert_eq!(outcome(&pairs), Outcome::Finding(Metric::IdleRss));
    }

    #[test]
    fn a_smaller_gap_and_one_that_scatters_are_none() {
        let pairs = rounds(&[140.0; ROUNDS], 100.0, 10.0, 10.0);
        assert_eq!(outcome(&pairs), Outcome::NotConfirmed);
        let scattered = [300.0, 90.0, 300.0, 90.0, 300.0, 90.0, 300.0, 90.0, 300.0, 90.0, 300.0];
        assert_eq!(outcome(&rounds(&scattered, 100.0, 10.0, 10.0)), Outcome::NotConfirmed);
    }

    #[test]
    fn a_peer_that_pays_is_none() {
        let pairs = rounds(&[200.0; ROUNDS], 100.0, 10.0, 20.0);
        assert_eq!(outcome(&pairs), Outcome::Paid(Metric::IdleRss));
    }

    #[test]
    fn the_least_gap_is_a_finding() {
        let pairs = rounds(&[CLIFF * 100.0; ROUNDS], 100.0, 10.0, 10.0);
        assert_eq!(outcome(&pairs), Outcome::Finding(Metric::Time));
    }

    #[test]
    fn the_largest_gap_names_the_finding() {
        let pairs = rounds(&[200.0; ROUNDS], 100.0, 40.0, 10.0);
        assert_eq!(outcome(&pairs), Outcome::Finding(Metric::IdleRss));
        let pairs = rounds(&[500.0; ROUNDS], 100.0, 40.0, 10.0);
        assert_eq!(outcome(&pairs), Outcome::Finding(Metric::Time));
    }

    #[test]
    fn a_peer_that_is_worse_only_at_times_has_not_paid() {
        let mut pairs = rounds(&[200.0; ROUNDS], 100.0, 10.0, 20.0);
        for (_, peer) in pairs.iter_mut().take(5) {
            peer.idle_rss = Some(5.0 * 1048576.0);
        }
        assert_eq!(outcome(&pairs), Outcome::Finding(Metric::Time));
    }

    #[test]
    fn one_count_of_instructions_is_enough() {
        let sample = |count| Sample { instructions: Some(count), ..Sample::default() };
        let judged = judge("peer", Metric::Instructions, &vec![(sample(300.0), sample(100.0))]);
        let ratio = judged.of(Metric::Instructions).expect("counted");
        assert_eq!((ratio.low, ratio.median, ratio.high), (3.0, 3.0, 3.0));
    }

    #[test]
    fn the_middle_of_three_rounds_is_between_the_others() {
        let rounds = rounds(&[3.0, 1.0, 2.0], 1.0, 1.0, 1.0);
        let own: Vec<Sample> = rounds.iter().map(|pair| pair.0).collect();
        assert_eq!(middle(&own).and_then(|it| it.ns_per_call), Some(2.0));
        assert!(middle(&[]).is_none());
    }
}
