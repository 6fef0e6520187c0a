//! Verdicts of the shipped targets on rows made by hand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use heapsmith_measure::metric::Metric;
use heapsmith_measure::prove::Identity;
use heapsmith_measure::row::{Row, Series};
use serde_json::{Value, json};

use super::*;

mod best;
mod cliffs;

fn suite(file: &str) -> Manifest {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Manifest::read(&root, Path::new(file)).expect("a good manifest")
}

/// Six rounds that drift alike for everyone; exact values are measured once.
fn series(name: &str, values: &[(Metric, f64)]) -> Series {
    let identity = Identity {
        name: name.to_string(),
        version: String::new(),
        library: PathBuf::new(),
        loaded: true,
        settings: Vec::new(),
    };
    let drift = |round: i32| 1.0 + 0.1 * f64::from(round);
    let rounds = |(metric, value): &(Metric, f64)| match metric {
        _ if metric.is_exact() => (*metric, vec![Some(*value)]),
        Metric::WorstInstructions => (*metric, vec![Some(*value)]),
        Metric::Refused => (*metric, vec![Some(*value); 6]),
        _ => (*metric, (0..6).map(|round| Some(value * drift(round))).collect()),
    };
    Series::of_values(identity, values.iter().map(rounds).collect::<BTreeMap<_, _>>())
}

fn row_of(workload: &str, params: Value, series: Vec<Series>) -> Row {
    let params = params.as_object().expect("an object").clone();
    Row { suite: "x".to_string(), workload: workload.to_string(), params, series }
}

fn row(workload: &str, params: Value, metric: Metric, values: &[(&str, f64)]) -> Row {
    let series = values.iter().map(|(name, value)| series(name, &[(metric, *value)])).collect();
    row_of(workload, params, series)
}

fn verdicts(suite: &Manifest, rows: &[Row]) -> Vec<String> {
    let mut text = Vec::new();
    print(&mut text, &judge(suite, rows)).expect("a vector takes all");
    let lines = String::from_utf8(text).expect("text");
    lines.lines().filter(|line| !line.starts_with("targets: ")).map(str::to_string).collect()
}

/// Rounds of the given times.
fn timed(name: &str, times: &[f64]) -> Series {
    let mut series = series(name, &[]);
    let values = times.iter().copied().map(Some).collect();
    series = Series::of_values(series.identity, BTreeMap::from([(Metric::Wall, values)]));
    series
}

/// Twelve rounds, a third of them `width` below `middle` and a third `width` above.
fn around(middle: f64, width: f64) -> Vec<f64> {
    (0..12).map(|round| middle * (1.0 + width * f64::from(round % 3 - 1))).collect()
}

#[test]
fn a_wide_interval_cannot_tell_and_asks_for_rounds() {
    let pools = suite("bench/pool_resource/suite.toml");
    let row = |width: f64| {
        let both = vec![
            timed("synchronized_pool", &around(0.2, width)),
            timed("pmr-sync-pool", &around(1.0, 0.0)),
        ];
        row_of("churn-nodes", json!({"threads": 10}), both)
    };
    let wide = judge(&pools, &[row(0.3)]);
    assert!(wide[0].text.ends_with("target ≤ 0.30 cannot tell: the interval is ±20 % wide"));
    let own = Doubt {
        workload: "churn-nodes".to_string(),
        threads: Some(10),
        contender: "synchronized_pool".to_string(),
    };
    assert!(doubts(&wide).contains(&own));
    assert_eq!(totals(&wide).as_deref(), Some("targets: 0 met, 0 missed, 1 cannot tell"));
    let narrow = judge(&pools, &[row(0.04)]);
    assert!(narrow[0].text.ends_with("target ≤ 0.30 met"), "{}", narrow[0].text);
    assert!(doubts(&narrow).is_empty());
    assert_eq!(totals(&narrow).as_deref(), Some("targets: 1 met, 0 missed"));
}

