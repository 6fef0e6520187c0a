//! --resume FILE: the rows of a suite that is measured in several sittings. The file has the results
//! so far, as --json writes them. A row in it is kept if it is whole: if each contender has all its
//! rounds, none failed, and nothing disturbed it. All other rows are measured again, from the first
//! round, since rounds of two sittings are not interleaved.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::usage;
use heapsmith_measure::lines::{self, Line};
use heapsmith_measure::machine::Machine;
use heapsmith_measure::metric::Metric;
use heapsmith_measure::progress::counted;
use heapsmith_measure::read::differs;
use heapsmith_measure::record::{self, Failed, Record, Sample, rows_of};
use heapsmith_measure::results::Results;
use heapsmith_measure::row::Row;
use serde_json::{Map, Value};

use crate::manifest::Case;
use crate::noise;

pub struct Resume {
    path: PathBuf,
    samples: Vec<Sample>,
    rows: Vec<Row>,
    failures: Vec<Failed>,
}

/// The properties of a row of this sitting.
struct Wanted<'a> {
    contenders: Vec<&'a str>,
    rounds: usize,
    quick: bool,
    /// The measured program.
    program: PathBuf,
}

impl Resume {
    /// Without a file nothing is kept.
    pub fn open(path: &Path, suite: &str) -> Result<Self> {
        let named = || path.display().to_string();
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(usage(format!("{}: {error}", named()))),
        };
        let (mut samples, mut failures) = (Vec::new(), Vec::new());
        for line in lines::read(&named(), &text)? {
            match line {
                Line::Sample(sample) => samples.push(*sample),
                Line::Failure(failed) => failures.push(failed),
                _ => (),
            }
        }
        if let Some(other) = samples.iter().find(|sample| sample.suite != suite) {
            let other = &other.suite;
            return Err(usage(format!("{}: results of {other}, not of {suite}", named())));
        }
        let rows = rows_of(&samples).map_err(usage)?;
        Ok(Self { path: path.to_path_buf(), samples, rows, failures })
    }

    /// The row of a case in which `chosen` take part, if it is whole.
    pub fn kept_of(
        &self,
        case: &Case,
        chosen: &[Installed],
        rounds: usize,
        quick: bool,
        program: PathBuf,
    ) -> Option<Row> {
        let names = chosen.iter().map(Installed::name);
        let takes_part = |name: &&str| case.contenders.iter().any(|one| one == name);
        let contenders = names.filter(takes_part).collect();
        self.kept(case, &Wanted { contenders, rounds, quick, program })
    }

    /// The row of a case, if it is whole.
    fn kept(&self, case: &Case, wanted: &Wanted) -> Option<Row> {
        let is_its = |workload: &str, params: &Map<String, Value>| {
            workload == case.workload && *params == case.params
        };
        if self.failures.iter().any(|failed| is_its(&failed.workload, &failed.params)) {
            return None;
        }
        let row = self.rows.iter().find(|row| is_its(&row.workload, &row.params))?;
        if noise::is_disturbed(row) {
            return None;
        }
        let is_current = self.samples_of(row).all(|sample| is_current(sample, wanted));
        let has_all = |metric: Metric, rounds: usize| {
            wanted.contenders.iter().all(|name| {
                row.named(name).is_some_and(|series| series.samples(metric).len() >= rounds)
            })
        };
        let has_rested = !case.rests || has_all(Metric::RssIdle, 1);
        (is_current && has_all(Metric::Wall, wanted.rounds) && has_rested).then(|| row.clone())
    }

    fn samples_of<'a>(&'a self, row: &'a Row) -> impl Iterator<Item = &'a Sample> {
        self.samples.iter().filter(|it| it.workload == row.workload && it.params == row.params)
    }

    /// The records of a row: those of the sitting that measured it, unless this one went on with it.
    pub fn records(&self, row: &Row, results: &Results) -> Vec<Record> {
        let before: Vec<&Sample> = self.samples_of(row).collect();
        let fresh = record::samples(row, &results.provenance);
        let is_known = |record: &Record| match record {
            Record::Sample(sample) => before.iter().any(|known| {
                (&known.contender, known.metric, &known.samples)
                    == (&sample.contender, sample.metric, &sample.samples)
            }),
            Record::Ratio(_) => false,
        };
        match !before.is_empty() && fresh.iter().all(is_known) {
            true => before.into_iter().map(|it| Record::Sample(Box::new(it.clone()))).collect(),
            false => fresh,
        }
    }

    /// Replaces the file, as a whole, by the results so far: what it had of other rows stays.
    pub fn write(&self, rows: &[Row], results: &Results) -> Result<()> {
        let is_measured = |workload: &str, params: &Map<String, Value>| {
            rows.iter().any(|row| row.workload == workload && row.params == *params)
                || results.failures.iter().any(|it| it.workload == workload && it.params == *params)
        };
        let mut text = String::new();
        for record in rows.iter().flat_map(|row| self.records(row, results)) {
            text += &lines::write_record(&record)?;
        }
        for sample in self.samples.iter().filter(|it| !is_measured(&it.workload, &it.params)) {
            text += &lines::write("sample", sample)?;
        }
        let failures = self.failures.iter().filter(|it| !is_measured(&it.workload, &it.params));
        for failed in failures.chain(&results.failures) {
            text += &lines::write("failure", failed)?;
        }
        let named = || self.path.display().to_string();
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))
            .with_context(named)?;
        std::io::Write::write_all(&mut file, text.as_bytes()).with_context(named)?;
        file.persist(&self.path).with_context(named)?;
        Ok(())
    }
}

