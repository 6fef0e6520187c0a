//! The end of `heapsmith try`: the files, the tables, the verdict's sentence, and what to do next.

use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use heapsmith_measure::error::{INTERRUPTED, OK, REGRESSION, environment};
use heapsmith_measure::failure::Failure;
use heapsmith_measure::files::Files;
use heapsmith_measure::predict;
use heapsmith_measure::program::quote;
use heapsmith_measure::record::{self, Attempts, CodeAdvice, Failed};
use heapsmith_measure::results::Results;
use heapsmith_measure::row::Row;
use heapsmith_measure::screen::{Screen, full_path};
use heapsmith_measure::verdict::{Judgement, Rules, chance, judge};

use crate::advise::text;
use crate::args::try_::TryArgs;
use crate::shown::table::{self, Shown};
use crate::shown::verdict::say;
use crate::try_run::field::Field;
use crate::try_run::next::{Again, Finding};
use crate::try_run::pace::Further;
use crate::try_run::replays::{self, Beside};

pub struct End<'a> {
    pub args: &'a TryArgs,
    pub again: Again,
    /// The value of --alloc for each contender.
    pub specs: HashMap<String, String>,
    pub fields: Vec<Field<'a>>,
    pub interrupted: bool,
    pub rules: Rules,
    pub further: Further,
    /// Of --record.
    pub replays: Vec<Beside>,
    /// Why it fails under preloads alone.
    pub cause: Option<String>,
}

impl End<'_> {
    pub fn report(self, mut results: Results, files: Files) -> Result<u8> {
        let rows: Vec<Row> = self.fields.iter().map(Field::row).collect();
        let rows: Vec<Row> = rows.into_iter().filter(|row| !row.series.is_empty()).collect();
        results.failures.extend(self.fields.iter().flat_map(Field::failures));
        results.attempts.extend(self.fields.iter().flat_map(Field::attempts));
        let Some(baseline) = self.args.baseline.of(&rows) else {
            if self.interrupted {
                eprintln!("heapsmith: interrupted before the first measured run");
                return Ok(INTERRUPTED);
            }
            return Err(self.nothing_worked());
        };
        let mut judgement = judged(&self.fields, &rows, &results.failures, baseline, &self.rules);
        judgement.remedy = self.cause.clone().or(judgement.remedy);
        for row in &rows {
            results.records.extend(record::samples(row, &results.provenance));
            results.records.extend(record::ratios(row, baseline));
        }
        for Beside { replay, real, .. } in &self.replays {
            let foretold = predict::as_row(real, &predict::foretell(real, replay, baseline));
            results.records.extend(record::samples(&foretold, &results.provenance));
            results.records.extend(record::samples(replay, &results.provenance));
            results.records.extend(record::ratios(replay, baseline));
        }
        for Beside { advice, real, .. } in &self.replays {
            if let Some(advice) = advice {
                results.advice.push(CodeAdvice {
                    suite: real.suite.clone(),
                    workload: real.workload.clone(),
                    params: real.params.clone(),
                    advice: serde_json::to_value(advice)?,
                });
            }
        }
        let failures = results.failures.clone();
        let sampled = self.fields.iter().flat_map(|field| &field.sampled);
        results.curves = sampled.filter_map(|sampled| sampled.curve.clone()).collect();
        results.verdict = Some(judgement.clone());
        let screen = Screen::beside(&files);
        let written = results.write_each(files);
        let mut out = Vec::new();
        for row in &rows {
            let of_row = failures.iter().filter(|failed| failed.workload == row.workload);
            let of_row: Vec<Failure> = of_row.map(|failed| failed.failure.clone()).collect();
            let shown = Shown { row, baseline, judgement: &judgement, failures: &of_row };
            table::print(&mut out, &screen, &shown)?;
            writeln!(out)?;
        }
        for beside in &self.replays {
            replays::print(&mut out, &screen, beside)?;
        }
        say(&mut out, &judgement)?;
        for Beside { advice, real, .. } in &self.replays {
            if let Some(advice) = advice {
                text::print_beside(&mut out, &real.workload, advice)?;
            }
        }
        if let Some(page) = &written.page {
            writeln!(out, "page: {}", full_path(page))?;
        }
        let spec = |name: &str| self.specs.get(name).map_or(name, String::as_str).to_string();
        let (failures, further) = (failures.as_slice(), self.further);
        let workloads = self.fields.iter().map(Field::name).collect();
        let judgement = &judgement;
        let finding = Finding { judgement, failures, workloads, spec: &spec, further };
        writeln!(out, "next: {}", self.again.after(&finding))?;
        screen.print(&out)?;
        if let Some(why) = written.failed {
            return Err(keep(&results, written.json, &why));
        }
        Ok(match (self.interrupted, failures.is_empty()) {
            (true, _) => INTERRUPTED,
            (false, true) => OK,
            (false, false) => REGRESSION,
        })
    }

    fn nothing_worked(&self) -> anyhow::Error {
        // --ignore-failure measures no server that did not serve.
        let is_measured = self.args.ignore_failure || self.args.service().is_some();
        let each = self.fields.iter().filter_map(|field| {
            fails_everywhere(&field.subject.text, &field.failures(), is_measured)
        });
        let each: Vec<String> = each.collect();
        environment(if each.is_empty() { "nothing was run".to_string() } else { each.join("; ") })
    }
}