#[test]
fn a_worst_row_that_may_be_worse_cannot_be_told() {
    let heap = suite("lab/workloads/suite.toml");
    let of = |name: &str, middle: f64, width: f64| {
        let both =
            vec![timed("heapsmith", &around(middle, width)), timed("glibc", &around(1.0, 0.0))];
        row_of(name, json!({}), both)
    };
    let second = |rows: &[Row]| judge(&heap, rows).remove(1);
    let unclear = second(&[of("a", 1.2, 0.01), of("b", 1.0, 0.5)]);
    assert!(unclear.text.starts_with("  worst row: b"), "{}", unclear.text);
    assert_eq!(unclear.reached, Some(Reached::CannotTell));
    assert!(unclear.doubts.iter().all(|doubt| doubt.workload == "b"));
    let missed = second(&[of("a", 1.3, 0.01), of("b", 1.0, 0.5)]);
    assert!(missed.text.contains("worst row: a") && missed.text.ends_with("≤ 1.25 missed"));
    // However wide the interval of b is, it ends below the bar.
    let met = second(&[of("a", 1.2, 0.01), of("b", 0.5, 0.5)]);
    assert!(met.text.contains("worst row: a") && met.text.ends_with("≤ 1.25 met"), "{}", met.text);
}

/// Nine peers like the own contender: the best of them is not better than each of them.
#[test]
fn the_best_peer_is_not_scored_in_the_rounds_that_chose_it() {
    let names: Vec<String> = (0..9).map(|peer| format!("peer-{peer}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let spread = |who: usize, round: usize| {
        let at = (1.0 + round as f64) * 0.618_033_988_749_895 * (who as f64 + 2.0).sqrt();
        0.9 + 0.2 * at.fract()
    };
    let times = |who| (0..200).map(|round| spread(who, round)).collect::<Vec<f64>>();
    let mut all = vec![timed("own", &times(0))];
    all.extend(names.iter().enumerate().map(|(who, name)| timed(name, &times(who + 1))));
    let row = row_of("w", json!({}), all);
    let own = row.named("own").expect("measured");
    let standing = standing::Standing::of_best(&row, own, &names, Metric::Wall).expect("rounds");
    assert!((standing.estimate.median - 1.0).abs() < 0.02, "{}", standing.estimate);
    assert_eq!(standing.estimate.n, 200);
}

#[test]
fn an_arena_is_judged_where_limit_allows() {
    let arena = suite("bench/arena/suite.toml");
    let lines = |own, peer| {
        let values = [("arena", own), ("limit", 1.0), ("pmr-monotonic", peer)];
        verdicts(
            &arena,
            &[row("objects-16-trivial", json!({"threads": 1}), Metric::Alloc, &values)],
        )
    };
    let near = lines(1.1, 2.0);
    assert!(near[0].ends_with("target ≤ 1.15 met"), "{near:?}");
    assert!(near[1].ends_with("no target: limit takes 0.50 of pmr-monotonic"), "{near:?}");
    assert!(lines(1.1, 2.4)[1].ends_with("target ≤ 0.50 met"));
    assert!(lines(1.3, 2.4)[0].ends_with("target ≤ 1.15 missed"));
}

#[test]
fn a_scope_may_be_near_limit_instead() {
    let scope = suite("bench/scope/suite.toml");
    let lines = |own| {
        let values = [("scope", own), ("limit", 1.0), ("new-glibc", 4.0)];
        verdicts(
            &scope,
            &[row("objects-64-trivial", json!({"threads": 1}), Metric::Alloc, &values)],
        )
    };
    let near = lines(1.2);
    assert!(near[0].contains("target ≤ 0.15 missed; against limit ×1.200"), "{near:?}");
    assert!(near[0].ends_with("target ≤ 1.25 met"), "{near:?}");
    assert!(lines(1.3)[0].ends_with("target ≤ 1.25 missed"));
    assert!(lines(0.5)[0].ends_with("target ≤ 0.15 met"));
}

#[test]
fn only_some_threads_are_judged() {
    let values = [("synchronized_pool", 1.0), ("pmr-sync-pool", 2.0)];
    let at = |threads| row("churn-nodes", json!({ "threads": threads }), Metric::Wall, &values);
    let lines = verdicts(&suite("bench/pool_resource/suite.toml"), &[at(2), at(10)]);
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("churn-nodes ×10") && lines[0].ends_with("≤ 0.30 missed"));
}

#[test]
fn to_be_ahead_takes_the_whole_interval() {
    let values = [("allocator", 1.0), ("new-glibc", 1.0), ("limit", 0.5)];
    let rows = [row("vector-grow-4", json!({"threads": 1}), Metric::Wall, &values)];
    let lines = verdicts(&suite("bench/allocator/suite.toml"), &rows);
    assert!(lines[0].ends_with("target ≤ 1.00 met"), "{lines:?}");
    assert!(lines[1].ends_with("target ahead missed"), "{lines:?}");
}

