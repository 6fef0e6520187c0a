//! The losses of a trace. A reader who misses them takes too small numbers for those of the program.

use heapsmith_trace::info::Info;
use heapsmith_trace::packed::Tables;

use crate::recording::missing;

/// A sentence for each loss. None: the trace has each event of its process.
pub fn lacks(tables: &Tables, damage: Option<&str>) -> Vec<String> {
    let meta = &tables.meta;
    let mut lines: Vec<String> = damage.map(str::to_string).into_iter().collect();
    match meta.damage.as_slice() {
        [] => {}
        [only] => lines.push(format!("the recording is damaged: {only}")),
        [first, more @ ..] => {
            lines.push(format!("the recording is damaged: {first}, and {} more", more.len()));
        }
    }
    if meta.dropped != 0 {
        lines.push(format!("{} events are missing", meta.dropped));
    }
    lines.extend(meta.describe_stop());
    if meta.lost_children != 0 {
        let n = meta.lost_children;
        lines.push(format!(
            "forked processes that are missing because they could not make a file: {n}"
        ));
    }
    if let Some(lack) = meta.inherited.as_ref().and_then(|it| it.lacks) {
        lines.push(format!("inherited blocks are missing: {}", lack.describe()));
    }
    lines
}

/// The same of a trace that is to be judged: one without an event decides nothing, and a process that
/// was not recorded may be the one that was measured before.
pub fn undecided(info: &Info, tables: &Tables, damage: Option<&str>) -> Vec<String> {
    let mut lines = lacks(tables, damage);
    lines.extend(missing::lines(&tables.meta.unrecorded));
    if info.events == 0 && lines.is_empty() {
        lines.push("it has no event".to_string());
    }
    lines
}

/// "incomplete: 12 events are missing", or nothing.
pub fn first_line(lacks: &[String]) -> Option<String> {
    (!lacks.is_empty()).then(|| format!("incomplete: {}", lacks.join("; ")))
}