/// Keeps the rows of results whose files could not all be written. Returns: the error that says where.
fn keep(results: &Results, json: Option<PathBuf>, why: &anyhow::Error) -> anyhow::Error {
    let kept = match json.filter(|path| path.is_file()) {
        Some(path) => Ok(path),
        None => keep_elsewhere(results),
    };
    environment(match kept {
        Ok(path) => {
            let again = quote(&["heapsmith".into(), "report".into(), path.into()]);
            format!("{why:#}; the results are kept: `{again} -o FILE` makes the page")
        }
        Err(error) => format!("{why:#}; the results could not be kept: {error:#}"),
    })
}

fn keep_elsewhere(results: &Results) -> Result<PathBuf> {
    let mut builder = tempfile::Builder::new();
    let mut file = builder.prefix("heapsmith-results-").suffix(".json").tempfile()?;
    file.write_all(results.json_lines()?.as_bytes())?;
    Ok(file.keep()?.1)
}

/// The verdict on all rows so far.
pub fn judged(
    fields: &[Field],
    rows: &[Row],
    failures: &[Failed],
    baseline: &str,
    rules: &Rules,
) -> Judgement {
    // A line is asked for only if one command could be measured.
    let is_measured = |field: &&Field| rows.iter().any(|row| row.workload == field.name());
    let measured = fields.iter().find(is_measured);
    let lines = |contender: &str| measured.map_or_else(String::new, |field| line(field, contender));
    let mut judgement = judge(rows, failures, baseline, rules, &lines);
    let attempts: Vec<Attempts> = fields.iter().flat_map(Field::attempts).collect();
    judgement.add(&chance::sentences(&attempts));
    judgement
}

/// The line that runs a command under a contender.
fn line(field: &Field, contender: &str) -> String {
    let command = field.subject.program.command_line();
    let found = field.entrants.iter().find(|entrant| entrant.identity.name == contender);
    found.map_or(command.clone(), |entrant| entrant.identity.line(&command))
}

fn fails_everywhere(program: &str, failures: &[Failed], is_measured: bool) -> Option<String> {
    let failures: Vec<&Failure> = failures.iter().map(|failed| &failed.failure).collect();
    let first = failures.first()?;
    if failures.iter().any(|failure| failure.why != first.why) {
        let each: Vec<_> = failures.iter().map(|failure| failure.line()).collect();
        return Some(format!("{program} fails everywhere: {}", each.join("; ")));
    }
    let said = first.stderr_tail.lines().next_back().unwrap_or_default();
    let said = if said.is_empty() { String::new() } else { format!(" and says: {said}") };
    let hint = match (first.exit, is_measured) {
        (Some(_), false) => "; --ignore-failure measures it all the same",
        _ => "",
    };
    let why = &first.why;
    Some(format!("{program} fails under every allocator ({why}){said}{hint}"))
}