#[test]
fn every_row_of_typed_containers_has_its_targets() {
    let containers = suite("bench/containers/suite.toml");
    let about = |workload: &str, n: u64, payload: u64, phase: &str, own: &str| {
        let others = ["std", "new-glibc", "fixed_deque_pool", "limit"];
        let values: Vec<_> = others.iter().chain([&own]).map(|name| (*name, 1.0)).collect();
        let params = json!({"n": n, "payload": payload, "phase": phase});
        let lines = verdicts(&containers, &[row(workload, params, Metric::Wall, &values)]);
        let of_own = lines.iter().filter(|line| line.contains(&format!(", {own} against")));
        of_own
            .map(|line| {
                let (_, rest) = line.split_once(" against ").expect("a comparison");
                let (_, most) = rest.split_once('≤').expect("a target");
                format!("{} {}", rest.split(':').next().unwrap_or_default(), &most[1..5])
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    assert_eq!(about("map", 100_000, 10, "probe", "fixed_pool"), "std 1.00, std 0.70");
    let of_columns = "std 1.00, std 0.70, fixed_deque_pool 1.00";
    assert_eq!(about("map", 100_000, 10, "probe", "soa_fixed_deque_pool"), of_columns);
    assert_eq!(about("set", 10, 0, "erase", "soa_fixed_deque_pool"), "std 0.70");
    assert_eq!(about("list", 10, 1, "push-pop", "soa_fixed_deque_pool"), "new-glibc 0.50");
    assert_eq!(about("list", 10, 100, "keys", "soa_fixed_deque_pool"), "fixed_deque_pool 0.75");
    assert_eq!(about("list", 10, 1, "keys", "soa_fixed_deque_pool"), "");
}

#[test]
fn each_row_is_held_against_its_own_best_peer() {
    let heap = suite("lab/workloads/suite.toml");
    let of = |own, glibc, tbb| {
        let values = [("heapsmith", own), ("glibc", glibc), ("tbbmalloc", tbb), ("limit", 0.1)];
        row("w", json!({}), Metric::Wall, &values)
    };
    let lines = verdicts(&heap, &[of(2.0, 1.0, 4.0), of(1.0, 4.0, 2.0)]);
    assert!(lines[0].contains("best peer of each row: geometric mean ×1.000"), "{lines:?}");
    assert!(lines[0].ends_with("over 2 rows, target ≤ 1.05 met"), "{lines:?}");
    assert_eq!(
        lines[1],
        "  worst row: w ×2.000 [2.000, 2.000] against glibc, target ≤ 1.25 missed"
    );
    assert!(
        verdicts(&heap, &[row("w", json!({}), Metric::Wall, &[("heapsmith", 2.0)])]).is_empty()
    );
}

#[test]
fn dominated_means_worse_in_both_against_the_same_peer() {
    let heap = suite("lab/workloads/suite.toml");
    let lines = |peers: &[(&str, f64, f64)]| {
        let both = |wall, rss| [(Metric::Wall, wall), (Metric::PeakRss, rss)];
        let mut all = vec![series("heapsmith", &both(2.0, 2.0))];
        all.extend(peers.iter().map(|(name, wall, rss)| series(name, &both(*wall, *rss))));
        verdicts(&heap, &[row_of("w", json!({}), all)]).split_off(4)
    };
    let found = lines(&[("glibc", 1.0, 1.0)]);
    assert!(found[0].starts_with("slower and larger than glibc: w, wall time ×2.000"), "{found:?}");
    let none = "rows where heapsmith is slower and larger than one and the same peer: none";
    assert_eq!(lines(&[("glibc", 1.0, 3.0), ("tbbmalloc", 3.0, 1.0)]), [none]);
}

#[test]
fn containers_are_held_against_glibc_kind_by_kind() {
    let of = |workload: &str, own| {
        row(workload, json!({"n": 1024}), Metric::Wall, &[("region", own), ("glibc", 1.0)])
    };
    let rows = [of("list-push", 0.5), of("map-erase", 1.2), of("map-find", 0.9)];
    let lines = verdicts(&suite("bench/region/suite.toml"), &rows);
    // The square root of 0.5 · 1.2, without the find.
    assert!(lines[0].contains("×0.775") && lines[0].ends_with("target ≤ 0.80 met"), "{lines:?}");
    assert!(
        lines[1].contains("map-erase 1024 ×1.200") && lines[1].ends_with("missed"),
        "{lines:?}"
    );
    let text = lines.join("\n");
    assert!(text.contains("map erase, wall time of region against glibc: geometric mean ×1.200"));
    assert!(text.contains("find, wall time of region against glibc: geometric mean ×0.900"));
    assert!(!text.contains("vector") && !text.contains("mixes"), "only measured rows are judged");
}

#[test]
fn a_peer_that_serves_less_is_not_the_best() {
    let mix = |refused: f64| {
        let of =
            |name, wall, refused| series(name, &[(Metric::Wall, wall), (Metric::Refused, refused)]);
        let all = vec![of("region", 2.0, 0.0), of("talc", 1.0, refused), of("rlsf", 4.0, 0.0)];
        let rows = [row_of("random-fixed-64-95", json!({"threads": 1}), all)];
        verdicts(&suite("bench/region/suite.toml"), &rows)
    };
    let serving = mix(0.0);
    assert!(serving[0].contains("the best peer of each row that has no more refused requests"));
    assert!(serving[1].contains("against talc"), "{serving:?}");
    let refusing = mix(1.0);
    assert!(refusing[1].contains("against rlsf"), "{refusing:?}");
    assert!(refusing.iter().any(|line| {
        line.contains("region against talc:") && line.ends_with("more refused requests in 1 of 1")
    }));
}

#[test]
fn utilisation_is_judged_by_the_mean_and_the_largest_loss() {
    let judge = |fills: &[(f64, f64)]| {
        let row = |(index, (own, other)): (usize, &(f64, f64))| {
            let values = [("region", *own), ("talc", *other)];
            row(&format!("fill-{index}"), json!({}), Metric::Utilisation, &values)
        };
        let rows: Vec<Row> = fills.iter().enumerate().map(row).collect();
        verdicts(&suite("bench/region/suite.toml"), &rows).remove(0)
    };
    let good = judge(&[(0.90, 0.80), (0.895, 0.90)]);
    assert!(good.contains("least -0.50 points in fill-1"), "{good}");
    assert!(good.ends_with("target ≥ 1.00, at most 1.0 points lost met"), "{good}");
    assert!(judge(&[(0.95, 0.80), (0.88, 0.90)]).ends_with(" missed"), "two points lost");
    assert!(judge(&[(0.895, 0.90)]).ends_with(" missed"), "less on the whole");
}

#[test]
fn the_longest_call_is_that_of_all_mixes() {
    let mix = |count| {
        let params = json!({"threads": 1});
        row("random-fixed-64-50", params, Metric::WorstInstructions, &[("talc", count)])
    };
    let lines = verdicts(&suite("bench/region/suite.toml"), &[mix(300.0), mix(100.0)]);
    assert_eq!(lines, ["random mixes, instructions of the worst call: talc 300"]);
}

#[test]
fn threads_are_compared_at_their_own_number() {
    let mix = |threads: u64, own: f64| {
        let values = [("concurrent_region", own), ("synchronized_region", 1.0)];
        row("random-fixed-64-50", json!({ "threads": threads }), Metric::Wall, &values)
    };
    let lines = verdicts(&suite("bench/region/suite.toml"), &[mix(1, 1.1), mix(10, 0.2)]);
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("random mixes ×1,") && lines[0].contains("×1.100"), "{lines:?}");
    assert!(lines[1].starts_with("random mixes ×10,") && lines[1].contains("×0.200"));
}

#[test]
fn counted_instructions_have_bars_of_their_own() {
    let pair = |workload: &str, size: u64, count: f64| {
        let values = [("heapsmith", count), ("glibc", 20.0)];
        row(workload, json!({ "size": size }), Metric::Instructions, &values)
    };
    let rows = [
        pair("malloc-free", 16, 30.0),
        pair("malloc-free", 1024, 33.0),
        pair("malloc-free", 8192, 44.0),
        pair("heap-malloc-free", 16, 39.0),
        pair("heap-malloc-free", 8192, 58.0),
    ];
    let lines = verdicts(&suite("bench/instructions/suite.toml"), &rows);
    let of = |start: &str| lines.iter().find(|line| line.starts_with(start)).expect("a line");
    assert!(
        of("heap-malloc-free 16")
            .ends_with("heapsmith against malloc-free: ×1.300, target ≤ 1.30 met")
    );
    assert!(of("heap-malloc-free 8192").ends_with("missed"));
    assert!(of("heapsmith, malloc+free of 16…1024 B: at most 33.0").ends_with("≤ 32 missed"));
    assert!(of("heapsmith, malloc+free of 8 KiB: at most 44.0").ends_with("≤ 45 met"));
}
