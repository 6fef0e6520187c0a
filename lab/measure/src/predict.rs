//! Replays beside real runs: what a replay foretells of a program, and how often it is right.
//!
//! A replay measures differences: how much longer the calls of a program take under one allocator
//! than under another, and how much more memory they hold. A prediction is the real value under the
//! baseline, plus this difference. The rest of the real difference is an effect outside malloc:
//! where the blocks lie, huge pages, the caches of the program.

use serde::Serialize;

use crate::metric::Metric;
use crate::row::{Row, Series};
use crate::stats::{self, Estimate};

/// A difference in time counts from this share of the program's on.
const SMALLEST: f64 = 0.005;
/// A difference in memory counts from this share of the replay's on, and from so many bytes, as in
/// verdicts. A replay foretells the memory of its blocks, not that of the program's other parts.
const SMALLEST_OF_REPLAY: f64 = 0.01;
const SMALLEST_BYTES: f64 = 256.0 * 1024.0;
/// A value varies from run to run if its interval is wider than this share of it.
const STEADY: f64 = 0.10;

/// A quantity that a replay foretells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    Time,
    ProcessorTime,
    Peak,
}

impl Quantity {
    pub const ALL: [Self; 3] = [Self::Time, Self::ProcessorTime, Self::Peak];

    /// The metrics of real runs, of which `base` is one series, and of a replay.
    fn metrics(self, base: &Series) -> (Metric, Metric) {
        match self {
            Self::Time => (elapsed(base), Metric::Replay),
            Self::ProcessorTime => (Metric::Cpu, Metric::Replay),
            Self::Peak => (Metric::PeakRss, Metric::PeakRss),
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::ProcessorTime => "processor time",
            Self::Peak => "peak RSS",
        }
    }
}

/// How two allocators compare in a program.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    pub left: String,
    pub right: String,
    pub quantity: Quantity,
    /// Real runs: left / right, if its interval does not contain 1.
    pub real: Option<f64>,
    /// The replay's difference, left - right, as a share of the program's value; none if the replay
    /// cannot decide.
    pub replayed: Option<f64>,
}

impl Pair {
    /// Whether the replay has the order of the real runs. None: one of them has no order.
    pub fn agrees(&self) -> Option<bool> {
        Some((self.real? > 1.0) == (self.replayed? > 0.0))
    }
}

/// The program under one allocator.
#[derive(Clone, Debug, Serialize)]
pub struct Foretold {
    pub contender: String,
    pub quantity: Quantity,
    pub real: f64,
    pub predicted: f64,
    /// The real difference to the baseline without that of the replay.
    pub outside_malloc: f64,
    /// The real difference is sure, and more of it lies outside malloc than within.
    pub cannot_decide: bool,
    /// The same command takes a different amount in each run, or its replay does: no single number
    /// foretells it.
    pub varies: bool,
}

/// Whether the runs of a contender differ by more than is steady for a program that needs `whole`.
fn varies(series: &Series, metric: Metric, whole: f64) -> bool {
    let values: Vec<f64> = series.by_round(metric).iter().flatten().copied().collect();
    stats::estimate(&values).is_some_and(|it| it.high - it.low > STEADY * whole)
}

fn differences(left: &Series, right: &Series, metric: Metric) -> Vec<f64> {
    let rounds = left.by_round(metric).iter().zip(right.by_round(metric));
    rounds.filter_map(|(left, right)| Some((*left)? - (*right)?)).collect()
}

/// The median of the differences of the rounds; none with too few rounds.
fn difference(left: &Series, right: &Series, metric: Metric) -> Option<Estimate> {
    stats::estimate(&differences(left, right, metric))
}

/// All pairs of contenders that both rows have.
pub fn pairs(real: &Row, replay: &Row, baseline: &str) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let Some(base) = real.named(baseline) else { return pairs };
    let both: Vec<(&Series, &Series)> = real
        .series
        .iter()
        .filter_map(|series| Some((series, replay.named(series.name())?)))
        .collect();
    for quantity in Quantity::ALL {
        let (of_real, of_replay) = quantity.metrics(base);
        let Some(whole) = base.median(of_real).filter(|whole| *whole > 0.0) else { continue };
        for (n, (left, left_replay)) in both.iter().enumerate() {
            for (right, right_replay) in &both[n + 1..] {
                let ratio = left.against(right, of_real);
                let real = ratio.filter(|it| it.low > 1.0 || it.high < 1.0).map(|it| it.median);
                let decided = |it: &Estimate| {
                    let of_replay = |series: &Series| series.median(of_replay).unwrap_or(0.0);
                    let larger = of_replay(left_replay).max(of_replay(right_replay));
                    let least = match quantity {
                        Quantity::Peak => (SMALLEST_OF_REPLAY * larger).max(SMALLEST_BYTES),
                        _ => SMALLEST * whole,
                    };
                    (it.low > 0.0 || it.high < 0.0) && it.median.abs() >= least
                };
                let replayed = difference(left_replay, right_replay, of_replay).filter(decided);
                pairs.push(Pair {
                    left: left.name().to_string(),
                    right: right.name().to_string(),
                    quantity,
                    real,
                    replayed: replayed.map(|it| it.median / whole),
                });
            }
        }
    }
    pairs
}

