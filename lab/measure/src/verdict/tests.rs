//! The table of cases: rounds made by hand, and the verdict that each must have.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Map;

use super::*;
use crate::failure::Failure;
use crate::metric::Metric;
use crate::prove::Identity;
use crate::row::Series;

mod bytes;
mod failures;

const BASE: &str = "as-built";

/// A contender's time and peak memory as multiples of the baseline's, and how far each round is off
/// at most.
type Rounds<'a> = (&'a str, [f64; 2], [f64; 2]);

struct Case<'a> {
    name: &'a str,
    rounds: usize,
    contenders: &'a [Rounds<'a>],
    kind: Kind,
    advised: Option<&'a str>,
    headline: &'a [&'a str],
}

/// A spread over -1…1 that no two contenders share: multiples of the golden section, modulo 1.
fn spread(contender: usize, round: usize) -> f64 {
    let golden = 0.618_033_988_749_895;
    let at = (1.0 + round as f64) * golden * (1.0 + contender as f64);
    2.0 * at.fract() - 1.0
}

fn series(index: usize, (name, medians, scatter): &Rounds, rounds: usize) -> Series {
    let identity = Identity {
        name: (*name).to_string(),
        version: String::new(),
        settings: Vec::new(),
        library: PathBuf::new(),
        loaded: true,
    };
    let drift = |round: usize| 1.0 + 0.05 * (round % 7) as f64;
    let value = |metric: usize, round: usize| {
        let noise = 1.0 + scatter[metric] * spread(index + 3 * metric, round);
        Some(medians[metric] * noise * if metric == 0 { drift(round) } else { 1e9 })
    };
    let of = |metric: usize| (0..rounds).map(|round| value(metric, round)).collect();
    let values = BTreeMap::from([(Metric::Wall, of(0)), (Metric::PeakRss, of(1))]);
    Series::of_values(identity, values)
}

fn row(workload: &str, contenders: &[Rounds], rounds: usize) -> Row {
    let base = (BASE, [1.0, 1.0], contenders.first().map_or([0.0; 2], |(_, _, scatter)| *scatter));
    let all = std::iter::once(&base).chain(contenders).enumerate();
    let series = all.map(|(index, one)| series(index, one, rounds)).collect();
    Row { suite: "try".into(), workload: workload.into(), params: Map::new(), series }
}

fn judged(rows: &[Row], failures: &[Failed]) -> Judgement {
    judge(rows, failures, BASE, &Rules::default(), &|name| format!("LD_PRELOAD={name}.so ./app"))
}

fn failed(contender: &str, exit: Option<i32>, signal: Option<&str>, why: &str) -> Failed {
    failed_in("app", contender, exit, signal, why)
}

fn failed_in(
    workload: &str,
    contender: &str,
    exit: Option<i32>,
    signal: Option<&str>,
    why: &str,
) -> Failed {
    let (contender, signal) = (contender.to_string(), signal.map(str::to_string));
    let failure =
        Failure { contender, exit, signal, why: why.to_string(), stderr_tail: String::new() };
    let (suite, workload) = ("try".to_string(), workload.to_string());
    Failed { suite, workload, params: Map::new(), failure }
}

