//! Twins, allowances, and costs that grow.

use super::*;

const GROWING: &str = "name = 'x'
about = 'y'
kind = 'programs'
program = '{contender}'
shown = ['call_ns']
next = 'x'
contender = [{ name = 'own', role = 'own' }, { name = 'a', role = 'peer' },
             { name = 'b', role = 'peer' }]
[[workload]]
names = ['blocks']
[[growth]]
own = 'own'
against = 'peers'
metric = 'call_ns'
along = 'blocks'
at_most = 1.3
";

#[test]
fn a_twin_tells_how_much_noise_there_is_and_is_no_peer() {
    let heap = suite("lab/workloads/suite.toml");
    let of = |name: &str, twin| {
        let values = [("heapsmith", 1.0), ("heapsmith-twin", twin), ("glibc", 4.0)];
        row(name, json!({}), Metric::Wall, &values)
    };
    let lines = verdicts(&heap, &[of("a", 0.8), of("b", 1.25)]);
    assert!(lines[0].contains("geometric mean ×0.250"), "the twin is not the best: {lines:?}");
    let noise = "  noise: heapsmith against itself ×1.000 [1.000, 1.000], \
                 rows from ×0.800 to ×1.250";
    assert_eq!(lines[2], noise);
}

#[test]
fn a_worst_row_is_judged_without_a_bar_for_the_mean() {
    let heap = suite("lab/workloads/suite.toml");
    let of = |own| {
        let both = |wall, rss| [(Metric::Wall, wall), (Metric::PeakRss, rss)];
        let all = vec![
            series("heapsmith", &both(own, 2.0)),
            series("glibc", &both(1.0, 2.0)),
            series("rpmalloc", &both(0.1, 3.0)),
        ];
        let lines = verdicts(&heap, &[row_of("plateau", json!({}), all)]);
        let at = lines.iter().position(|line| line.starts_with("cliffs")).expect("a mean");
        lines[at + 1].clone()
    };
    // rpmalloc is faster, but holds more memory.
    assert!(of(1.2).contains("against glibc") && of(1.2).ends_with("≤ 1.25 met"), "{}", of(1.2));
    assert!(of(1.3).ends_with("≤ 1.25 missed"), "{}", of(1.3));
}

#[test]
fn an_allowance_is_added_to_the_bar() {
    let heap = suite("lab/workloads/suite.toml");
    // The median of rounds that drift is 1.25 of the first one.
    let mib = f64::from(1 << 20) / 1.25;
    let of = |own: f64, peer: f64| {
        let both = |wall, idle| [(Metric::Wall, wall), (Metric::RssIdle, idle)];
        let all = vec![
            series("heapsmith", &both(1.0, own * mib)),
            series("glibc", &both(1.0, peer * mib)),
            series("jemalloc", &both(2.0, 0.1 * mib)),
        ];
        let lines = verdicts(&heap, &[row_of("w", json!({}), all)]);
        lines.into_iter().find(|line| line.contains("RSS after idle")).expect("a line")
    };
    // A slower peer is not the leanest.
    assert!(of(2.2, 1.0).ends_with("target ≤ 2.25 with 1.00 MiB more met"), "{}", of(2.2, 1.0));
    assert!(of(2.3, 1.0).contains("against glibc") && of(2.3, 1.0).ends_with("missed"));
    assert!(of(14.0, 10.0).ends_with("target ≤ 1.35 with 1.00 MiB more missed"));
}

#[test]
fn growth_is_that_beyond_the_growth_of_the_best_peers() {
    let suite = Manifest::parse(GROWING).expect("good");
    let at = |blocks: u64, own, a, b| {
        row(
            "blocks",
            json!({ "blocks": blocks }),
            Metric::Call,
            &[("own", own), ("a", a), ("b", b)],
        )
    };
    let of = |last| {
        let rows = [at(100_000, last, 60.0, 80.0), at(1_000, 10.0, 20.0, 10.0)];
        verdicts(&suite, &rows).remove(0)
    };
    let head = "blocks, time per call of own against the best peer: ×1.000 [1.000, 1.000] at blocks \
                1000, ×1.200 [1.200, 1.200] at blocks 100000, growth ×1.200";
    assert!(of(72.0).starts_with(head) && of(72.0).ends_with("target ≤ 1.30 met"), "{}", of(72.0));
    assert!(of(84.0).ends_with("target ≤ 1.30 missed"), "{}", of(84.0));
    let one = [at(1_000, 1.0, 1.0, 1.0)];
    assert!(verdicts(&suite, &one).is_empty(), "one row has no growth");
}