/// The prediction for each contender beside the baseline.
pub fn foretell(real: &Row, replay: &Row, baseline: &str) -> Vec<Foretold> {
    let mut all = Vec::new();
    let (Some(base), Some(replay_base)) = (real.named(baseline), replay.named(baseline)) else {
        return all;
    };
    for series in real.series.iter().filter(|series| series.name() != baseline) {
        let Some(replayed) = replay.named(series.name()) else { continue };
        for quantity in Quantity::ALL {
            let (of_real, of_replay) = quantity.metrics(base);
            let scale = if quantity == Quantity::Time { threads_at_a_time(base) } else { 1.0 };
            let medians = (series.median(of_real), base.median(of_real));
            let (Some(real), Some(whole)) = medians else { continue };
            let within = stats::median(&differences(replayed, replay_base, of_replay));
            let Some(within) = within.map(|it| it / scale) else { continue };
            let outside_malloc = real - whole - within;
            let is_sure = series.against(base, of_real).is_some_and(|it| {
                (it.low > 1.0 || it.high < 1.0) && (it.median - 1.0).abs() >= SMALLEST
            });
            all.push(Foretold {
                contender: series.name().to_string(),
                quantity,
                real,
                predicted: whole + within,
                outside_malloc,
                cannot_decide: is_sure && outside_malloc.abs() > within.abs(),
                varies: varies(series, of_real, real)
                    || varies(replayed, of_replay, (whole + within) * scale),
            });
        }
    }
    all
}

/// The predictions as values of the contenders of `real`.
pub fn as_row(real: &Row, foretold: &[Foretold]) -> Row {
    let mut row = Row { series: Vec::new(), ..real.clone() };
    for it in foretold {
        let metric = match it.quantity {
            Quantity::Time => Metric::Foretold,
            Quantity::Peak => Metric::ForetoldPeak,
            Quantity::ProcessorTime => continue,
        };
        let Some(of_real) = real.named(&it.contender) else { continue };
        row.add(Series::of_count(of_real.identity.clone(), metric, it.predicted));
    }
    row
}

/// The metric of a run's time. For a server, it is the time of the load.
pub fn elapsed(series: &Series) -> Metric {
    if series.median(Metric::Load).is_some() { Metric::Load } else { Metric::Wall }
}

/// How many processors the program keeps busy, on average; at least one.
fn threads_at_a_time(base: &Series) -> f64 {
    match (base.median(Metric::Cpu), base.median(elapsed(base))) {
        (Some(cpu), Some(time)) if time > 0.0 => (cpu / time).max(1.0),
        _ => 1.0,
    }
}

/// Pairs counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Agreement {
    /// Whose real intervals show an order.
    pub pairs: usize,
    /// Of these, those about which the replay cannot decide.
    pub undecided: usize,
    pub agree: usize,
}

impl Agreement {
    pub fn of<'a>(pairs: impl IntoIterator<Item = &'a Pair>, quantity: Quantity) -> Self {
        let mut sum = Self::default();
        for pair in pairs.into_iter().filter(|it| it.quantity == quantity && it.real.is_some()) {
            sum.pairs += 1;
            match pair.agrees() {
                None => sum.undecided += 1,
                Some(agrees) => sum.agree += usize::from(agrees),
            }
        }
        sum
    }

    /// Of the pairs that the replay decides.
    pub fn share(self) -> Option<f64> {
        let decided = self.pairs - self.undecided;
        (decided > 0).then(|| self.agree as f64 / decided as f64)
    }

    /// The same if each undecided pair counts as wrong.
    pub fn share_of_all(self) -> Option<f64> {
        (self.pairs > 0).then(|| self.agree as f64 / self.pairs as f64)
    }
}

/// Kendall's tau of the predictions and the real values of one quantity, from -1 to 1.
pub fn tau(foretold: &[Foretold], quantity: Quantity) -> Option<f64> {
    let of: Vec<_> = foretold.iter().filter(|it| it.quantity == quantity).collect();
    let (mut sum, mut pairs) = (0.0, 0);
    for (n, left) in of.iter().enumerate() {
        for right in &of[n + 1..] {
            let product = (left.real - right.real) * (left.predicted - right.predicted);
            sum += if product > 0.0 { 1.0 } else { f64::from(-i8::from(product < 0.0)) };
            pairs += 1;
        }
    }
    (pairs > 0).then(|| sum / f64::from(pairs))
}

#[cfg(test)]
mod tests {
    //! Rows whose answer is known.
    use std::path::PathBuf;

    use serde_json::Map;

    use super::*;
    use crate::prove::Identity;
    use crate::row::Values;

