//! `heapsmith diff` on two traces: calls, bytes, the peak and what is left, in all and by site.

use std::fmt::{self, Display, Write};
use std::fs;
use std::path::Path;

use anyhow::Result;
use heapsmith_measure::error::{ENVIRONMENT, OK, REGRESSION, environment, usage};
use heapsmith_measure::files::{Files, Wanted};
use heapsmith_measure::lines;
use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::screen::Screen;
use heapsmith_measure::stats::Verdict;
use heapsmith_measure::table::{Cell, judged_cell};
use heapsmith_trace::changes::{Change, Changes, Numbers, OfSite};
use heapsmith_trace::info::{Info, of_trace};
use heapsmith_trace::packed::Tables;
use heapsmith_trace::printable::{markdown, name};
use serde::Serialize;

use crate::args::diff::DiffArgs;
use crate::shown::units::{growth, round};
use crate::traces::content::{Content, content_of};
use crate::traces::losses;

/// Sites that grew or shrank by less, of the whole program, are not listed without --all.
const SHOWN_FROM: f64 = 0.005;
const MOST_SITES: usize = 20;

/// Returns: whether the files are traces, or what is left of them. Errors: only one is.
pub fn are_traces(old: &Path, new: &Path) -> Result<bool> {
    for path in [old, new].into_iter().filter(|path| *path != Path::new("-")) {
        fs::metadata(path).map_err(|error| usage(format!("{}: {error}", path.display())))?;
    }
    match (content_of(old), content_of(new)) {
        (Content::Results, Content::Trace) => Err(mixed(new, old)),
        (Content::Trace, Content::Results) => Err(mixed(old, new)),
        (Content::Trace, _) | (_, Content::Trace) | (Content::CutOff, Content::CutOff) => Ok(true),
        _ => Ok(false),
    }
}

fn mixed(trace: &Path, other: &Path) -> anyhow::Error {
    let (trace, other) = (trace.display(), other.display());
    usage(format!("{trace} is a trace, but {other} is not: compare two traces, or two results"))
}

/// The last line of the JSON.
#[derive(Serialize)]
struct Summary<'a> {
    old: &'a Path,
    new: &'a Path,
    fail_above: Option<f64>,
    #[serde(flatten)]
    whole: Numbers,
    regressions: Vec<String>,
    /// Losses of the traces: the regressions are not known.
    lacks: &'a [String],
}

pub fn run(args: &DiffArgs) -> Result<u8> {
    if !args.metric.is_empty() {
        return Err(usage("--metric is for results: a diff of traces shows all numbers"));
    }
    let json = args.json.as_deref();
    let markdown = args.export_markdown.as_deref();
    let files = Files::of(Wanted { json, markdown, ..Wanted::default() })?;
    let screen = Screen::beside(&files);
    let mut lacks = Vec::new();
    let read =
        read_one(&args.old, &mut lacks).and_then(|old| Ok((old, read_one(&args.new, &mut lacks)?)));
    let (old, new) = match read {
        Ok(both) => both,
        Err(error) => {
            let line = error.to_string();
            files.write("", &unread_as_markdown(&line))?;
            return Err(environment(line));
        }
    };
    let changes = Changes::of((&old.0, &old.1), (&new.0, &new.1));
    let judged = if lacks.is_empty() { regressions(&changes, args.fail_above) } else { Vec::new() };
    let outcome = Outcome { regressions: judged, lacks };
    let listed = listed(&changes, args.all);
    files.write(
        &as_json(args, &changes, &outcome)?,
        &as_markdown(args, &changes, &listed, &outcome),
    )?;
    screen.print(as_text(&screen, &changes, &listed, &outcome, args).as_bytes())?;
    Ok(match (outcome.regressions.is_empty(), outcome.lacks.is_empty()) {
        (true, false) if args.fail_above.is_some() => ENVIRONMENT,
        (true, _) => OK,
        (false, _) => REGRESSION,
    })
}

