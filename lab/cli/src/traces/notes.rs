//! Facts about a recording that readers of its trace need: where it began, and what it cannot tell.

use heapsmith_trace::info::Info;
use heapsmith_trace::packed::{Inherited, Tables};
use heapsmith_trace::printable::name;

use crate::recording::missing;
use crate::shown::units::show_size;

/// A line for each. Losses that make the numbers too small are in `whole`.
pub fn of_trace(info: &Info, tables: &Tables) -> Vec<String> {
    let inherited = tables.meta.inherited.as_ref().map(|it| inherited(info, it));
    inherited.into_iter().chain(begin(tables)).chain(losses(tables)).collect()
}

/// The blocks of the parent. The peak counts them.
fn inherited(info: &Info, inherited: &Inherited) -> String {
    let from = match inherited.pid {
        0 => "from its parent".to_string(), // an anonymous trace
        pid => format!("from process {pid}"),
    };
    let told = if inherited.blocks == 0 && inherited.lacks.is_some() {
        format!("the blocks inherited {from} are not known")
    } else {
        let (blocks, bytes) = (inherited.blocks, show_size(inherited.bytes));
        format!("inherited {blocks} blocks ({bytes}) {from}")
    };
    match inherited.lacks {
        Some(lack) => format!("{told}: {}", lack.describe()),
        None => {
            let freed = &info.inherited;
            let (blocks, bytes) = (freed.freed_blocks, show_size(freed.freed_bytes));
            format!("{told}, and freed {blocks} of them ({bytes})")
        }
    }
}

/// Of a recording that began in a running process.
fn begin(tables: &Tables) -> Vec<String> {
    let meta = &tables.meta;
    let Some(attached) = meta.attached else { return Vec::new() };
    // A program may write more than its name there.
    let words = meta.command.first().and_then(|first| first.split_whitespace().next());
    let program = words.unwrap_or(&meta.executable).rsplit('/').next().unwrap_or_default();
    let program = name(program);
    let process = match meta.pid {
        0 => "a process".to_string(), // of an anonymous trace
        id => format!("process {id} ({program})"),
    };
    let live = show_size(attached.live_bytes);
    let live = match attached.is_told_by_allocator {
        true => format!("{live} in use when the recording began"),
        false => format!(
            "{live} of anonymous memory when the recording began (its allocator does not report \
             how much is in use)"
        ),
    };
    let older = meta.misfits.unknown;
    vec![
        format!("attached to {process}, which had {live}"),
        format!("freed blocks that are older than the recording: {older}"),
    ]
}

fn losses(tables: &Tables) -> Vec<String> {
    let meta = &tables.meta;
    let approximate = meta.approximate.as_ref().map(|line| format!("approximate, {line}"));
    let older = if meta.attached.is_none() { meta.misfits.unknown } else { 0 };
    let counts = [
        (older, "frees are of blocks that were allocated before the recording"),
        (
            meta.misfits.unfreed,
            "blocks have no recorded free; they count as freed, because their addresses were \
             allocated again",
        ),
    ];
    let lost = counts.iter().filter(|(n, _)| *n != 0).map(|(n, what)| format!("{n} {what}"));
    approximate.into_iter().chain(lost).chain(missing::lines(&meta.unrecorded)).collect()
}
