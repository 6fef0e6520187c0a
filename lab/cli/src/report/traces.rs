//! `heapsmith report` of traces: the page that shows the memory of a program.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapsmith_measure::error::{OK, usage};
use heapsmith_measure::files::Files;
use heapsmith_measure::page::{Traces, now, render, text};
use heapsmith_measure::screen::{Screen, full_path};
use heapsmith_trace::changes::{Changes, Numbers, OfSite};
use heapsmith_trace::packed::{Attached, Meta};
use heapsmith_trace::page::{Summed, TracePage};
use serde::Serialize;

use crate::args::report::ReportArgs;
use crate::shown::units::{growth, show_ns, show_size};
use crate::traces::{losses, notes};

/// The version of the data that the page reads.
const VERSION: u32 = 1;
/// The page leaves out sites that changed by less, of the program's numbers.
const CHANGED_FROM: f64 = 0.000_1;
const MOST_CHANGES: usize = 300;
/// Sites in the table for readers without scripts.
const MOST_ROWS: usize = 30;

/// The traces of one page.
#[derive(Serialize)]
pub struct Shown {
    version: u32,
    created: String,
    traces: Vec<ShownTrace>,
    /// Of two traces.
    changes: Option<ShownChanges>,
}

#[derive(Serialize)]
struct ShownTrace {
    /// The name of the file.
    name: String,
    /// Says first what the recording lacks.
    headline: String,
    /// Further sentences.
    summary: Vec<String>,
    /// Sentences about what the recording lacks.
    lacks: Vec<String>,
    #[serde(flatten)]
    page: TracePage,
}

#[derive(Serialize)]
struct ShownChanges {
    headline: String,
    whole: Numbers,
    sites: Vec<OfSite>,
    left_out: usize,
}

/// The page of traces alone.
pub fn run(args: &ReportArgs, paths: &[PathBuf]) -> Result<u8> {
    let exports = &args.exports;
    for (is_given, option) in [
        (args.baseline.is_some(), "--baseline"),
        (exports.export_csv.is_some(), "--export-csv"),
        (exports.export_markdown.is_some(), "--export-markdown"),
    ] {
        if is_given {
            return Err(usage(format!(
                "{option} is for results: heapsmith export writes a trace in other formats"
            )));
        }
    }
    let files = Files::of(exports.wanted(&args.output))?;
    let screen = Screen::beside(&files);
    let shown = Shown::read(paths)?;
    let traces = shown.for_page()?;
    let html = render(None, Some(&traces))?;
    let page = files.write_page(&format!("{}\n", traces.json), &html)?;
    let mut out = Vec::new();
    shown.print(&mut out)?;
    if let Some(page) = page {
        writeln!(out, "page: {}", full_path(&page))?;
    }
    screen.print(&out)?;
    Ok(OK)
}

impl Shown {
    pub fn read(paths: &[PathBuf]) -> Result<Self> {
        let summed =
            paths.iter().map(|path| Summed::read(path).with_context(|| path.display().to_string()));
        let summed = summed.collect::<Result<Vec<Summed>>>()?;
        let changes = match &summed[..] {
            [old, new] => Some(changes(old, new)),
            _ => None,
        };
        let traces = paths.iter().zip(&summed).map(|(path, it)| shown(name_of(path, paths), it));
        Ok(Self { version: VERSION, created: now(), traces: traces.collect(), changes })
    }

    pub fn for_page(&self) -> Result<Traces> {
        let tables = self.traces.iter().map(plain).collect();
        Ok(Traces { json: serde_json::to_string(self)?, tables })
    }

    /// Prints the sentences about each trace.
    pub fn print(&self, out: &mut dyn Write) -> Result<()> {
        for trace in &self.traces {
            writeln!(out, "{}", trace.headline)?;
            for line in &trace.summary {
                writeln!(out, "{line}")?;
            }
            for line in &trace.lacks {
                eprintln!("heapsmith: {}: {line}", trace.name);
            }
        }
        if let Some(changes) = &self.changes {
            writeln!(out, "{}", changes.headline)?;
        }
        Ok(())
    }
}

/// The name of the file, or the whole path if that tells it from others.
fn name_of(path: &Path, all: &[PathBuf]) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let is_only = all.iter().filter(|it| it.file_name() == path.file_name()).count() == 1;
    if is_only { name.to_string_lossy().into_owned() } else { path.display().to_string() }
}

fn shown(name: String, summed: &Summed) -> ShownTrace {
    let page = TracePage::of(summed);
    let lost = losses::lacks(&summed.tables, summed.damage.as_deref());
    let (headline, summary) = summary(&page, &summed.tables.meta);
    let headline = match losses::first_line(&lost) {
        Some(line) => format!("{name} is {line}. {headline}"),
        None => headline,
    };
    let lacks = notes::of_trace(&summed.info, &summed.tables);
    let lacks = lost.into_iter().chain(lacks).collect();
    ShownTrace { name, headline, summary, lacks, page }
}