/// The judgement on two traces.
struct Outcome<'a> {
    regressions: Vec<Regression<'a>>,
    /// The losses of the traces. With one, there is no judgement: a program that was not recorded to
    /// its end did not shrink.
    lacks: Vec<String>,
}

fn read_one(path: &Path, lacks: &mut Vec<String>) -> Result<(Info, Tables)> {
    const HEADER: u64 = 16;
    let is_cut = content_of(path) != Content::Foreign;
    if is_cut && fs::metadata(path).is_ok_and(|it| it.len() < HEADER) {
        let path = path.display();
        return Err(environment(format!("{path}: it ends before its first event")));
    }
    let (info, tables, damage) = of_trace(path)?;
    let undecided = losses::undecided(&info, &tables, damage.as_deref());
    let line = losses::first_line(&undecided);
    lacks.extend(line.map(|line| format!("{} is {line}", name(&path.to_string_lossy()))));
    Ok((info, tables))
}

/// A number that grew by more than the limit.
struct Regression<'a> {
    what: String,
    site: Option<&'a str>,
}

impl Display for Regression<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.what)?;
        self.site.map_or(Ok(()), |site| write!(to, " at {site}"))
    }
}

/// A line for each number of the program that grew by more than the limit, and for each site in both
/// traces whose number grew by more than that share of the program's.
fn regressions(changes: &Changes, limit: Option<f64>) -> Vec<Regression<'_>> {
    let Some(limit) = limit else { return Vec::new() };
    let whole = changes.whole.all();
    let mut lines = Vec::new();
    for (n, change) in whole.into_iter().enumerate() {
        if change.growth() > limit {
            let (name, share) = (Numbers::NAMES[n], growth(change.growth()));
            let what = format!("{name} {share} ({})", both(n, change));
            lines.push(Regression { what, site: None });
        }
    }
    for site in &changes.sites {
        for (n, (change, whole)) in site.numbers.all().into_iter().zip(whole).enumerate() {
            // A new site may be an old one that got another name.
            let share = change.growth_of(whole.old);
            if change.old != 0 && share > limit {
                let (name, share) = (Numbers::NAMES[n], growth(share));
                let what = format!("{name} {share} of the program ({})", both(n, change));
                lines.push(Regression { what, site: Some(&site.name) });
            }
        }
    }
    lines
}

/// The sites with a change, the largest first.
fn listed(changes: &Changes, all: bool) -> Vec<&OfSite> {
    let least = if all { f64::MIN_POSITIVE } else { SHOWN_FROM };
    changes.largest(least)
}

fn show(number: usize, n: u64) -> String {
    if number == 0 { n.to_string() } else { show_bytes(n as f64) }
}

/// "1.2 MiB → 1.5 MiB", or one number if both are equal.
fn both(number: usize, change: Change) -> String {
    match change.old == change.new {
        true => show(number, change.new),
        false => format!("{} → {}", show(number, change.old), show(number, change.new)),
    }
}

fn as_text(
    screen: &Screen,
    changes: &Changes,
    listed: &[&OfSite],
    outcome: &Outcome<'_>,
    args: &DiffArgs,
) -> String {
    let mut out = String::new();
    for line in &outcome.lacks {
        let _ = writeln!(out, "{line}");
    }
    let mut table = screen.table();
    table.set_header(["", "old", "new", "change"].map(Cell::new));
    for (n, change) in changes.whole.all().into_iter().enumerate() {
        let share = change.growth();
        let is_worse = args.fail_above.is_some_and(|limit| share > limit);
        table.add_row([
            Cell::new(Numbers::NAMES[n]),
            Cell::new(show(n, change.old)),
            Cell::new(show(n, change.new)),
            judged_cell(growth(share), is_worse.then_some(Verdict::Worse)),
        ]);
    }
    let _ = writeln!(out, "{table}");
    if !listed.is_empty() {
        let mut table = screen.table();
        table.set_header(["site", "calls", "bytes", "at the peak", "never freed"].map(Cell::new));
        for site in shown(listed, args) {
            let cells = site.numbers.all().into_iter().enumerate();
            let cells = cells.map(|(n, change)| Cell::new(both(n, change)));
            table.add_row([Cell::new(&site.name)].into_iter().chain(cells));
        }
        let _ = writeln!(out, "\nsites that changed, the largest changes first\n{table}");
        let more = listed.len() - shown(listed, args).len();
        if more > 0 {
            let _ = writeln!(out, "{more} more; --all shows them");
        }
    }
    let _ = writeln!(out, "{}", conclusion(args, outcome));
    for line in &outcome.regressions {
        let _ = writeln!(out, "regression: {line}");
    }
    out
}