const QUIET: [f64; 2] = [0.004, 0.001];
const NOISY: [f64; 2] = [0.26, 0.001];

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case {
        name: "little memory, and a time that nobody can measure",
        rounds: 20,
        contenders: &[("a", [1.0, 0.994], NOISY), ("b", [1.0, 1.0], NOISY)],
        kind: Kind::CannotTell, advised: None,
        headline: &["Cannot tell: the rounds scatter by ", " in time, which could hide a gain of "],
    },
    Case {
        name: "little memory, and equal times",
        rounds: 20,
        contenders: &[("a", [1.0, 0.994], QUIET)],
        kind: Kind::Keep, advised: None,
        headline: &["Keep as-built: no other allocator is measurably faster or smaller"],
    },
    Case {
        name: "a tie in time is broken by memory",
        rounds: 20,
        contenders: &[("a", [0.633, 0.9], [0.10, 0.001]), ("b", [0.609, 1.0], [0.10, 0.001])],
        kind: Kind::Switch, advised: Some("a"),
        headline: &["Switch to a: it takes ", " less time and 10 % less peak memory than as-built"],
    },
    Case {
        name: "a tie in memory is broken by time",
        rounds: 20,
        contenders: &[("a", [1.0, 0.8], QUIET), ("b", [0.9, 0.8], QUIET)],
        kind: Kind::Switch, advised: Some("b"),
        headline: &["Switch to b: it takes 20 % less peak memory and 10 % less time than as-built."],
    },
    Case {
        name: "rounds that scatter by 13 %",
        rounds: 20,
        contenders: &[("a", [0.97, 1.0], NOISY), ("b", [1.02, 1.0], NOISY)],
        kind: Kind::CannotTell, advised: None,
        headline: &["Cannot tell: the rounds scatter by "],
    },
    Case {
        name: "memory gained, time unknown",
        rounds: 20,
        contenders: &[("a", [1.0, 0.9], NOISY)],
        kind: Kind::CannotTell, advised: None,
        headline: &["Cannot tell: ", " in time, which could hide a ", ", although a takes 10 % less peak memory than as-built."],
    },
    Case {
        name: "faster and smaller",
        rounds: 20,
        contenders: &[("a", [0.88, 0.95], QUIET), ("b", [1.0, 1.0], QUIET)],
        kind: Kind::Switch, advised: Some("a"),
        headline: &["Switch to a: it takes 12 % less time and 5.0 % less peak memory than as-built."],
    },
    Case {
        name: "faster but larger",
        rounds: 20,
        contenders: &[("a", [0.88, 1.4], QUIET), ("b", [1.0, 1.0], QUIET)],
        kind: Kind::Trade, advised: Some("a"),
        headline: &["a takes 12 % less time than as-built, but 40 % more peak memory."],
    },
    Case {
        name: "of two prices the better bargain",
        rounds: 20,
        contenders: &[("a", [0.70, 5.0], QUIET), ("b", [0.75, 1.1], QUIET)],
        kind: Kind::Trade, advised: Some("b"),
        headline: &["b takes 25 % less time than as-built, but 10 % more peak memory", "; a takes 30 % less time than as-built, but 5.0 times the peak memory."],
    },
    Case {
        name: "much larger is said in multiples",
        rounds: 20,
        contenders: &[("a", [0.88, 2.5], QUIET)],
        kind: Kind::Trade, advised: Some("a"),
        headline: &["12 % less time than as-built, but 2.5 times the peak memory."],
    },
    Case {
        name: "a gain without a price comes before a larger one with a price",
        rounds: 20,
        contenders: &[("a", [0.80, 1.4], QUIET), ("b", [0.95, 1.0], QUIET)],
        kind: Kind::Switch, advised: Some("b"),
        headline: &["Switch to b: it takes 5.0 % less time than as-built", "; a takes 20 % less time than as-built, but 40 % more peak memory."],
    },
    Case {
        name: "one is faster, another smaller",
        rounds: 20,
        contenders: &[("a", [0.97, 1.0], QUIET), ("b", [1.0, 0.6], QUIET)],
        kind: Kind::Switch, advised: Some("b"),
        headline: &["Switch to b: it takes 40 % less peak memory", "; a takes 3.0 % less time"],
    },
    Case {
        name: "everything is slower",
        rounds: 20,
        contenders: &[("a", [1.2, 1.0], QUIET), ("b", [1.1, 1.3], QUIET)],
        kind: Kind::Keep, advised: None,
        headline: &["Keep as-built"],
    },
    Case {
        name: "a gain below the smallest one",
        rounds: 40,
        contenders: &[("a", [0.995, 0.995], [0.001, 0.001])],
        kind: Kind::Keep, advised: None,
        headline: &["none gains more than 1.0 %."],
    },
    Case {
        name: "too few rounds",
        rounds: 4,
        contenders: &[("a", [0.5, 0.5], QUIET), ("b", [1.0, 1.0], QUIET)],
        kind: Kind::CannotTell, advised: None,
        headline: &["Cannot tell after 4 rounds: at least 9 are needed to compare 3 allocators."],
    },
    Case {
        name: "no contender but the baseline",
        rounds: 20, contenders: &[],
        kind: Kind::CannotTell, advised: None,
        headline: &["Cannot tell: only as-built was measured."],
    },
];

#[test]
fn every_case_has_its_verdict() {
    for case in CASES {
        let found = judged(&[row("app", case.contenders, case.rounds)], &[]);
        let shown = format!("{}: {found:#?}", case.name);
        assert_eq!(found.kind, case.kind, "{shown}");
        let advised = found.advice.as_ref().map(|advice| advice.contender.as_str());
        assert_eq!(advised, case.advised, "{shown}");
        for part in case.headline {
            assert!(found.headline.contains(part), "'{part}' in {shown}");
        }
        assert_eq!(found.headline.matches(". ").count(), 0, "one sentence: {shown}");
        assert_eq!(
            found.remedy.is_some(),
            case.kind == Kind::CannotTell && !case.contenders.is_empty(),
            "{shown}"
        );
    }
}

