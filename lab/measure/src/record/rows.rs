//! The rows that samples make.

use super::Sample;
use crate::row::{Row, Series, Values};

/// The rows of `samples`, in the order of their first appearance.
pub fn rows_of<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Result<Vec<Row>, String> {
    let mut rows: Vec<Row> = Vec::new();
    for sample in samples {
        let Sample { suite, workload, params, .. } = sample;
        let is_its =
            |row: &Row| (&row.suite, &row.workload, &row.params) == (suite, workload, params);
        let index = rows.iter().position(is_its).unwrap_or_else(|| {
            let (suite, workload, params) = (suite.clone(), workload.clone(), params.clone());
            rows.push(Row { suite, workload, params, series: Vec::new() });
            rows.len() - 1
        });
        let row = &mut rows[index];
        let known = row.named(&sample.contender);
        if known.is_some_and(|series| series.has(sample.metric)) {
            let (label, metric) = (row.label(), sample.metric.name());
            return Err(format!("{label}, {}: {metric} is there twice", sample.contender));
        }
        let by_round = sample.samples.iter().map(|value| value.map(|value| value.0)).collect();
        let values = Values::from([(sample.metric, by_round)]);
        row.add(Series::of_values(sample.identity(), values));
    }
    Ok(rows)
}