    fn series(name: &str, values: &[(Metric, f64)]) -> Series {
        let identity = Identity {
            name: name.to_string(),
            version: String::new(),
            library: PathBuf::new(),
            loaded: true,
            settings: Vec::new(),
        };
        let around = |value: f64| (0..7).map(|n| Some(value + 1e-6 * f64::from(n))).collect();
        let values: Values = values.iter().map(|&(metric, it)| (metric, around(it))).collect();
        Series::of_values(identity, values)
    }

    fn row(series: Vec<Series>) -> Row {
        let (suite, workload) = ("x".to_string(), "w".to_string());
        Row { suite, workload, params: Map::new(), series }
    }

    fn real() -> Row {
        let of = |name, wall, peak| {
            series(name, &[(Metric::Wall, wall), (Metric::Cpu, wall), (Metric::PeakRss, peak)])
        };
        row(vec![of("glibc", 10.0, 1e8), of("fast", 8.0, 2e8), of("cache", 9.0, 1e8)])
    }

    fn replay() -> Row {
        let of =
            |name, time, peak| series(name, &[(Metric::Replay, time), (Metric::PeakRss, peak)]);
        // "cache" is faster only outside malloc.
        row(vec![of("glibc", 3.0, 1e7), of("fast", 1.0, 1.1e8), of("cache", 3.03, 1e7)])
    }

    #[test]
    fn orders_are_compared_where_both_have_one() {
        let pairs = pairs(&real(), &replay(), "glibc");
        let of = |left: &str, right: &str| {
            let is_it = |it: &&Pair| {
                (it.left.as_str(), it.right.as_str(), it.quantity) == (left, right, Quantity::Time)
            };
            pairs.iter().find(is_it).expect("a pair").agrees()
        };
        assert_eq!(of("glibc", "fast"), Some(true));
        assert_eq!(of("glibc", "cache"), None, "less than half a percent decides nothing");
        assert_eq!(of("fast", "cache"), Some(true));
        let time = Agreement::of(&pairs, Quantity::Time);
        assert_eq!(time, Agreement { pairs: 3, undecided: 1, agree: 2 });
        assert_eq!((time.share(), time.share_of_all()), (Some(1.0), Some(2.0 / 3.0)));
        assert_eq!(Agreement::of(&[], Quantity::Peak).share(), None);
    }

    #[test]
    fn the_rest_lies_outside_malloc() {
        let all = foretell(&real(), &replay(), "glibc");
        let of = |name: &str, quantity| {
            all.iter().find(|it| it.contender == name && it.quantity == quantity).expect("it")
        };
        let fast = of("fast", Quantity::Time);
        assert!((fast.predicted - 8.0).abs() < 1e-3 && !fast.cannot_decide);
        let cache = of("cache", Quantity::Time);
        assert!((cache.outside_malloc + 1.03).abs() < 1e-3 && cache.cannot_decide);
        assert!((of("fast", Quantity::Peak).predicted - 2e8).abs() < 10.0);
        let told = as_row(&real(), &all);
        let median = |name, metric| told.named(name).and_then(|it| it.median(metric));
        // Real runs took 9.0.
        assert!(median("cache", Metric::Foretold).is_some_and(|it| (it - 10.03).abs() < 1e-3));
        assert!(median("fast", Metric::ForetoldPeak).is_some_and(|it| (it - 2e8).abs() < 10.0));
        assert!(told.named("glibc").is_none(), "nothing is foretold of the baseline");
        assert_eq!(tau(&all, Quantity::Time), Some(1.0));
        assert_eq!(tau(&[], Quantity::Time), None);
        assert!(all.iter().all(|it| !it.varies));
    }

    #[test]
    fn a_value_that_differs_from_run_to_run_is_told_apart() {
        let spread = |row: &mut Row, name: &str, by: f64| {
            let series = row.series.iter_mut().find(|it| it.name() == name).expect("it");
            let around = series.by_round(Metric::PeakRss).to_vec();
            let moved = |(n, value): (usize, Option<f64>)| value.map(|it| it + by * n as f64);
            let values = around.into_iter().enumerate().map(moved).collect();
            series.add(Values::from([(Metric::PeakRss, values)]));
        };
        let varying = |real: &Row, replay: &Row| -> Vec<String> {
            let all = foretell(real, replay, "glibc").into_iter();
            let it = all.filter(|it| it.varies && it.quantity == Quantity::Peak);
            it.map(|it| it.contender).collect()
        };
        let (mut in_real, mut in_replay) = (real(), replay());
        spread(&mut in_real, "fast", 2e6); // 6 times 1 % of 200 MB
        spread(&mut in_replay, "cache", 1e6); // 6 times 1 % of 100 MB
        assert!(varying(&in_real, &in_replay).is_empty());
        spread(&mut in_real, "fast", 2e6);
        assert_eq!(varying(&in_real, &replay()), ["fast"]);
        spread(&mut in_replay, "cache", 1e6);
        assert_eq!(varying(&real(), &in_replay), ["cache"]);
    }
}