#[test]
fn processor_time_shows_what_wall_time_hides() {
    let mut row = row("app", &[("a", [1.0, 1.2], NOISY), ("b", [1.0, 1.0], NOISY)], 20);
    for (index, (name, cpu)) in [(BASE, 1.0), ("a", 0.7), ("b", 1.0)].into_iter().enumerate() {
        let of_round = |round| Some(cpu * (1.0 + 0.01 * spread(index, round)));
        let values = BTreeMap::from([(Metric::Cpu, (0..20).map(of_round).collect())]);
        let identity = row.named(name).expect("a series").identity.clone();
        row.add(Series::of_values(identity, values));
    }
    let found = judged(&[row], &[]);
    assert_eq!(found.kind, Kind::CannotTell);
    let end = "; a takes 30 % less processor time than as-built, but 20 % more peak memory.";
    assert!(found.headline.ends_with(end), "{}", found.headline);
    assert!(found.comparisons.iter().any(|one| one.metric == "cpu_s"));
}

/// Equal times over 20 rounds, and sampled memory over `runs` runs: a has 30 % less on average.
fn sampled(runs: usize) -> Row {
    let mut row = row("app", &[("a", [1.0, 1.0], QUIET)], 20);
    for (index, (name, mean)) in [(BASE, 1.0), ("a", 0.7)].into_iter().enumerate() {
        let of = |value: f64| -> Vec<Option<f64>> {
            (0..runs).map(|run| Some(value * (1.0 + 0.002 * spread(index, run)))).collect()
        };
        let values =
            BTreeMap::from([(Metric::PssPeak, of(1e9)), (Metric::PssMean, of(mean * 1e9))]);
        let identity = row.named(name).expect("a series").identity.clone();
        row.add(Series::of_values(identity, values));
    }
    row
}

#[test]
fn sampled_memory_answers_its_goals_if_there_are_runs_enough() {
    let found = judged(&[sampled(12)], &[]);
    let expected = "Switch to a: it takes 30 % less memory on average than as-built, with no \
                    measurable difference in time or peak memory.";
    assert_eq!((found.kind, found.headline.as_str()), (Kind::Switch, expected));
    let peak = found.comparisons.iter().find(|one| one.metric == "pss_peak_bytes");
    assert!(peak.is_some() && !found.comparisons.iter().any(|one| one.metric == "peak_rss_bytes"));

    let few = judged(&[sampled(3)], &[]);
    let expected = "Keep as-built: no other allocator is measurably faster or smaller at its peak, and \
                    none gains more than 1.0 %; memory on average was not compared (3 of 9 runs).";
    assert_eq!((few.kind, few.headline.as_str()), (Kind::Keep, expected));
    let mean = few.goals.iter().find(|one| one.goal == Goal::SmallestOnAverage).expect("a goal");
    assert_eq!(mean.sentence, "Too few rounds to compare memory on average: 3, and 9 are needed.");
    assert!(few.comparisons.iter().any(|one| one.metric == "peak_rss_bytes"));
}

#[test]
fn sampled_runs_too_few_for_an_interval_do_not_hide_the_peak_of_all_rounds() {
    let mut row = sampled(8);
    let peaks = row.named("a").expect("a series").by_round(Metric::PeakRss);
    let peaks = peaks.iter().map(|value| value.map(|value| 1.4 * value)).collect();
    let identity = row.named("a").expect("a series").identity.clone();
    row.add(Series::of_values(identity, BTreeMap::from([(Metric::PeakRss, peaks)])));
    let found = judged(&[row], &[]);
    let peak = found.goals.iter().find(|one| one.goal == Goal::SmallestAtPeak).expect("a goal");
    assert!(peak.sentence.contains("measurably larger at its peak: a"), "{}", peak.sentence);
}

#[test]
fn a_price_that_is_unknown_is_not_said_to_be_one() {
    let contenders = [("a", [0.98, 1.4], QUIET), ("b", [1.0, 0.7], [0.26, 0.001])];
    let found = judged(&[row("app", &contenders, 20)], &[]);
    assert_eq!(found.kind, Kind::Trade);
    let expected =
        "A gain with a price: a takes 2.0 % less time than as-built, but 40 % more peak memory";
    assert!(found.headline.starts_with(expected), "{}", found.headline);
}

#[test]
fn a_remedy_names_a_budget_only_if_it_holds_the_rounds() {
    let remedy = |scatter| {
        let rows = [row("app", &[("a", [1.0, 1.0], [scatter, 0.001])], 60)];
        judged(&rows, &[]).remedy.expect("unclear")
    };
    assert!(remedy(0.25).contains("or a larger --budget"), "{}", remedy(0.25));
    let many = remedy(0.7);
    assert!(many.contains("--rounds ") && !many.contains("--budget"), "{many}");
}

