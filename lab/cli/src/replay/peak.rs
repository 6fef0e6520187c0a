//! The peak of a whole process, from a replay: the memory of its allocator and the rest of it are
//! seldom largest at the same time.
//!
//! The recording says how much memory the process had, and when. Of that, the memory of a replay under
//! the same allocator at that time is subtracted. The rest is the program's own, under any allocator.

use std::collections::BTreeMap;

use heapsmith_measure::metric::Metric;
use heapsmith_measure::row::{Row, Values};

use crate::replay::output::Sample;
use crate::replay::rounds::Memory;

/// The memory of a replay at a time, in nanoseconds: that of the last sample before it.
fn at(samples: &[Sample], ns: f64) -> f64 {
    let after = samples.partition_point(|sample| sample.ns <= ns);
    samples.get(after.saturating_sub(1)).map_or(0.0, |sample| sample.anonymous)
}

/// Puts the peak of the whole process in place of the peak of the replay's, in each round; both are
/// without files. `recorded`: when the process had how much, under `baseline`.
pub fn correct(
    row: &mut Row,
    memory: &BTreeMap<String, Memory>,
    recorded: &[(f64, f64)],
    baseline: &str,
) {
    let Some(base) = memory.get(baseline).filter(|it| !it.samples.is_empty()) else { return };
    let rest: Vec<Sample> = recorded
        .iter()
        .map(|&(ns, bytes)| Sample {
            ns,
            // A replay that is ahead of the recording has more.
            anonymous: (bytes - at(&base.samples, ns)).max(0.0),
            ..Sample::default()
        })
        .collect();
    if rest.is_empty() {
        return;
    }
    // All of a row, or none: peaks with the rest and without it do not compare.
    if row.series.iter().any(|series| !memory.contains_key(series.name())) {
        return;
    }
    for series in &mut row.series {
        let its = &memory[series.name()];
        let most = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max);
        // The process is seldom looked at, and a replay grows in between.
        let times = rest.iter().chain(&its.samples).map(|sample| sample.ns);
        let whole = most(&mut times.map(|ns| at(&rest, ns) + at(&its.samples, ns)));
        let alone = most(&mut its.samples.iter().map(|sample| sample.anonymous));
        let Some(median) = series.median(Metric::PeakRss) else { continue };
        let added = its.peak + whole - alone - median;
        let rounds = series.by_round(Metric::PeakRss);
        let values = rounds.iter().map(|peak| peak.map(|it| it + added)).collect();
        series.add(Values::from([(Metric::PeakRss, values)]));
    }
}

#[cfg(test)]
mod tests {
    //! A process whose own memory is largest when its blocks are few.
    use std::path::PathBuf;

    use heapsmith_measure::prove::Identity;
    use heapsmith_measure::row::Series;
    use serde_json::Map;

    use super::*;

    fn memory(peak: f64, samples: &[(f64, f64)]) -> Memory {
        let sample = |&(ns, anonymous)| Sample { ns, anonymous, ..Sample::default() };
        Memory { peak, samples: samples.iter().map(sample).collect() }
    }

    fn row(peaks: &[(&str, f64)]) -> Row {
        let series = peaks.iter().map(|&(name, peak)| {
            let identity = Identity {
                name: name.to_string(),
                version: String::new(),
                library: PathBuf::new(),
                loaded: true,
                settings: Vec::new(),
            };
            let rounds = vec![Some(peak - 1.0), Some(peak), Some(peak + 1.0)];
            Series::of_values(identity, Values::from([(Metric::PeakRss, rounds)]))
        });
        let (suite, workload) = (String::new(), String::new());
        Row { suite, workload, params: Map::new(), series: series.collect() }
    }

    #[test]
    fn the_rest_of_the_process_counts_when_it_was_there() {
        // Both need 100 at first; later, "gives" has 20 and the baseline keeps 90.
        let all = BTreeMap::from([
            ("base".to_string(), memory(110.0, &[(0.0, 100.0), (50.0, 90.0)])),
            ("gives".to_string(), memory(110.0, &[(0.0, 100.0), (50.0, 20.0)])),
        ]);
        let recorded = [(10.0, 130.0), (60.0, 290.0)]; // the rest: 30, then 200
        let mut it = row(&[("base", 105.0), ("gives", 105.0)]);
        correct(&mut it, &all, &recorded, "base");
        let peak = |name: &str| it.named(name).and_then(|one| one.median(Metric::PeakRss));
        assert_eq!(peak("base"), Some(110.0 + 290.0 - 100.0));
        assert_eq!(peak("gives"), Some(110.0 + 220.0 - 100.0));
        // One grows after the process was looked at last.
        let mut grown = all.clone();
        let grows = [(0.0, 100.0), (50.0, 90.0), (70.0, 300.0)];
        grown.insert("gives".to_string(), memory(310.0, &grows));
        let mut late = row(&[("base", 105.0), ("gives", 105.0)]);
        correct(&mut late, &grown, &recorded, "base");
        let its = late.named("gives").and_then(|one| one.median(Metric::PeakRss));
        assert_eq!(its, Some(310.0 + 500.0 - 300.0));
        // A short program, which was looked at before it allocated.
        let mut short = row(&[("base", 105.0), ("gives", 105.0)]);
        correct(&mut short, &all, &[(0.0, 1.0), (60.0, 2.0)], "base");
        for name in ["base", "gives"] {
            let its = short.named(name).and_then(|one| one.median(Metric::PeakRss));
            assert_eq!(its, Some(110.0), "its replay's peak");
        }
        let mut same = row(&[("base", 105.0), ("unknown", 105.0)]);
        correct(&mut same, &all, &recorded, "base");
        assert_eq!(same.named("base").and_then(|one| one.median(Metric::PeakRss)), Some(105.0));
    }
}
