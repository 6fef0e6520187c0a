//! Standings computed by hand.

use std::path::PathBuf;

use serde_json::Map;

use super::*;
use crate::launch::Costs;
use crate::prove::Identity;

/// A contender whose six rounds took `wall_s` and `rss`, drifting alike for everyone.
fn series(name: &str, wall_s: f64, rss: f64) -> Series {
    let identity = Identity {
        name: name.to_string(),
        version: String::new(),
        library: PathBuf::new(),
        loaded: true,
    };
    let costs = |round: i32| {
        let drift = 1.0 + 0.1 * f64::from(round);
        let (wall_s, peak_rss_bytes) = (wall_s * drift, rss);
        Some(Costs { wall_s, cpu_s: wall_s, peak_rss_bytes, page_faults: 1.0 })
    };
    Series::of_runs(identity, &(0..6).map(costs).collect::<Vec<_>>())
}

fn row(series: Vec<Series>) -> Row {
    Row { suite: "heap", workload: "w".to_string(), params: Map::new(), series }
}

#[test]
fn each_row_is_held_against_its_own_best_peer() {
    let rows = [
        row(vec![
            series("heapsmith", 2.0, 1.0),
            series("glibc", 1.0, 1.0),
            series("tbbmalloc", 4.0, 1.0),
        ]),
        row(vec![
            series("heapsmith", 1.0, 1.0),
            series("glibc", 4.0, 1.0),
            series("tbbmalloc", 2.0, 1.0),
        ]),
    ];
    let standings: Vec<_> = rows.iter().filter_map(|row| standing(row, Metric::Wall)).collect();
    assert_eq!((standings[0].peer, standings[1].peer), ("glibc", "tbbmalloc"));
    let mean = mean_of(&standings).expect("six rounds");
    assert!((mean.median - 1.0).abs() < 1e-9, "2 and 1/2 have the geometric mean 1");
}

#[test]
fn a_contender_that_is_no_peer_is_not_the_best() {
    let row = row(vec![series("heapsmith", 2.0, 1.0), series("as-built", 1.0, 1.0)]);
    assert!(standing(&row, Metric::Wall).is_none());
}

#[test]
fn dominated_means_worse_in_both_against_the_same_peer() {
    let own = series("heapsmith", 2.0, 2.0);
    assert!(dominated(&own, &series("glibc", 1.0, 1.0)).is_some());
    assert!(dominated(&own, &series("glibc", 1.0, 3.0)).is_none());
    assert!(dominated(&own, &series("glibc", 3.0, 1.0)).is_none());
}

#[test]
fn targets_are_judged_by_the_low_end() {
    assert!(verdict(1.05, 1.05).ends_with("met"));
    assert!(verdict(1.051, 1.05).ends_with("missed"));
}
