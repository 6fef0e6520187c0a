//! Verdicts on drawn experiments whose truth is known, with the stopping rule that `try` uses.
//!
//! The noise is that of tests/data/rounds.csv: a start is drawn, the rounds from there on are taken
//! in order, and in each round the contenders' values are dealt out at random. So the drift and the
//! outliers of the machine stay, and all contenders are alike. The tests need a release build.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fastrand::Rng;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::prove::Identity;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::verdict::{Judgement, Kind, Rules, is_decided, judge};
use serde_json::Map;

const MANY: u64 = 10_000;
/// For what is not about the last tenth of a percent.
const FEW: u64 = 2_000;
const CONTENDERS: usize = 6;
const BASE: &str = "0";
/// With the scatter of time, they answer four goals.
const METRICS: [Metric; 3] = [Metric::Wall, Metric::PeakRss, Metric::PssMean];

/// The recorded rounds: of each contender its time and its memory, over its medians.
struct Recorded(Vec<Vec<[f64; 2]>>);

impl Recorded {
    fn read() -> Self {
        let text = include_str!("data/rounds.csv");
        let is_round = |line: &&str| line.starts_with(|first: char| first.is_ascii_digit());
        let number = |field: &str| field.parse::<f64>().expect("a number");
        let round = |line: &str| -> Vec<[f64; 2]> {
            let fields: Vec<f64> = line.split(',').map(number).collect();
            fields.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
        };
        let mut rounds: Vec<_> = text.lines().filter(is_round).map(round).collect();
        let columns = (0..CONTENDERS).flat_map(|who| [(who, 0), (who, 1)]);
        for (who, metric) in columns {
            let mut values: Vec<f64> = rounds.iter().map(|round| round[who][metric]).collect();
            values.sort_by(f64::total_cmp);
            let median = values[values.len() / 2];
            rounds.iter_mut().for_each(|round| round[who][metric] /= median);
        }
        Self(rounds)
    }

    /// An experiment: by metric, contender and round.
    fn draw(&self, rng: &mut Rng, rounds: usize) -> Vec<Vec<Vec<f64>>> {
        let mut values = vec![vec![Vec::new(); CONTENDERS]; METRICS.len()];
        for (index, of_metric) in values.iter_mut().enumerate() {
            let start = rng.usize(..self.0.len());
            for round in 0..rounds {
                let mut dealt = self.0[(start + round) % self.0.len()].clone();
                rng.shuffle(&mut dealt);
                for (own, dealt) in of_metric.iter_mut().zip(dealt) {
                    own.push(dealt[index.min(1)]);
                }
            }
        }
        values
    }
}

fn row(values: &[Vec<Vec<f64>>], rounds: usize) -> Row {
    let series = |who: usize| {
        // A second, and a gigabyte.
        let unit = |metric: usize| if METRICS[metric] == Metric::Wall { 1.0 } else { 1e9 };
        let of = |metric: usize| {
            values[metric][who][..rounds].iter().map(|value| Some(value * unit(metric))).collect()
        };
        let values = METRICS.iter().enumerate().map(|(index, metric)| (*metric, of(index)));
        let identity = Identity {
            name: who.to_string(),
            version: String::new(),
            library: PathBuf::new(),
            loaded: true,
            settings: Vec::new(),
        };
        Series::of_values(identity, values.collect::<BTreeMap<_, _>>())
    };
    let series = (0..CONTENDERS).map(series).collect();
    Row { suite: "try".into(), workload: "drawn".into(), params: Map::new(), series }
}

/// Measures until the rule stops or the rounds end, and judges.
fn experiment(values: &[Vec<Vec<f64>>], most: usize, rules: &Rules) -> (Judgement, usize) {
    let stops = |rounds: &usize| is_decided(&row(values, *rounds), BASE, rules);
    let rounds = (1..most).find(stops).unwrap_or(most);
    let judgement = judge(&[row(values, rounds)], &[], BASE, rules, &|name| name.to_string());
    (judgement, rounds)
}

/// How the experiments ended.
struct Shares {
    /// The share that advised the right contender, the last one, at a price or without.
    right: f64,
    /// The share that advised another one.
    wrong: f64,
    /// The mean number of rounds.
    rounds: f64,
}

