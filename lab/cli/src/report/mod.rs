//! `heapsmith report`: the page and the tables of results that were measured before.

mod traces;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Parser;
use heapsmith_measure::error::{OK, usage};
use heapsmith_measure::failure::Failure;
use heapsmith_measure::files::Files;
use heapsmith_measure::outfile::refuse_inputs;
use heapsmith_measure::prove::Identity;
use heapsmith_measure::read::{Read, read};
use heapsmith_measure::record;
use heapsmith_measure::row::{Row, Series};
use heapsmith_measure::screen::{Screen, full_path};
use heapsmith_measure::suggest::did_you_mean;
use heapsmith_measure::verdict::{Judgement, chance, judge};

use crate::args::report::ReportArgs;
use crate::args::{Cli, Command};
use crate::shown::table;
use crate::shown::verdict::say;
use crate::traces::content::is_trace_file;
use crate::try_run::commands::command_line;
use traces::Shown;

pub fn run(args: &ReportArgs) -> Result<u8> {
    let inputs: Vec<&Path> = args.results.iter().map(PathBuf::as_path).collect();
    refuse_inputs(&[Some(&args.output)], &inputs)?;
    let (traces, measured): (Vec<PathBuf>, Vec<PathBuf>) =
        args.results.iter().cloned().partition(|path| is_trace_file(path));
    if measured.is_empty() {
        return traces::run(args, &traces);
    }
    let Read { mut results, rows, baseline, rules, remarks } =
        read(&measured, args.baseline.as_deref())?;
    require_known(&rows, &baseline)?;
    let files = Files::of(args.exports.wanted(&args.output))?;
    let screen = Screen::beside(&files);
    if args.baseline.is_some() {
        results.records.retain(|it| matches!(it, record::Record::Sample(_)));
        results.records.extend(rows.iter().flat_map(|row| record::ratios(row, &baseline)));
    }
    let lines = |name: &str| line(&results.identities, &results.provenance.command, &rows, name);
    let mut judgement = judge(&rows, &results.failures, &baseline, &rules, &lines);
    judgement.add(&chance::sentences(&results.attempts));
    results.verdict = Some(judgement.clone());
    let recorded = (!traces.is_empty()).then(|| Shown::read(&traces)).transpose()?;
    results.traces = recorded.as_ref().map(Shown::for_page).transpose()?;
    let page = results.write(files)?;

    for remark in remarks {
        eprintln!("heapsmith: {remark}");
    }
    let mut out = Vec::new();
    for row in &rows {
        let of_row = results.failures.iter().filter(|failed| {
            (&failed.suite, &failed.workload, &failed.params)
                == (&row.suite, &row.workload, &row.params)
        });
        let failures: Vec<Failure> = of_row.map(|failed| failed.failure.clone()).collect();
        print(&mut out, &screen, row, &baseline, &judgement, &failures)?;
    }
    say(&mut out, &judgement)?;
    if let Some(recorded) = &recorded {
        recorded.print(&mut out)?;
    }
    if let Some(page) = page {
        writeln!(out, "page: {}", full_path(&page))?;
    }
    screen.print(&out)?;
    Ok(OK)
}

fn print(
    out: &mut dyn Write,
    screen: &Screen,
    row: &Row,
    baseline: &str,
    judgement: &Judgement,
    failures: &[Failure],
) -> Result<()> {
    table::print(out, screen, &table::Shown { row, baseline, judgement, failures })?;
    writeln!(out)?;
    Ok(())
}

fn require_known(rows: &[Row], baseline: &str) -> Result<()> {
    let mut names: Vec<&str> = Vec::new();
    for name in rows.iter().flat_map(|row| &row.series).map(Series::name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.contains(&baseline) {
        return Ok(());
    }
    let hint = did_you_mean(baseline, &names);
    Err(usage(format!(
        "no contender of the results is called '{baseline}'{hint}; there are {}: choose with \
         --baseline NAME",
        names.join(", ")
    )))
}

/// The line that runs the program under a contender.
fn line(identities: &[Identity], command: &str, rows: &[Row], name: &str) -> String {
    let workload = rows.first().map_or("", |row| row.workload.as_str());
    let program = measured(command, workload).unwrap_or_else(|| workload.to_string());
    let identity = identities.iter().find(|identity| identity.name == name);
    identity.map_or(program.clone(), |identity| identity.line(&program))
}

/// What `command` has run as `workload`, if it is a call of `heapsmith try`.
fn measured(command: &str, workload: &str) -> Option<String> {
    let cli = Cli::try_parse_from(shlex::split(command)?).ok()?;
    let Command::Try(args) = cli.command else { return None };
    command_line(&args, workload)
}
