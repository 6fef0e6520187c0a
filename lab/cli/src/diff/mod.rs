//! `heapsmith diff`: new results or a new trace against an old one, for people and for continuous
//! integration.

pub mod table;
pub mod traces;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::diff::{Diff, Outcome, Rules};
use heapsmith_measure::error::{ENVIRONMENT, OK, REGRESSION, usage};
use heapsmith_measure::files::{Files, Wanted};
use heapsmith_measure::lines;
use heapsmith_measure::outfile::refuse_inputs;
use heapsmith_measure::progress::counted;
use heapsmith_measure::read::{self, Read};
use heapsmith_measure::round::MAX_ROUNDS;
use heapsmith_measure::screen::Screen;
use serde::Serialize;

use crate::args::diff::DiffArgs;
use crate::shown::units::round;

/// The last line of the JSON.
#[derive(Serialize)]
struct Summary<'a> {
    old: &'a Path,
    new: &'a Path,
    fail_above: Option<f64>,
    confidence: f64,
    compared: usize,
    regressions: usize,
    is_worse: bool,
}

pub fn run(args: &DiffArgs) -> Result<u8> {
    let outputs = [args.json.as_deref(), args.export_markdown.as_deref()];
    refuse_inputs(&outputs, &[&args.old, &args.new])?;
    if traces::are_traces(&args.old, &args.new)? {
        return traces::run(args);
    }
    if args.export_markdown.is_some() {
        return Err(usage(
            "--export-markdown is for traces; for results, heapsmith try and report have it",
        ));
    }
    let old = read_one(&args.old)?;
    let new = read_one(&args.new)?;
    let metrics = args.metric.clone();
    let rules = Rules { fail_above: args.fail_above, metrics, ..Rules::default() };
    let files = Files::of(Wanted { json: args.json.as_deref(), ..Wanted::default() })?;
    let screen = Screen::beside(&files);
    let before = (&old.rows[..], &old.results.failures[..]);
    let after = (&new.rows[..], &new.results.failures[..]);
    let diff = Diff::of(before, after, &rules);
    if diff.changes.is_empty() && diff.broken.is_empty() {
        let (old, new) = (args.old.display(), args.new.display());
        return Err(usage(format!(
            "{old} and {new} have no workload, allocator and metric in common"
        )));
    }
    files.write_json(&json(args, &rules, &diff)?)?;
    if read::differs(&old.results.provenance.machine, &new.results.provenance.machine) {
        eprintln!("heapsmith: the results come from different machines");
    }
    let mut out = Vec::new();
    print(&mut out, &screen, args, &diff)?;
    screen.print(&out)?;
    Ok(match unjudged(args, &diff) {
        _ if diff.is_worse() => REGRESSION,
        0 => OK,
        _ => ENVIRONMENT,
    })
}

/// How many values the limit cannot judge, if there is one.
fn unjudged(args: &DiffArgs, diff: &Diff) -> usize {
    if args.fail_above.is_some() { diff.unjudged().count() } else { 0 }
}

fn read_one(path: &PathBuf) -> Result<Read> {
    read::read(std::slice::from_ref(path), None)
}

fn json(args: &DiffArgs, rules: &Rules, diff: &Diff) -> Result<String> {
    let mut text = String::new();
    for change in &diff.changes {
        text += &lines::write("change", change)?;
    }
    for missing in &diff.missing {
        text += &lines::write("missing", missing)?;
    }
    for failed in &diff.broken {
        text += &lines::write("failure", failed)?;
    }
    let summary = Summary {
        old: &args.old,
        new: &args.new,
        fail_above: rules.fail_above,
        confidence: rules.confidence,
        compared: diff.compared,
        regressions: diff.count(Outcome::Regression),
        is_worse: diff.is_worse(),
    };
    Ok(text + &lines::write("diff", &summary)?)
}

fn print(out: &mut dyn Write, screen: &Screen, args: &DiffArgs, diff: &Diff) -> Result<()> {
    if let Some(table) = table::fitting(screen, diff, args.all) {
        writeln!(out, "{table}")?;
        writeln!(out, "×: median of all ratios new / old [interval]; with 95 %")?;
        writeln!(out, "confidence, all intervals hold, if the rounds are the only noise")?;
    }
    for missing in &diff.missing {
        writeln!(out, "missing: {}", missing.line())?;
    }
    for failed in &diff.broken {
        writeln!(out, "new failure: {}, {}", failed.label(), failed.failure.line())?;
    }
    writeln!(out, "{}", summary(args, diff))?;
    if let (Some(limit), n @ 1..) = (args.fail_above, unjudged(args, diff)) {
        let (limit, values) = (round(100.0 * limit), counted(n, "value"));
        writeln!(
            out,
            "the limit of {limit} % was not applied to everything: the new results lack {values}"
        )?;
    }
    if let Some(remedy) = remedy(diff) {
        writeln!(out, "{remedy}")?;
    }
    Ok(())
}

/// "24 comparisons: 1 regression above 5 %, 2 worse, 21 without a change".
fn summary(args: &DiffArgs, diff: &Diff) -> String {
    let limit = args.fail_above.map(|share| format!(" above {} %", round(100.0 * share)));
    let limit = limit.unwrap_or_default();
    let count = |outcome| diff.count(outcome);
    let mut parts = Vec::new();
    if !diff.broken.is_empty() {
        parts.push(counted(diff.broken.len(), "new failure"));
    }
    if args.fail_above.is_some() {
        let regressions = match count(Outcome::Regression) {
            0 => "no measurable regression".to_string(),
            some => counted(some, "regression"),
        };
        parts.push(regressions + &limit);
    }
    let others = [
        (Outcome::Worse, "worse"),
        (Outcome::Better, "better"),
        (Outcome::CannotTell, "undecided"),
        (Outcome::Within, "without a change"),
    ];
    for (outcome, word) in others {
        if count(outcome) > 0 {
            parts.push(format!("{} {word}", count(outcome)));
        }
    }
    format!("{}: {}", counted(diff.changes.len(), "comparison"), parts.join(", "))
}

fn remedy(diff: &Diff) -> Option<String> {
    let undecided = diff.changes.iter().filter(|it| it.outcome == Outcome::CannotTell);
    let rounds = undecided.map(|change| change.old.n.min(change.new.n)).min()?;
    if rounds < diff.fewest_rounds {
        let (comparisons, fewest) = (counted(diff.compared, "comparison"), diff.fewest_rounds);
        let rounds = counted(rounds, "round");
        let need = if diff.compared == 1 { "needs" } else { "need" };
        return Some(format!(
            "{comparisons} {need} {fewest} rounds in both files, but one file has only {rounds}: \
             heapsmith try --rounds {fewest}"
        ));
    }
    let more = (2 * rounds).clamp(31, MAX_ROUNDS);
    Some(format!(
        "undecided: the rounds scatter too much. Measure both with more rounds, such as heapsmith \
         try --rounds {more}, on the same quiet machine"
    ))
}
