//! Differences of a few bytes, which are a large share of a small program.
use super::*;

#[test]
fn few_bytes_do_not_count_whatever_their_share() {
    let rows = [row("app", &[("a", [1.0, 0.97], QUIET)], 20)];
    let kind = |smallest_bytes| {
        let rules = Rules { smallest_bytes, ..Rules::default() };
        judge(&rows, &[], BASE, &rules, &|name| name.to_string())
    };
    // The baseline takes 1 GB, so a takes 30 MB less.
    assert_eq!((kind(29e6).kind, kind(31e6).kind), (Kind::Switch, Kind::Keep));
    let end = "and none gains more than 1.0 % or 30273 KiB.";
    assert!(kind(31e6).headline.ends_with(end), "{}", kind(31e6).headline);
}

#[test]
fn near_a_limit_in_bytes_more_rounds_would_not_do() {
    // 10 % less than 2.5 MB, which is almost 256 KiB: the interval reaches beyond.
    let rows = [row("app", &[("a", [1.0, 0.9], [0.004, 0.008])], 20)];
    let rules = Rules { smallest_bytes: 0.1049e9, ..Rules::default() };
    let found = judge(&rows, &[], BASE, &rules, &|name| name.to_string());
    let peak = found.comparisons.iter().find(|one| one.metric == "peak_rss_bytes").expect("it");
    assert!(peak.low.expect("an interval") < 1.0 - 0.1049, "{peak:?}");
    assert_eq!((peak.outcome, found.kind), (Outcome::Unclear, Kind::Keep), "{}", found.headline);
}

#[test]
fn a_tie_in_time_is_not_broken_by_few_bytes() {
    // Of 3 MB, b takes 60 KiB less than a.
    let rows = [row("app", &[("a", [0.6, 0.80], QUIET), ("b", [0.602, 0.78], QUIET)], 20)];
    let advised = |smallest_bytes| {
        let rules = Rules { smallest_bytes, ..Rules::default() };
        let found = judge(&rows, &[], BASE, &rules, &|name| name.to_string());
        found.advice.expect("a gain").contender
    };
    assert_eq!((advised(1e6), advised(50e6)), ("b".to_string(), "a".to_string()));
}
