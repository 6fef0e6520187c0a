//! The table at each width.
use std::collections::BTreeMap;

use heapsmith_measure::prove::Identity;
use heapsmith_measure::verdict::{Rules, judge};
use serde_json::Map;

use super::*;

fn series(name: &str, version: &str, medians: [f64; 4]) -> Series {
    let identity = Identity {
        name: name.into(),
        version: version.into(),
        settings: Vec::new(),
        library: "/lib/libc.so.6".into(),
        loaded: true,
    };
    let metrics = [Metric::Wall, Metric::Cpu, Metric::PeakRss, Metric::PageFaults];
    let drift = |round: usize| 1.0 + 0.001 * ((round * (7 + name.len())) % 11) as f64;
    let values = |median: f64| (0..24).map(|round| Some(median * drift(round))).collect();
    let by_metric = metrics.into_iter().zip(medians).map(|(metric, it)| (metric, values(it)));
    Series::of_values(identity, BTreeMap::from_iter(by_metric))
}

fn row() -> Row {
    Row {
        suite: "try".into(),
        workload: "app".into(),
        params: Map::new(),
        series: vec![
            series("as-built", "", [1.234, 1.2, 48e6, 12_000.0]),
            series("jemalloc-debian", "5.3.0", [1.1, 1.15, 60e6, 9_000.0]),
            series("mimalloc3", "3.3.2", [1.235, 1.201, 47e6, 11_900.0]),
        ],
    }
}

fn printed(width: Option<usize>) -> String {
    let row = row();
    let judgement =
        judge(std::slice::from_ref(&row), &[], "as-built", &Rules::default(), &|_| String::new());
    let shown = Shown { row: &row, baseline: "as-built", judgement: &judgement, failures: &[] };
    let mut text = Vec::new();
    print(&mut text, &Screen::plain(width), &shown).expect("printed");
    let text = String::from_utf8(text).expect("text");
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

#[test]
fn one_round_does_not_scatter() {
    assert!(noise_line(&row()).is_some_and(|line| line.starts_with("noise: wall time 0.")));
    let mut one = row();
    one.series = vec![Series::of_values(
        one.series[0].identity.clone(),
        BTreeMap::from([(Metric::Wall, vec![Some(1.0)])]),
    )];
    assert_eq!(noise_line(&one), None);
}

/// With HEAPSMITH_UPDATE_SNAPSHOTS set, the file is written instead.
fn compare(name: &str, expected: &str, width: Option<usize>) {
    let text = printed(width) + "\n";
    if std::env::var_os("HEAPSMITH_UPDATE_SNAPSHOTS").is_some() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/shown/table_snapshots/");
        std::fs::write(folder.to_string() + name, text).expect("written");
        return;
    }
    assert_eq!(text, expected);
}

#[test]
fn at_120_columns_the_intervals_stand_beside_the_ratios() {
    compare("120.snap", include_str!("table_snapshots/120.snap"), Some(120));
}

#[test]
fn at_80_columns_the_intervals_stand_below_and_page_faults_are_dropped() {
    compare("80.snap", include_str!("table_snapshots/80.snap"), Some(80));
}

#[test]
fn at_60_columns_time_and_peak_memory_stay() {
    compare("60.snap", include_str!("table_snapshots/60.snap"), Some(60));
}

#[test]
fn in_a_pipe_nothing_is_dropped() {
    let text = printed(None);
    for metric in ["wall time", "peak RSS", "CPU time", "page faults"] {
        assert!(text.contains(metric), "{metric}: {text}");
    }
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for width in 50..140 {
        let text = printed(Some(width));
        let longest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(longest <= width.max(60), "{longest} columns of {width}:\n{text}");
    }
}

#[test]
fn cells_say_what_the_verdict_says() {
    let text = printed(None);
    assert!(text.contains("better") && text.contains("worse"), "{text}");
    let row = row();
    let mut judgement =
        judge(std::slice::from_ref(&row), &[], "as-built", &Rules::default(), &|_| String::new());
    for one in &mut judgement.comparisons {
        one.outcome = Outcome::Unclear;
    }
    let shown = Shown { row: &row, baseline: "as-built", judgement: &judgement, failures: &[] };
    let mut text = Vec::new();
    print(&mut text, &Screen::plain(None), &shown).expect("printed");
    let text = String::from_utf8(text).expect("text");
    assert!(text.contains("s ?") && !text.contains("s better"), "{text}");
}
