//! `heapsmith info`: what a trace has, in tables.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Result;
use comfy_table::{CellAlignment, Table, presets};
use heapsmith_measure::outfile::{OutFile, refuse_inputs};
use heapsmith_measure::progress::counted;
use heapsmith_measure::screen::Screen;
use heapsmith_trace::info::{ByPower, Info, Site, of_trace};
use heapsmith_trace::packed::Tables;
use heapsmith_trace::printable::name;
use heapsmith_trace::symbols::Symbols;
use serde_json::{Value, json};

use crate::args::info::InfoArgs;
use crate::shown::units::{show_ns, show_size};
use crate::traces::{losses, notes};

pub fn run(args: &InfoArgs) -> Result<u8> {
    refuse_inputs(&[args.json.as_deref()], &[&args.trace])?;
    let file = args.json.as_deref().map(OutFile::prepare).transpose()?;
    let (info, tables, damage) = of_trace(&args.trace)?;
    let lacks = losses::lacks(&tables, damage.as_deref());
    let mut symbols = Symbols::default();
    if let Some(file) = file {
        let value = json!({
            "trace": args.trace, "meta": tables.meta, "info": info, "modules": tables.modules,
            "callers": tables.callers, "stacks": tables.stacks, "damage": damage, "lacks": lacks,
            "top": top_sites(&info, &tables, &mut symbols, args.top),
            "unnamed": symbols.lacks(&tables.modules),
        });
        let is_stdout = file.is_stdout();
        file.write(format!("{value}\n"))?;
        if is_stdout {
            return Ok(0);
        }
    }
    let mut out = Vec::new();
    if let Some(line) = losses::first_line(&lacks) {
        writeln!(out, "{line}")?;
    }
    print(&mut out, &info, &tables, &mut symbols, args.top)?;
    Screen::stdout().print(&out)?;
    Ok(0)
}

/// A number that a table of sites is sorted by.
type Key = fn(&Site) -> u64;

const KEYS: [(&str, Key); 4] = [
    ("sites by bytes", |site| site.bytes),
    ("sites by calls", |site| site.calls),
    ("sites at the peak", |site| site.peak_bytes),
    ("never freed", |site| site.left_bytes),
];

/// The sites with anything of that kind, the largest first.
fn sorted(info: &Info, key: Key) -> Vec<usize> {
    let mut order: Vec<usize> =
        (0..info.sites.len()).filter(|&n| key(&info.sites[n]) != 0).collect();
    order.sort_by_key(|&n| std::cmp::Reverse(key(&info.sites[n])));
    order
}

/// The names of the sites that the tables show. To look up those of all would take long.
fn top_sites(info: &Info, tables: &Tables, symbols: &mut Symbols, top: usize) -> Vec<Value> {
    let shown = KEYS.iter().flat_map(|&(_, key)| sorted(info, key).into_iter().take(top));
    let shown: BTreeSet<usize> = shown.collect();
    let named = shown.into_iter().filter_map(|n| Some((n, tables.callers.get(n)?)));
    named
        .map(|(n, caller)| {
            let name = symbols.name(&tables.modules, caller);
            let frames = symbols.frames(&tables.modules, caller);
            json!({ "caller": n, "name": name, "frames": frames })
        })
        .collect()
}

fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(head.to_vec());
    for (n, column) in table.column_iter_mut().enumerate() {
        let is_number = n + 1 < head.len();
        let alignment = if is_number { CellAlignment::Right } else { CellAlignment::Left };
        column.set_cell_alignment(alignment);
    }
    table
}

fn print(
    out: &mut dyn Write,
    info: &Info,
    tables: &Tables,
    symbols: &mut Symbols,
    top: usize,
) -> Result<()> {
    let meta = &tables.meta;
    writeln!(out, "{}", name(&meta.command.join(" ")))?;
    writeln!(
        out,
        "{} events, {}, {}; {} blocks, {} in all",
        info.events,
        counted(info.threads as usize, "thread"),
        show_ns(info.duration_ns),
        info.allocated_blocks,
        show_size(info.allocated_bytes)
    )?;
    writeln!(
        out,
        "peak: {} in {} blocks, after {}; never freed: {} in {} blocks",
        show_size(info.peak_bytes),
        info.peak_blocks,
        show_ns(info.peak_ns),
        show_size(info.left_bytes),
        info.left_blocks
    )?;
    let share = info.freed_by_another_thread as f64 * 100.0 / info.allocated_blocks.max(1) as f64;
    writeln!(
        out,
        "freed by another thread: {} ({share:.1} %); realloc in place: {}, moved: {}; failed: {}",
        info.freed_by_another_thread, info.resized_in_place, info.resized_moved, info.failed
    )?;
    for line in notes::of_trace(info, tables) {
        writeln!(out, "{line}")?;
    }

    let mut calls = table(&["calls", "function"]);
    let mut by_count = info.calls.clone();
    by_count.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    for (api, n) in by_count {
        calls.add_row([n.to_string(), api.name().to_string()]);
    }
    writeln!(out, "\n{}", calls.trim_fmt())?;
    writeln!(out, "\nsizes\n{}", powers(&info.sizes, show_size))?;
    writeln!(out, "\nlifetimes of freed blocks\n{}", powers(&info.lifetimes, show_ns))?;
    for (title, key) in KEYS {
        sites(out, title, info, tables, symbols, top, key)?;
    }
    let unnamed = symbols.lacks(&tables.modules);
    if !unnamed.is_empty() {
        writeln!(out)?;
    }
    for line in unnamed {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Lines such as "64 B..128 B  1,000  10.0 %  ####".
fn powers(counts: &ByPower, show: impl Fn(u64) -> String) -> String {
    let all: u64 = counts.iter().sum();
    let most = counts.iter().copied().max().unwrap_or_default().max(1);
    let mut table = table(&["below", "blocks", "share", ""]);
    for (power, &n) in counts.iter().enumerate().filter(|&(_, &n)| n != 0) {
        let below = if power == 0 { "1".to_string() } else { show(1 << power.min(63)) };
        let bar = "#".repeat((n * 40).div_ceil(most) as usize);
        let share = format!("{:.1} %", n as f64 * 100.0 / all.max(1) as f64);
        table.add_row([below, n.to_string(), share, bar]);
    }
    table.trim_fmt()
}

fn sites(
    out: &mut dyn Write,
    title: &str,
    info: &Info,
    tables: &Tables,
    symbols: &mut Symbols,
    top: usize,
    key: Key,
) -> Result<()> {
    let order = sorted(info, key);
    if order.is_empty() {
        return Ok(());
    }
    let mut table = table(&["bytes", "calls", "at the peak", "never freed", "site"]);
    for &n in order.iter().take(top) {
        let site = &info.sites[n];
        let name = tables.callers.get(n).map(|caller| symbols.name(&tables.modules, caller));
        table.add_row([
            show_size(site.bytes),
            site.calls.to_string(),
            show_size(site.peak_bytes),
            show_size(site.left_bytes),
            name.unwrap_or_else(|| format!("caller {n}")),
        ]);
    }
    let more = order.len().saturating_sub(top);
    let note = if more == 0 { String::new() } else { format!(", {more} more") };
    writeln!(out, "\n{title}{note}\n{}", table.trim_fmt())?;
    Ok(())
}
