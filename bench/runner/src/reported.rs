//! The values that whole programs print about themselves, beside the costs of their runs.

use std::collections::BTreeMap;

use heapsmith_measure::metric::{Metric, OF_A_RUN};
use heapsmith_measure::row::Values;

/// The values of one run.
pub type Reported = Vec<(Metric, f64)>;

/// Reads the lines `value METRIC NUMBER`. The costs of a run are measured from outside, and values
/// that are no metrics are for other readers. The error is what is wrong with a line.
pub fn parse(text: &str) -> Result<Reported, String> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("value ").map(|it| (line, it)));
    let read = lines.map(|(line, rest)| value(rest).ok_or_else(|| format!("printed '{line}'")));
    let read: Result<Vec<(&str, f64)>, String> = read.collect();
    let metric = |name| Metric::named(name).filter(|metric| !OF_A_RUN.contains(metric));
    Ok(read?.into_iter().filter_map(|(name, number)| Some((metric(name)?, number))).collect())
}

fn value(text: &str) -> Option<(&str, f64)> {
    let (name, number) = text.split_once(' ')?;
    let number = number.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some((name, number))
}

/// The values of a contender's runs, by metric and round.
pub fn by_round(runs: &[Option<Reported>]) -> Values {
    let mut values: Values = BTreeMap::new();
    for (round, run) in runs.iter().enumerate() {
        for (metric, number) in run.iter().flatten() {
            let rounds = values.entry(*metric).or_insert_with(|| vec![None; runs.len()]);
            rounds[round] = Some(*number);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    //! Lines as programs print them, and lines that no program prints.
    use super::*;

    #[test]
    fn values_are_read_and_other_lines_are_not() {
        let text = "value call_ns 12.5\ncheck 0123\nvalue calls 3\nvalue wall_s 1\n\
                    value rss_idle_bytes 4096\n";
        let read = [(Metric::Call, 12.5), (Metric::RssIdle, 4096.0)];
        assert_eq!(parse(text), Ok(read.to_vec()));
        for bad in ["value call_ns", "value call_ns x", "value call_ns nan"] {
            assert_eq!(parse(bad), Err(format!("printed '{bad}'")));
        }
    }

    #[test]
    fn rounds_keep_their_places() {
        let runs = [None, Some(vec![(Metric::Call, 1.0)]), Some(vec![(Metric::P50, 2.0)])];
        let values = by_round(&runs);
        assert_eq!(values[&Metric::Call], [None, Some(1.0), None]);
        assert_eq!(values[&Metric::P50], [None, None, Some(2.0)]);
    }
}
