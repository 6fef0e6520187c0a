//! What all traces of a recording have, and lack.

use std::collections::BTreeSet;
use std::path::Path;

use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::program::quote;
use heapsmith_trace::pack::Packed;
use heapsmith_trace::packed::Lack;

/// As error_behind_filter in src/record/format.hpp.
const BEHIND_FILTER: u32 = 10_000;

/// What all traces of a recording have, and lack.
#[derive(Default)]
pub struct Sums {
    processes: usize,
    /// Of the process that allocated most bytes.
    pub shown: u64,
    events: u64,
    bytes: u64,
    raw_bytes: u64,
    dropped: u64,
    drop_errno: u32,
    lost_children: u32,
    /// Lines about processes without a trace.
    pub unrecorded: Vec<String>,
    /// Processes whose inherited blocks are not all in their traces.
    lacking: Vec<(u32, Lack)>,
    /// Processes without a clock.
    stopped: Vec<String>,
    damage: Vec<String>,
    /// Lines about modules.
    unnamed: BTreeSet<String>,
}

/// More modules are counted.
const MOST_UNNAMED: usize = 3;

impl Sums {
    pub fn add(&mut self, packed: &Packed) {
        let meta = &packed.tables.meta;
        self.processes += 1;
        self.events += meta.events;
        self.bytes += packed.bytes;
        self.raw_bytes += meta.raw_bytes;
        self.dropped += meta.dropped;
        self.drop_errno = self.drop_errno.max(meta.drop_errno);
        self.lost_children += meta.lost_children;
        let pid = meta.pid;
        self.lacking.extend(meta.inherited.iter().filter_map(|it| Some((pid, it.lacks?))));
        self.stopped.extend(meta.describe_stop().map(|line| format!("process {pid}: {line}")));
        self.damage.extend(meta.damage.iter().map(|line| format!("process {pid}: {line}")));
        self.unnamed.extend(packed.lacks.iter().cloned());
    }

    pub fn tell(&self, trace: &Path, quietly: bool) {
        let each = |bytes: u64| bytes as f64 / self.events.max(1) as f64;
        let processes = match self.processes {
            1 => String::new(),
            n => format!(", and {} in {} more traces", self.events - self.shown, n - 1),
        };
        if !quietly {
            eprintln!(
                "heapsmith: {} events in {}{processes}: {}, {:.2} bytes an event ({:.1} as recorded)",
                self.shown,
                trace.display(),
                show_bytes(self.bytes as f64),
                each(self.bytes),
                each(self.raw_bytes),
            );
        }
        if self.dropped != 0 {
            let why = match self.drop_errno {
                0 => "each came while its thread was still writing another event, as in a signal \
                      handler"
                    .to_string(),
                BEHIND_FILTER => {
                    "the program installed a filter of system calls, and the room that was \
                     reserved before that is full"
                        .to_string()
                }
                n => std::io::Error::from_raw_os_error(n as i32).to_string(),
            };
            eprintln!("heapsmith: {} events are missing: {why}", self.dropped);
        }
        for line in &self.unrecorded {
            eprintln!("heapsmith: {line}");
        }
        if self.lost_children != 0 {
            let n = self.lost_children;
            eprintln!(
                "heapsmith: forked processes that are missing because they could not make a \
                 file: {n}"
            );
        }
        if let Some(&(pid, lack)) = self.lacking.first() {
            let who = match self.lacking.len() {
                1 => format!("process {pid}"),
                n => format!("process {pid} and {} more", n - 1),
            };
            let why = lack.describe();
            eprintln!("heapsmith: {who}: inherited blocks are missing in the trace: {why}");
        }
        for line in self.stopped.iter().chain(&self.damage) {
            eprintln!("heapsmith: {line}");
        }
        for line in self.unnamed.iter().take(MOST_UNNAMED) {
            eprintln!("heapsmith: {line}");
        }
        if let n @ 1.. = self.unnamed.len().saturating_sub(MOST_UNNAMED) {
            eprintln!("heapsmith: names are missing for {n} more files: `heapsmith info` says why");
        }
        if !quietly && trace.is_file() {
            eprintln!("next: heapsmith info {}", quote(&[trace.into()]));
        }
    }
}
