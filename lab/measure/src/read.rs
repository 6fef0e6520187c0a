//! Results read back from files, several of them as one.

mod file;
mod labels;

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::{Context, Result};

use crate::contender::AS_BUILT;
use crate::error::usage;
use crate::lines::{self, Line};
use crate::machine::Machine;
use crate::record::{Provenance, Record, rows_of};
use crate::results::Results;
use crate::row::Row;
use crate::verdict::{Judgement, Rules};

use file::File;

/// The results of some files, with the rows that their samples make.
pub struct Read {
    pub results: Results,
    pub rows: Vec<Row>,
    /// The contender that the files compare against.
    pub baseline: String,
    /// Those of the verdicts in the files, which share their confidence in the same way.
    pub rules: Rules,
    /// Facts about the files together that a reader should know.
    pub remarks: Vec<String>,
}

/// Reads `paths`; `-` is stdin. A workload that several files have becomes one workload per file:
/// their rounds were not interleaved, so they make no pairs.
pub fn read(paths: &[PathBuf], baseline: Option<&str>) -> Result<Read> {
    let labels = labels::of_paths(paths)?;
    let mut files = Vec::new();
    for (path, label) in paths.iter().zip(labels) {
        let is_stdin = path == Path::new("-");
        let shown = if is_stdin { "stdin".into() } else { path.display().to_string() };
        let lines = lines_of(path, &shown)?;
        files.push(File { path: shown, label, lines });
        let file = &files[files.len() - 1];
        if file.samples().next().is_none() {
            return Err(usage(format!(
                "{}: no measured value; expected lines of kind sample",
                file.path
            )));
        }
    }
    let baseline = match baseline {
        Some(name) => name.to_string(),
        None => common_baseline(&files)?,
    };
    labels::part_contenders(&mut files, &baseline);
    labels::part_workloads(&mut files);
    let remarks = differing_machines(&files).into_iter().collect();
    let samples = files.iter().flat_map(File::samples);
    let rows = rows_of(samples).map_err(usage)?;
    let rules = rules(files.iter().filter_map(File::verdict));
    Ok(Read { results: merge(files)?, rows, baseline, rules, remarks })
}

fn rules<'a>(verdicts: impl Iterator<Item = &'a Judgement>) -> Rules {
    let (mut compared, mut largest, mut each_row) = (0, 1, false);
    for verdict in verdicts {
        compared += verdict.compared;
        largest = largest.max(verdict.compared);
        each_row |= verdict.each_row;
    }
    let compared = if each_row { largest } else { compared.max(1) };
    Rules { compared, each_row, ..Rules::default() }
}

fn lines_of(path: &Path, shown: &str) -> Result<Vec<Line>> {
    if path == Path::new("-") {
        return lines::read_from(shown, io::stdin().lock());
    }
    let file = fs::File::open(path).map_err(|error| usage(format!("{shown}: {error}")))?;
    lines::read_from(shown, io::BufReader::new(file))
}

fn common_baseline(files: &[File]) -> Result<String> {
    let mut known = files.iter().filter_map(|file| Some((file, file.baseline()?)));
    let Some((first, baseline)) = known.next() else {
        return Ok(AS_BUILT.to_string());
    };
    if let Some((other, another)) = known.find(|(_, name)| *name != baseline) {
        return Err(usage(format!(
            "{} compares against {baseline}, {} against {another}: choose with --baseline NAME",
            first.path, other.path
        )));
    }
    Ok(baseline.to_string())
}

fn differing_machines(files: &[File]) -> Option<String> {
    let machine = |file: &File| file.samples().next().map(|sample| sample.machine.clone());
    let first = machine(files.first()?)?;
    let other = files.iter().find(|file| machine(file).is_some_and(|it| differs(&it, &first)))?;
    Some(format!("{} and {} come from different machines", files[0].path, other.path))
}

/// Whether times of one say nothing about times of the other.
pub fn differs(one: &Machine, other: &Machine) -> bool {
    let of = |it: &Machine| (it.cpu.clone(), it.cpus, it.kernel.clone(), it.libc.clone());
    of(one) != of(other)
}

fn merge(files: Vec<File>) -> Result<Results> {
    let mut commands: Vec<String> = Vec::new();
    let mut created = String::new();
    let mut machine = None;
    for sample in files.iter().flat_map(File::samples) {
        if !commands.contains(&sample.command) {
            commands.push(sample.command.clone());
        }
        created = created.max(sample.created.clone());
        machine.get_or_insert_with(|| sample.machine.clone());
    }
    let machine = machine.context("results without a sample")?;
    let mut results = Results::of(Provenance { machine, command: commands.join("; "), created });
    for line in files.into_iter().flat_map(|file| file.lines) {
        match line {
            Line::Sample(sample) => {
                results.identify(&sample.identity());
                results.records.push(Record::Sample(sample));
            }
            Line::Ratio(ratio) => results.records.push(Record::Ratio(ratio)),
            Line::Failure(failed) => results.failures.push(failed),
            Line::Attempts(attempts) => results.attempts.push(attempts),
            Line::Curve(curve) => results.curves.push(curve),
            Line::Process(process) => results.processes.push(process),
            Line::Advice(advice) => results.advice.push(advice),
            Line::Published(published) => results.published.push(published),
            Line::Verdict(_) => (), // The reader judges again.
        }
    }
    Ok(results)
}

#[cfg(test)]
mod tests;