#[test]
fn looks_and_verdict_share_the_confidence_alike() {
    // Rows of seven and of two rivals: the looks at the second one know of the first.
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let rivals =
        |n: usize, medians| names[..n].iter().map(|name| (*name, medians, QUIET)).collect();
    let (many, few): (Vec<Rounds>, Vec<Rounds>) = (rivals(7, [1.0; 2]), rivals(2, [0.8, 1.0]));
    let at = |rounds| [row("app", &many, rounds), row("grow", &few, rounds)];
    let rules = Rules { compared: (7 + 2) * 3, ..Rules::default() };
    let first = (1..100).find(|rounds| is_decided(&at(*rounds)[1], BASE, &rules)).expect("a look");
    let found = judge(&at(first), &[], BASE, &rules, &|name| name.to_string());
    assert_eq!(found.compared, 27);
    let of_time = |one: &&Comparison| one.workload == "grow" && one.metric == "wall_s";
    let mut times = found.comparisons.iter().filter(of_time);
    assert!(times.all(|one| one.outcome == Outcome::Better), "{first}: {found:#?}");
    assert!(first >= rules.fewest_rounds(found.compared));
}

#[test]
fn of_six_rows_none_is_smaller() {
    let of = |index: usize| {
        let time = if index == 0 { 0.7 } else { 1.0 };
        row(&format!("row-{index}"), &[("a", [time, 1.0 + 0.1 * index as f64], QUIET)], 20)
    };
    let rows: Vec<Row> = (0..6).map(of).collect();
    let found = judged(&rows, &[]);
    assert_eq!(found.kind, Kind::Suite);
    let expected = "Of 6 workloads, a is measurably faster than as-built in 1, but larger at its \
                    peak in 5 (most in row-5: 50 % more peak memory); none shows an allocator \
                    measurably smaller at its peak than as-built.";
    assert_eq!(found.headline, expected);
    assert_eq!(found.advice, None);
    let smallest = found.goals.iter().find(|one| one.goal == Goal::SmallestAtPeak);
    assert_eq!(smallest.expect("measured").contender, None);
}

#[test]
fn the_smallest_says_where_it_is_larger() {
    let of = |index: usize| {
        let memory = if index == 2 { 1.3 } else { 0.8 };
        row(&format!("row-{index}"), &[("a", [1.0, memory], QUIET)], 20)
    };
    let found = judged(&(0..3).map(of).collect::<Vec<_>>(), &[]);
    let smallest = found.goals.iter().find(|one| one.goal == Goal::SmallestAtPeak).expect("goal");
    let expected = "a is measurably smaller at its peak than as-built in 2, but larger at its peak \
                    in 1 (row-2: 30 % more peak memory).";
    assert_eq!((smallest.contender.as_deref(), smallest.sentence.as_str()), (Some("a"), expected));
}

#[test]
fn each_goal_has_a_sentence_with_its_evidence() {
    let contenders = [("a", [0.9, 1.0], QUIET), ("b", [0.9, 1.2], QUIET)];
    let found = judged(&[row("app", &contenders, 20)], &[]);
    let of = |goal| found.goals.iter().find(|one| one.goal == goal).expect("a verdict");
    let fastest = of(Goal::Fastest);
    assert_eq!(fastest.contender.as_deref(), Some("a"));
    assert!(fastest.sentence.starts_with("a takes 10 % less time than as-built"), "{fastest:?}");
    assert!(fastest.sentence.contains("(×0.9") && fastest.sentence.contains("from it: b."));
    let expected = "Nothing is measurably smaller at its peak than as-built; measurably larger at its peak: b.";
    assert_eq!(of(Goal::SmallestAtPeak).sentence, expected);
    assert_eq!(of(Goal::Steadiest).contender, None);
}

#[test]
fn json_has_the_names_that_the_page_reads() {
    let found = judged(&[row("app", &[("a", [0.88, 1.4], QUIET)], 20)], &[]);
    let text = serde_json::to_string(&found).expect("JSON");
    for part in [r#""kind":"trade""#, r#""goal":"smallest_at_peak""#, r#""outcome":"worse""#] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(text.contains(r#""line":"LD_PRELOAD=a.so ./app""#) && text.contains(r#""compared":3"#));
    let read: Judgement = serde_json::from_str(&text).expect("a judgement");
    assert_eq!((read.kind, &read.goals, &read.advice), (found.kind, &found.goals, &found.advice));
    assert_eq!(read.comparisons.len(), found.comparisons.len());
}

#[test]
fn the_rounds_stop_once_everything_is_clear() {
    let rules = Rules::default();
    let clear = |rounds| row("app", &[("a", [0.8, 1.0], [0.001, 0.001])], rounds);
    let first = (1..100).find(|rounds| is_decided(&clear(*rounds), BASE, &rules));
    assert_eq!(first, Some(9));
    // It looks again only after half as many rounds more.
    assert!(!is_decided(&clear(10), BASE, &rules));
    let unclear = |rounds| row("app", &[("a", [1.0, 1.0], [0.1, 0.001])], rounds);
    assert!((1..60).all(|rounds| !is_decided(&unclear(rounds), BASE, &rules)));
    assert!((1..60).all(|rounds| !is_decided(&row("app", &[], rounds), BASE, &rules)));
}
