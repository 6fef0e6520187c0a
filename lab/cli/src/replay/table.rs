//! The tables of a replay.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write;

use anyhow::Result;
use heapsmith_measure::contender::GLIBC;
use heapsmith_measure::digits;
use heapsmith_measure::metric::{Metric, show_bytes};
use heapsmith_measure::program::quote;
use heapsmith_measure::progress::counted;
use heapsmith_measure::row::Series;
use heapsmith_measure::screen::Screen;
use heapsmith_measure::stats::Verdict;
use heapsmith_measure::table::{Cell, Table, judged_cell};
use heapsmith_trace::plan;

use crate::replay::output::{Latency, PARTS, at_peak};
use crate::replay::rounds::{Played, Stage};

pub fn print(out: &mut dyn Write, screen: &Screen, stage: &Stage, played: &Played) -> Result<()> {
    writeln!(out, "{}, ratios against {GLIBC}", stage.describe())?;
    writeln!(out, "{}", costs(screen, played))?;
    writeln!(
        out,
        "time: processor time that all threads spend in the allocator and in touching its memory,\n\
         without {} of the replay itself. Peak: without {} of the replayer's own memory.",
        Metric::Replay.show(played.null_s),
        show_bytes(played.own_bytes)
    )?;
    if let Some(line) = share(stage, played) {
        writeln!(out, "{line}")?;
    }
    let most = played.waits.values().copied().fold(0.0, f64::max);
    if stage.plan.threads > 1 && stage.order != plan::Order::Serial {
        writeln!(out, "threads waited for each other up to {:.0} % of the time", most * 100.0)?;
    }
    if !played.memory.is_empty() {
        writeln!(out, "\nwhere the memory was at the peak of each\n{}", memory(screen, played))?;
    }
    for failed in &played.failures {
        writeln!(out, "failed under {}", failed.failure.line())?;
    }
    tell_limits(out, stage)?;
    for (name, &n) in &played.refused {
        let refused = counted(n as usize, "allocation");
        writeln!(out, "{refused} refused under {name}: its time and its peak are without them")?;
    }
    writeln!(out, "\n{}", better(played, Metric::Replay, "less time"))?;
    writeln!(out, "{}", better(played, Metric::PeakRss, "less memory"))?;
    let words: Vec<OsString> =
        stage.survey.tables.meta.command.iter().map(OsString::from).collect();
    let command = if words.is_empty() { "PROGRAM".to_string() } else { quote(&words) };
    writeln!(out, "next: heapsmith try -- {command}")?;
    Ok(())
}

fn costs(screen: &Screen, played: &Played) -> Table {
    let mut table = screen.table();
    let heads =
        ["allocator", "time", "peak", "page faults", "allocate p50 / p99 / p99.9 / worst", "free"];
    table.set_header(heads.map(Cell::new));
    for series in &played.row.series {
        let mut cells = vec![Cell::new(format!("{}\n{}", series.name(), series.identity.version))];
        for metric in [Metric::Replay, Metric::PeakRss, Metric::PageFaults] {
            cells.push(compared(played, series, metric));
        }
        cells.push(Cell::new(latency(played.allocate.get(series.name()))));
        cells.push(Cell::new(latency(played.free.get(series.name()))));
        table.add_row(cells);
    }
    table
}

fn compared(played: &Played, series: &Series, metric: Metric) -> Cell {
    let value = series.median(metric).map_or("–".to_string(), |it| metric.show(it));
    let estimate = played.row.named(GLIBC).filter(|base| base.name() != series.name());
    let Some(estimate) = estimate.and_then(|base| series.against(base, metric)) else {
        return judged_cell(value, None);
    };
    let (ratio, interval) = digits::ratio(estimate.median, estimate.low, estimate.high);
    let verdict = Some(estimate.verdict()).filter(|it| *it != Verdict::Same);
    judged_cell(format!("{value}\n{ratio} {interval}"), verdict)
}

fn latency(known: Option<&Latency>) -> String {
    let Some(it) = known else { return "–".to_string() };
    let show = |ns: f64| if ns < 9_999.5 { format!("{ns:.0}") } else { Metric::Call.show(ns) };
    format!("{} / {} / {} / {}", show(it.p50), show(it.p99), show(it.p999), show(it.worst))
}

fn memory(screen: &Screen, played: &Played) -> Table {
    let mut table = screen.table();
    let heads = ["allocator", "RSS"].into_iter().chain(PARTS.map(Metric::title));
    table.set_header(heads.map(Cell::new));
    for series in &played.row.series {
        let Some(it) = played.memory.get(series.name()).and_then(|it| at_peak(&it.samples)) else {
            continue;
        };
        let known: BTreeMap<Metric, f64> = it.parts().into_iter().collect();
        let shown = PARTS
            .map(|part| known.get(&part).map_or("–".to_string(), |it| show_bytes(it.max(0.0))));
        let cells = [series.name().to_string(), show_bytes(it.anonymous)].into_iter().chain(shown);
        table.add_row(cells.map(Cell::new));
    }
    table
}

fn tell_limits(out: &mut dyn Write, stage: &Stage) -> Result<()> {
    let meta = &stage.survey.tables.meta;
    let mut tell = |n: u64, what: &str| match n {
        0 => Ok(()),
        n => writeln!(out, "{n} {what}"),
    };
    if let Some(line) = &meta.approximate {
        eprintln!("heapsmith: the trace is approximate, {line}");
    }
    tell(
        stage.plan.inherited,
        "blocks of the parent are allocated before the first call; their time is not counted",
    )?;
    tell(stage.plan.failed, "calls that failed are left out")?;
    tell(meta.dropped, "events are missing in the trace")?;
    tell(meta.misfits.unknown, "frees of blocks older than the trace are left out")?;
    tell(
        stage.survey.unknown_large,
        "large blocks are touched whole: the recording does not say how much of them was used",
    )?;
    if let Some(line) = &stage.survey.damage {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// The allocators that need less than glibc, the best first.
fn better(played: &Played, metric: Metric, what: &str) -> String {
    let Some(base) = played.row.named(GLIBC) else { return String::new() };
    let others = played.row.series.iter().filter(|series| series.name() != GLIBC);
    let ratios = others.filter_map(|it| Some((it.against(base, metric)?, it.name())));
    let mut all: Vec<_> = ratios.filter(|(it, _)| it.high < 1.0).collect();
    all.sort_by(|a, b| a.0.median.total_cmp(&b.0.median));
    if all.is_empty() {
        return format!("no allocator needs {what} than {GLIBC}");
    }
    let each = all.iter().map(|(it, name)| format!("{name} ×{:.2}", it.median));
    format!("{what} than {GLIBC}: {}", each.collect::<Vec<_>>().join(", "))
}

/// How much the allocator's time can matter.
fn share(stage: &Stage, played: &Played) -> Option<String> {
    let within = played.row.named(GLIBC)?.median(Metric::Replay)?;
    let whole = stage.survey.duration_ns as f64 * 1e-9;
    (whole > 0.0).then(|| {
        format!(
            "under {GLIBC}, this time is {:.1} % of the {} that the recording lasted",
            100.0 * within / whole,
            Metric::Wall.show(whole)
        )
    })
}
