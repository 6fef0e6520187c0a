//! The CPU time that other work took while a row was measured, recorded with the row.

use std::io::Write;

use anyhow::Result;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::others::Taken;
use heapsmith_measure::progress::counted;
use heapsmith_measure::row::{Row, Series, Values};

/// Records it with each contender, because all took their turns in the same time.
pub fn record(row: &mut Row, taken: Option<Taken>) {
    let Some(taken) = taken else { return };
    let both = [(Metric::Others, taken.by_processes), (Metric::Stolen, taken.by_host)];
    let values = Values::from(both.map(|(metric, value)| (metric, vec![Some(value)])));
    let identities: Vec<_> = row.series.iter().map(|series| series.identity.clone()).collect();
    for identity in identities {
        row.add(Series::of_values(identity, values.clone()));
    }
}

/// The most that was taken in any pass over the row.
fn most(row: &Row) -> Taken {
    let of = |metric| {
        let all = row.series.iter().flat_map(|series| series.samples(metric));
        all.max_by(f64::total_cmp).unwrap_or(0.0)
    };
    Taken { by_processes: of(Metric::Others), by_host: of(Metric::Stolen) }
}

pub fn is_disturbed(row: &Row) -> bool {
    most(row).disturbs()
}

/// A line about the disturbed rows, if there are any.
pub fn print(out: &mut dyn Write, rows: &[Row], resumed: bool) -> Result<()> {
    let share = |row: &&Row| most(row).by_processes + most(row).by_host;
    let disturbed = || rows.iter().filter(|row| is_disturbed(row));
    let Some(worst) = disturbed().max_by(|one, other| share(one).total_cmp(&share(other))) else {
        return Ok(());
    };
    let count = counted(disturbed().count(), "row");
    let again = if resumed { "; --resume measures these rows again" } else { "" };
    let (label, taken) = (worst.label(), most(worst).describe());
    writeln!(out, "disturbed by other work: {count}, most of all {label}: {taken}{again}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    //! Rows with made-up disturbances.
    use heapsmith_measure::prove::Identity;
    use serde_json::Map;

    use super::*;

    fn row(workload: &str, by_processes: f64, by_host: f64) -> Row {
        let identity = |name: &str| Identity {
            name: name.to_string(),
            version: String::new(),
            library: "/lib".into(),
            loaded: true,
            settings: Vec::new(),
        };
        let values = Values::from([(Metric::Wall, vec![Some(1.0); 6])]);
        let series = ["a", "b"].map(|name| Series::of_values(identity(name), values.clone()));
        let (suite, workload) = ("x".to_string(), workload.to_string());
        let mut row = Row { suite, workload, params: Map::new(), series: series.into() };
        record(&mut row, Some(Taken { by_processes, by_host }));
        row
    }

    fn printed(rows: &[Row], resumed: bool) -> String {
        let mut out = Vec::new();
        print(&mut out, rows, resumed).expect("a vector takes all");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn each_contender_has_what_others_took() {
        let row = row("w", 0.5, 0.25);
        for series in &row.series {
            assert_eq!(series.by_round(Metric::Others), [Some(0.5)]);
            assert_eq!(series.by_round(Metric::Stolen), [Some(0.25)]);
            assert_eq!(series.rounds(), 6, "it is no round");
        }
    }

    #[test]
    fn the_worst_of_the_disturbed_rows_is_named() {
        let quiet = || row("quiet", 0.05, 0.0);
        assert_eq!(printed(&[quiet()], true), "");
        let rows = [quiet(), row("stolen", 0.0, 0.3), row("busy", 1.5, 0.0)];
        let line = "disturbed by other work: 2 rows, most of all busy: \
                    other processes took 1.50 CPUs, other machines 0.00";
        assert_eq!(printed(&rows, false), format!("{line}\n"));
        assert!(printed(&rows, true).ends_with("; --resume measures these rows again\n"));
    }

    #[test]
    fn a_row_is_disturbed_if_any_pass_over_it_was() {
        let mut all = row("w", 0.0, 0.0);
        all.continue_with(&row("w", 0.4, 0.0));
        assert!(is_disturbed(&all));
        all.continue_with(&row("w", 0.0, 0.0));
        assert!(is_disturbed(&all), "later rounds do not mend earlier ones");
    }
}