/// Rows with the places of their cases.
#[derive(Default)]
pub struct Rows(Vec<(usize, Row)>);

impl Rows {
    /// Adds a row of an earlier sitting.
    pub fn keep(&mut self, at: usize, row: Row, results: &mut Results) {
        row.series.iter().for_each(|series| results.identify(&series.identity));
        self.add(at, row);
    }

    pub fn add(&mut self, at: usize, row: Row) {
        self.0.push((at, row));
    }

    /// Says how many rows are kept, if any are.
    pub fn tell_kept(&self) {
        if !self.0.is_empty() {
            eprintln!("kept: {}, measured before", counted(self.0.len(), "row"));
        }
    }

    pub fn in_order(&self) -> Vec<Row> {
        let mut all: Vec<&(usize, Row)> = self.0.iter().collect();
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, row)| row.clone()).collect()
    }
}

/// Whether it was measured on this machine, in the same length, with the program and the library
/// that are there now.
fn is_current(sample: &Sample, wanted: &Wanted) -> bool {
    let was_quick = sample.command.split(' ').any(|word| word == "--quick");
    was_quick == wanted.quick
        && !differs(&sample.machine, &Machine::look())
        && [wanted.program.as_path(), Path::new(&sample.library)]
            .into_iter()
            .all(|file| is_older(file, &sample.created))
}

/// Whether a file is there that has not changed since the time.
fn is_older(file: &Path, time: &str) -> bool {
    let changed = std::fs::metadata(file).and_then(|file| file.modified());
    let time = humantime::parse_rfc3339(time);
    changed.is_ok_and(|changed| time.is_ok_and(|time| changed <= time))
}

#[cfg(test)]
mod tests {
    //! Files of results that were written by hand.
    use heapsmith_measure::others::Taken;
    use heapsmith_measure::prove::Identity;
    use heapsmith_measure::record::Provenance;
    use heapsmith_measure::row::{Series, Values};
    use serde_json::json;

    use super::*;
    use crate::manifest::Manifest;

    const SUITE: &str = "name = 'x'\nabout = 'y'\nkind = 'processes'\nshown = []\nnext = 'x'\n\
        contender = [{ name = 'glibc' }, { name = 'jemalloc' }]\n[[workload]]\nnames = ['w']\n\
        about = 'z'\nprogram = '/bin/true'\nthreads = [2]\n";

    fn identity(name: &str) -> Identity {
        let (version, settings) = ("1".to_string(), Vec::new());
        Identity { name: name.into(), version, library: "/bin/true".into(), loaded: true, settings }
    }

    fn row(rounds: &[usize], taken: f64) -> Row {
        let of = |(name, rounds): (&str, &usize)| {
            let values = Values::from([(Metric::Wall, vec![Some(1.0); *rounds])]);
            Series::of_values(identity(name), values)
        };
        let params = Map::from_iter([("threads".to_string(), json!(2))]);
        let series = ["glibc", "jemalloc"].into_iter().zip(rounds).map(of).collect();
        let mut row = Row { suite: "x".into(), workload: "w".into(), params, series };
        noise::record(&mut row, Some(Taken { by_processes: taken, by_host: 0.0 }));
        row
    }