fn simulate(
    [seed, experiments]: [u64; 2],
    most: usize,
    rules: &Rules,
    mut draw: impl FnMut(&mut Rng) -> Vec<Vec<Vec<f64>>>,
) -> Shares {
    let mut rng = Rng::with_seed(seed);
    let (mut right, mut wrong, mut total) = (0, 0, 0);
    for _ in 0..experiments {
        let (judgement, rounds) = experiment(&draw(&mut rng), most, rules);
        total += rounds;
        let advised = judgement.advice.filter(|_| judgement.kind != Kind::Keep);
        match advised.map(|advice| advice.contender == (CONTENDERS - 1).to_string()) {
            Some(true) => right += 1,
            Some(false) => wrong += 1,
            None => {}
        }
    }
    let share = |count: usize| count as f64 / experiments as f64;
    let shares = Shares { right: share(right), wrong: share(wrong), rounds: share(total) };
    println!("right {}, wrong {}, rounds {}", shares.right, shares.wrong, shares.rounds);
    shares
}

/// Six identical contenders whose values scatter normally, so that their ratios scatter by 2 %.
fn draw_normal(rng: &mut Rng, rounds: usize) -> Vec<Vec<Vec<f64>>> {
    let scatter = 0.02 / f64::sqrt(2.0);
    let mut of = || (0..rounds).map(|_| (scatter * normal(rng)).exp()).collect::<Vec<f64>>();
    METRICS.iter().map(|_| (0..CONTENDERS).map(|_| of()).collect()).collect()
}

/// A value of a normal distribution: the sum of twelve uniform ones, which is one closely enough.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| rng.f64()).sum::<f64>() - 6.0
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes a release build")]
fn of_six_identical_allocators_none_is_recommended() {
    let recorded = Recorded::read();
    for (seed, most, count) in [(1, 20, MANY), (2, 60, FEW)] {
        let shares =
            simulate([seed, count], most, &Rules::default(), |rng| recorded.draw(rng, most));
        let switches = shares.right + shares.wrong;
        assert!(switches <= 0.05, "{switches} of {most} rounds");
    }
}

/// A correction for fewer comparisons than are made would be seen here.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes a release build")]
fn without_the_correction_many_would_be_recommended() {
    let corrected = simulate([5, MANY], 20, &Rules::default(), |rng| draw_normal(rng, 20));
    assert!(corrected.right + corrected.wrong <= 0.05, "{}", corrected.wrong);
    // An error of 5 % in each of the 20 comparisons.
    let single = Rules { confidence: 1.0 - 2.0 * 20.0 * 0.05, ..Rules::default() };
    let single = simulate([5, FEW], 20, &single, |rng| draw_normal(rng, 20));
    assert!(single.right + single.wrong > 0.05, "{}", single.wrong);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes a release build")]
fn a_gain_of_five_percent_is_named() {
    let shares = simulate([3, MANY], 20, &Rules::default(), |rng| {
        let mut values = draw_normal(rng, 20);
        values[0][CONTENDERS - 1].iter_mut().for_each(|value| *value *= 0.95);
        values
    });
    assert!(shares.right >= 0.95 && shares.wrong <= 0.01, "{} {}", shares.right, shares.wrong);
}

/// The same with recorded noise, made as large.
#[test]
#[cfg_attr(debug_assertions, ignore = "takes a release build")]
fn a_gain_of_five_percent_is_named_under_recorded_noise() {
    let recorded = Recorded::read();
    let logs = |metric: usize| -> Vec<f64> {
        recorded.0.iter().flatten().map(|values| values[metric].ln()).collect()
    };
    let deviation = |metric: usize| {
        let logs = logs(metric);
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        (squares / logs.len() as f64).sqrt()
    };
    let scale = [0, 1].map(|metric| 0.02 / f64::sqrt(2.0) / deviation(metric));
    let shares = simulate([4, MANY], 20, &Rules::default(), |rng| {
        let mut values = recorded.draw(rng, 20);
        for (index, of_metric) in values.iter_mut().enumerate() {
            let scaled = |value: &mut f64| *value = (value.ln() * scale[index.min(1)]).exp();
            of_metric.iter_mut().flatten().for_each(scaled);
        }
        values[0][CONTENDERS - 1].iter_mut().for_each(|value| *value *= 0.95);
        values
    });
    assert!(shares.right >= 0.95 && shares.wrong <= 0.01, "{} {}", shares.right, shares.wrong);
}
