//! Standings and verdicts computed by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;

use super::*;
use crate::prove::Identity;

/// Six rounds that drift alike for everyone; utilisation is measured once.
fn series(name: &str, values: &[(Metric, f64)]) -> Series {
    let identity = Identity {
        name: name.to_string(),
        version: String::new(),
        library: PathBuf::new(),
        loaded: true,
    };
    let drift = |round: i32| 1.0 + 0.1 * f64::from(round);
    let rounds = |(metric, value): &(Metric, f64)| match metric {
        Metric::Utilisation | Metric::WorstInstructions => (*metric, vec![Some(*value)]),
        Metric::Refused => (*metric, vec![Some(*value); 6]),
        _ => (*metric, (0..6).map(|round| Some(value * drift(round))).collect()),
    };
    Series::of_values(identity, values.iter().map(rounds).collect::<BTreeMap<_, _>>())
}

fn row(workload: &str, params: serde_json::Value, series: Vec<Series>) -> Row {
    let params = params.as_object().expect("an object").clone();
    Row { suite: "region", workload: workload.to_string(), params, series }
}

fn printed(print: impl Fn(&mut dyn Write) -> Result<()>) -> String {
    let mut text = Vec::new();
    print(&mut text).expect("a vector takes all");
    String::from_utf8(text).expect("text")
}

#[test]
fn containers_are_held_against_glibc_kind_by_kind() {
    let case = |workload: &str, own: f64| {
        let values = |wall| [(Metric::Wall, wall)];
        let both = vec![series(REGION, &values(own)), series("glibc", &values(1.0))];
        row(workload, json!({"n": 1024}), both)
    };
    let rows = [case("list-push", 0.5), case("map-erase", 1.2), case("map-find", 0.9)];
    let text = printed(|out| print_containers(out, &rows));
    let lines: Vec<&str> = text.lines().collect();
    // The square root of 0.5 · 1.2, without the find.
    assert!(lines[0].contains("×0.775") && lines[0].ends_with("target ≤ 0.80 met"), "{text}");
    assert!(lines[1].contains("map-erase 1024 ×1.200") && lines[1].ends_with("missed"), "{text}");
    assert!(lines[2].starts_with("list,") && lines[2].ends_with("target ≤ 0.70 met"), "{text}");
    assert!(text.contains("map erase, region against glibc: geometric mean ×1.200"), "{text}");
    assert!(text.contains("find, region against glibc: geometric mean ×0.900"), "{text}");
    assert!(!text.contains("vector"), "what was not measured is not judged");
}

#[test]
fn a_peer_that_serves_less_is_not_the_best() {
    let mix = |refused: f64| {
        let peer = [(Metric::Wall, 1.0), (Metric::Refused, refused)];
        let slow = [(Metric::Wall, 4.0), (Metric::Refused, 0.0)];
        let own = [(Metric::Wall, 2.0), (Metric::Refused, 0.0)];
        let all = vec![series(REGION, &own), series("talc", &peer), series("rlsf", &slow)];
        row("random-fixed-64-95", json!({"threads": 1}), all)
    };
    let best = |row: &Row| {
        let peers = ["talc", "rlsf"];
        best_standing(row, &peers, Metric::Wall).expect("six rounds").peer.to_string()
    };
    assert_eq!(best(&mix(0.0)), "talc");
    assert_eq!(best(&mix(1.0)), "rlsf");
    let serving_less = mix(1.0);
    assert!(refusing_more(&[&serving_less], "talc").contains("in 1 of 1 rows"));
    assert_eq!(refusing_more(&[&serving_less], "rlsf"), "");
}

#[test]
fn utilisation_is_judged_by_the_mean_and_the_largest_loss() {
    let fill = |workload: &str, own: f64, other: f64| {
        let value = |name, share| series(name, &[(Metric::Utilisation, share)]);
        row(workload, json!({}), vec![value(REGION, own), value("talc", other)])
    };
    let judge = |rows: &[Row]| printed(|out| print_utilisation(out, rows, &["talc", "pmr-pool"]));
    let good = judge(&[fill("fill-a", 0.90, 0.80), fill("fill-b", 0.895, 0.90)]);
    assert!(good.contains("least -0.50 points in fill-b") && good.ends_with(" met\n"), "{good}");
    let one_bad = judge(&[fill("fill-a", 0.95, 0.80), fill("fill-b", 0.88, 0.90)]);
    assert!(one_bad.ends_with(" missed\n"), "{one_bad}");
    let less = judge(&[fill("fill-a", 0.895, 0.90)]);
    assert!(less.ends_with(" missed\n"), "{less}");
}

#[test]
fn the_longest_call_is_that_of_all_mixes() {
    let mix = |count: f64| {
        let counted = vec![series("talc", &[(Metric::WorstInstructions, count)])];
        row("random-fixed-64-50", json!({"threads": 1}), counted)
    };
    let (low, high) = (mix(100.0), mix(300.0));
    let text = printed(|out| print_worst_calls(out, &[&high, &low]));
    assert_eq!(text, "random mixes, instructions of the worst call: talc 300\n");
}

#[test]
fn threads_are_compared_at_their_own_number() {
    let mix = |threads: u64, own: f64| {
        let both = vec![
            series(CONCURRENT, &[(Metric::Wall, own)]),
            series(SYNCHRONIZED, &[(Metric::Wall, 1.0)]),
        ];
        row("random-fixed-64-50", json!({"threads": threads}), both)
    };
    let text = printed(|out| print_threads(out, &[mix(1, 1.1), mix(10, 0.2)]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains("×1,") && lines[0].contains("×1.100"));
    assert!(lines[1].contains("×10,") && lines[1].contains("×0.200"));
}