fn changes(old: &Summed, new: &Summed) -> ShownChanges {
    let changes = Changes::of((&old.info, &old.tables), (&new.info, &new.tables));
    let largest = changes.largest(CHANGED_FROM);
    let left_out = largest.len().saturating_sub(MOST_CHANGES);
    let sites = largest.into_iter().take(MOST_CHANGES).cloned().collect();
    let whole = changes.whole;
    let peak = whole.peak_bytes;
    let (before, after) = (show_size(peak.old), show_size(peak.new));
    let headline = if before == after {
        format!("The peak stayed at {after}.")
    } else {
        format!("The peak went from {before} to {after} ({}).", growth(peak.growth()))
    };
    ShownChanges { headline, whole, sites, left_out }
}

/// The first sentence, and the others.
fn summary(page: &TracePage, meta: &Meta) -> (String, Vec<String>) {
    let info = &page.info;
    let command = meta.command.first();
    let program = command.and_then(|it| it.rsplit('/').next()).unwrap_or("The program");
    let headline = match info.events {
        0 => format!("{program} made no call of its allocator while it was recorded."),
        _ => format!("{program} {}.", most(info.peak_bytes, meta.attached)),
    };
    if info.events == 0 {
        return (headline, Vec::new());
    }
    let threads = match info.threads {
        1 => "one thread".to_string(),
        n => format!("{} threads", grouped(n)),
    };
    let mut summary = vec![
        format!(
            "It made {} allocations, {} in all, in {} and {threads}.",
            grouped(info.allocated_blocks),
            show_size(info.allocated_bytes),
            show_ns(info.duration_ns),
        ),
        format!(
            "The peak was {} after the first call, with {} blocks in use.",
            show_ns(info.peak_ns),
            grouped(info.peak_blocks)
        ),
    ];
    if let Some((site, share)) = page.largest_at_peak().filter(|it| it.1 >= 0.01) {
        summary.push(format!("{:.0} % of the peak came from {site}.", share * 100.0));
    }
    summary.push(match info.left_blocks {
        0 => "All blocks were freed.".to_string(),
        n => format!("{} in {} blocks were never freed.", show_size(info.left_bytes), grouped(n)),
    });
    (headline, summary)
}

/// "had at most 5.00 MiB of memory in use", and what the recording does not know of.
fn most(peak: u64, attached: Option<Attached>) -> String {
    let peak = show_size(peak);
    let Some(Attached { live_bytes, is_told_by_allocator }) = attached else {
        return format!("had at most {peak} of memory in use");
    };
    let unit = if is_told_by_allocator { "" } else { " of anonymous memory" };
    let older = show_size(live_bytes);
    format!(
        "had at most {peak} in use that it allocated during the recording, and {older}{unit} when \
         the recording began"
    )
}

/// "12,345".
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let commas = |(at, c): (usize, char)| {
        let comma = (at > 0 && (digits.len() - at) % 3 == 0).then_some(',');
        comma.into_iter().chain([c])
    };
    digits.chars().enumerate().flat_map(commas).collect()
}

/// The trace for readers without scripts.
fn plain(trace: &ShownTrace) -> String {
    let sentences = trace.summary.join(" ");
    let rows = trace.page.sites.iter().enumerate().take(MOST_ROWS).map(|(n, site)| {
        format!(
            "<tr><th>{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            text(&trace.page.site_name(n)),
            grouped(site.calls),
            show_size(site.bytes),
            show_size(site.peak_bytes),
            show_size(site.left_bytes)
        )
    });
    format!(
        "<h1>{}</h1><p>{}</p><p><code>{}</code></p><div class=\"scroll\"><table><caption>Sites by \
         bytes</caption><thead><tr><th>site</th><th>calls</th><th>bytes</th><th>at the peak</th>\
         <th>never freed</th></tr></thead><tbody>{}</tbody></table></div>",
        text(&trace.headline),
        text(&sentences),
        text(&trace.page.command),
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_of_an_attached_process_has_its_older_memory() {
        assert_eq!(most(2048, None), "had at most 2.00 KiB of memory in use");
        let attached = |is_told_by_allocator| Attached { live_bytes: 4096, is_told_by_allocator };
        let of = |is_told| most(2048, Some(attached(is_told)));
        let told =
            "had at most 2.00 KiB in use that it allocated during the recording, and 4.00 KiB";
        assert_eq!(of(true), format!("{told} when the recording began"));
        assert_eq!(of(false), format!("{told} of anonymous memory when the recording began"));
    }

    #[test]
    fn large_numbers_have_commas() {
        for (n, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(n), expected);
        }
    }

    #[test]
    fn files_of_one_name_are_told_apart_by_their_paths() {
        let all: Vec<PathBuf> = ["a/t.trace", "b/t.trace", "b/u.trace"].map(PathBuf::from).into();
        let names: Vec<String> = all.iter().map(|it| name_of(it, &all)).collect();
        assert_eq!(names, ["a/t.trace", "b/t.trace", "u.trace"]);
    }
}