fn shown<'a>(listed: &'a [&'a OfSite], args: &DiffArgs) -> &'a [&'a OfSite] {
    if args.all { listed } else { &listed[..listed.len().min(MOST_SITES)] }
}

fn conclusion(args: &DiffArgs, outcome: &Outcome<'_>) -> String {
    let Some(limit) = args.fail_above else {
        return "no limit: --fail-above 5% makes growth of more than 5 % a failure".to_string();
    };
    let limit = round(100.0 * limit);
    match outcome.regressions.len() {
        0 if !outcome.lacks.is_empty() => {
            format!("the limit of {limit} % was not applied: it needs complete traces")
        }
        0 => format!("no number grew by more than {limit} %"),
        1 => format!("1 number grew by more than {limit} %"),
        n => format!("{n} numbers grew by more than {limit} %"),
    }
}

fn unread_as_markdown(why: &str) -> String {
    format!("### Allocations\n\n- **{}**\n\nnot compared\n", why.replace('|', "\\|"))
}

/// For the page of a pull request.
fn as_markdown(
    args: &DiffArgs,
    changes: &Changes,
    listed: &[&OfSite],
    outcome: &Outcome<'_>,
) -> String {
    let mut out = String::from("### Allocations\n\n");
    let Outcome { regressions, lacks } = outcome;
    for line in lacks {
        let _ = writeln!(out, "- **{line}**");
    }
    for line in regressions {
        let site = line.site.map_or(String::new(), |site| format!(" at {}", markdown(site)));
        let _ = writeln!(out, "- **{}**{site}", line.what);
    }
    let end = if regressions.is_empty() && lacks.is_empty() { "" } else { "\n" };
    let _ = writeln!(out, "{end}{}\n", conclusion(args, outcome));
    let _ = writeln!(out, "| | old | new | change |\n|---|--:|--:|--:|");
    for (n, change) in changes.whole.all().into_iter().enumerate() {
        let (old, new) = (show(n, change.old), show(n, change.new));
        let _ = writeln!(
            out,
            "| {} | {old} | {new} | {} |",
            Numbers::NAMES[n],
            growth(change.growth())
        );
    }
    if !listed.is_empty() {
        let _ = writeln!(out, "\n| site | calls | bytes | at the peak | never freed |");
        let _ = writeln!(out, "|---|--:|--:|--:|--:|");
        for site in shown(listed, args) {
            let cells = site.numbers.all().into_iter().enumerate();
            let cells: Vec<String> = cells.map(|(n, change)| both(n, change)).collect();
            let _ = writeln!(out, "| {} | {} |", markdown(&site.name), cells.join(" | "));
        }
    }
    out
}

fn as_json(args: &DiffArgs, changes: &Changes, outcome: &Outcome<'_>) -> Result<String> {
    let mut text = String::new();
    for site in &changes.sites {
        text += &lines::write("site", site)?;
    }
    let summary = Summary {
        old: &args.old,
        new: &args.new,
        fail_above: args.fail_above,
        whole: changes.whole,
        regressions: outcome.regressions.iter().map(Regression::to_string).collect(),
        lacks: &outcome.lacks,
    };
    Ok(text + &lines::write("trace_diff", &summary)?)
}