    fn results(command: &str, created: &str) -> Results {
        let (command, created) = (command.to_string(), created.to_string());
        Results::of(Provenance { machine: Machine::look(), command, created })
    }

    fn failed() -> Failed {
        let line = json!({"suite": "x", "workload": "w", "params": {"threads": 2}, "contender": "jemalloc",
                          "exit": 1, "signal": null, "why": "exit code 1", "stderr_tail": ""});
        serde_json::from_value(line).expect("a failure")
    }

    /// Whether a sitting keeps what an earlier one has written.
    fn keeps(row: &Row, earlier: &Results, contenders: &[&str], rounds: usize) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.json");
        let file = Resume::open(&path, "x").expect("there is no file yet");
        file.write(std::slice::from_ref(row), earlier).expect("written");
        let file = Resume::open(&path, "x").expect("good");
        assert!(Resume::open(&path, "y").is_err(), "another suite");
        let manifest = Manifest::parse(SUITE).expect("good");
        let (contenders, program) = (contenders.to_vec(), PathBuf::from("/bin/true"));
        let wanted = Wanted { contenders, rounds, quick: false, program };
        let kept = file.kept(&manifest.cases(false)[0], &wanted);
        if let Some(kept) = &kept {
            let later = results("./dev bench later", "2999-01-01T00:00:00Z");
            let is_of_first = |record: &Record| match record {
                Record::Sample(sample) => sample.created == earlier.provenance.created,
                Record::Ratio(_) => false,
            };
            assert!(file.records(kept, &later).iter().all(is_of_first), "each says its sitting");
            let mut more = kept.clone();
            more.continue_with(kept);
            assert!(!file.records(&more, &later).iter().any(is_of_first), "it was gone on with");
        }
        let other = Row { workload: "v".to_string(), ..row.clone() };
        file.write(&[other], earlier).expect("written");
        let both = Resume::open(&path, "x").expect("good");
        let first = both.kept(&manifest.cases(false)[0], &wanted);
        if earlier.failures.is_empty() {
            assert_eq!((both.rows.len(), first.is_some()), (2, kept.is_some()), "no row is lost");
        }
        kept.is_some()
    }

    #[test]
    fn a_whole_row_is_kept() {
        let now = || results("./dev bench x", "2990-01-01T00:00:00Z");
        assert!(keeps(&row(&[6, 6], 0.0), &now(), &["glibc", "jemalloc"], 6));
        assert!(keeps(&row(&[6, 6], 0.0), &now(), &["glibc"], 6), "more contenders than wanted");
    }

    #[test]
    fn a_row_that_is_not_whole_is_measured_again() {
        let now = || results("./dev bench x", "2990-01-01T00:00:00Z");
        let both = ["glibc", "jemalloc"];
        assert!(!keeps(&row(&[6, 5], 0.0), &now(), &both, 6), "an interrupted row");
        assert!(!keeps(&row(&[6], 0.0), &now(), &both, 6), "a contender is missing");
        assert!(!keeps(&row(&[6, 6], 0.0), &now(), &both, 7), "fewer rounds");
        assert!(!keeps(&row(&[6, 6], 0.5), &now(), &both, 6), "a disturbed row");
        let mut earlier = now();
        earlier.failures.push(failed());
        assert!(!keeps(&row(&[6, 6], 0.0), &earlier, &both, 6), "a failure");
    }

    #[test]
    fn rows_of_another_length_machine_or_build_are_measured_again() {
        let of = |command, created| results(command, created);
        let both = ["glibc", "jemalloc"];
        let good = row(&[6, 6], 0.0);
        assert!(!keeps(&good, &of("./dev bench x --quick", "2990-01-01T00:00:00Z"), &both, 6));
        assert!(!keeps(&good, &of("./dev bench x", "1990-01-01T00:00:00Z"), &both, 6), "rebuilt");
        let mut elsewhere = of("./dev bench x", "2990-01-01T00:00:00Z");
        elsewhere.provenance.machine.cpus += 1;
        assert!(!keeps(&good, &elsewhere, &both, 6));
    }
}
