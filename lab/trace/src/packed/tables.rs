//! The tables of a trace: modules, callers, threads, stacks, and how it was recorded.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::merge::Misfits;
use crate::printable::{self, name, name_of_bytes};
use crate::regular::Stamp;

/// Where a call came from. Without a module, `offset` is the address itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// An index into the modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<u32>,
    pub offset: u64,
    /// Of an imported trace, whose modules are not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Caller {
    /// Stands for the frames that a stack has beyond those that were recorded.
    pub fn cut() -> Self {
        Self { module: None, offset: 0, name: Some("(cut)".to_string()) }
    }

    pub fn is_cut(&self) -> bool {
        *self == Self::cut()
    }
}

/// A mapped file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The path; bytes that are no UTF-8 are escapes.
    pub file: String,
    /// The path itself, if it is no UTF-8.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bytes: Vec<u8>,
    /// In hexadecimal; "" if the file has none.
    pub build_id: String,
    /// The file that was mapped, if it has no build id, or if that was not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<Stamp>,
    /// CRC-32 of such a file, if it was seen and is not large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<u32>,
}

impl Module {
    pub fn of(path: &Path, build_id: String) -> Self {
        let bytes = path.as_os_str().as_bytes();
        let (file, bytes) = match std::str::from_utf8(bytes) {
            Ok(file) => (file.to_string(), Vec::new()),
            Err(_) => (name_of_bytes(bytes), bytes.to_vec()),
        };
        Self { file, bytes, build_id, ..Self::default() }
    }

    pub fn path(&self) -> &Path {
        let bytes = if self.bytes.is_empty() { self.file.as_bytes() } else { &self.bytes };
        Path::new(OsStr::from_bytes(bytes))
    }

    /// The path for people.
    pub fn shown(&self) -> Cow<'_, str> {
        printable::name(&self.file)
    }
}

/// A sampled stack of calls: callers, the nearest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackSample {
    pub caller: u32,
    pub frames: Vec<u32>,
    pub samples: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadInfo {
    pub number: u32,
    pub tid: u32,
    /// Whether it ended before the program did.
    #[serde(default)]
    pub has_ended: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_tick: Option<u64>,
    /// The thread that started it, and when; neither is known of the first thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_tick: Option<u64>,
}

/// Why the inherited blocks of a process are not all in its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// The parent's raw file is not in the folder.
    ParentMissing,
    /// The process was made by other means than `fork`.
    ForkUnknown,
    /// There were more than the limit of a recording: the trace has their count and their bytes.
    TooMany,
    /// The parent lacks inherited blocks itself.
    ParentLacks,
}

impl Lack {
    pub fn describe(self) -> &'static str {
        match self {
            Self::ParentMissing => "the raw file of the parent is missing",
            Self::ForkUnknown => "the process was not made by fork(), so its begin is unknown",
            Self::TooMany => "they are too many for a recording, and only counted",
            Self::ParentLacks => "the parent lacks blocks of its own parent",
        }
    }
}

/// The blocks that a forked process has from its parent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inherited {
    /// Of the parent.
    pub pid: u32,
    pub blocks: u64,
    pub bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<Lack>,
}

/// A process that has no trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unrecorded {
    /// 0: not known, or an anonymous trace.
    pub pid: u32,
    pub program: String,
    /// "it is linked statically".
    pub why: String,
}

impl Unrecorded {
    /// "process 7 (./app) was not recorded: it is linked statically".
    pub fn describe(&self) -> String {
        let Self { pid, program, why } = self;
        let program = name(program);
        let who = match (pid, &*program) {
            (0, "") => "a process".to_string(),
            (0, program) => format!("a process ({program})"),
            (pid, "") => format!("process {pid}"),
            (pid, program) => format!("process {pid} ({program})"),
        };
        format!("{who} was not recorded: {why}")
    }
}

/// About the recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    pub command: Vec<String>,
    pub executable: String,
    pub pid: u32,
    pub parent_pid: u32,
    /// Ticks of the clock in a nanosecond.
    pub ticks_a_ns: f64,
    pub first_tick: u64,
    /// When the parent forked this process, or 0.
    pub fork_tick: u64,
    /// None: no forked process, or a trace of version 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherited: Option<Inherited>,
    pub page_bytes: u32,
    pub dropped: u64,
    pub drop_errno: u32,
    pub lost_children: u32,
    /// Since this tick, times show only the order of the events: the program disabled the
    /// processor's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_tick: Option<u64>,
    /// Processes of the recording that have no trace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unrecorded: Vec<Unrecorded>,
    pub misfits: Misfits,
    pub raw_bytes: u64,
    /// Lines about damaged parts of the recording.
    pub damage: Vec<String>,
    pub events: u64,
    /// Where an imported trace comes from, and what it lacks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approximate: Option<String>,
    /// Processor time of the program with its recording, in seconds, if it was one process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<f64>,
    /// The same of a run without recording, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_cpu_s: Option<f64>,
    /// Of a recording that began in a running process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached: Option<Attached>,
}

impl Meta {
    /// "the program disabled the processor's clock for itself (seccomp or prctl): from 0.120 s on,
    /// …", if it did.
    pub fn describe_stop(&self) -> Option<String> {
        let ticks = self.stopped_tick?.saturating_sub(self.first_tick) as f64;
        let from = match self.ticks_a_ns {
            each if each > 0.0 => format!("from {:.3} s on", ticks / each / 1e9),
            _ => "from then on".to_string(),
        };
        let why = "the program disabled the processor's clock for itself (seccomp or prctl)";
        Some(format!("{why}: {from}, times show only the order of events"))
    }
}

/// The memory that a process had in use when its recording began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    pub live_bytes: u64,
    /// Else they are the anonymous memory of the process.
    pub is_told_by_allocator: bool,
}

/// All that a trace has beside its events.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    pub meta: Meta,
    pub modules: Vec<Module>,
    pub callers: Vec<Caller>,
    pub threads: Vec<ThreadInfo>,
    pub stacks: Vec<StackSample>,
    /// When the process had how many bytes in memory that belong to no file: at most
    /// [`MOST_MEMORY`] samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<(u64, u64)>,
}

/// A recording of an hour has a sample each second.
pub const MOST_MEMORY: usize = 4096;

/// Samples in order of time, of which at most MOST_MEMORY are kept: the largest of some neighbours.
pub fn thinned(mut samples: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    samples.sort_unstable();
    let each = samples.len().div_ceil(MOST_MEMORY).max(1);
    samples.chunks(each).filter_map(|part| part.iter().copied().max_by_key(|it| it.1)).collect()
}

impl Tables {
    /// The memory of the process: nanoseconds since `first_tick`, and bytes.
    pub fn memory_since(&self, first_tick: u64) -> impl Iterator<Item = (f64, u64)> + '_ {
        let scale = self.meta.ticks_a_ns;
        let known = self.memory.iter().filter(move |_| scale > 0.0);
        known.map(move |&(tick, bytes)| ((tick as f64 - first_tick as f64) / scale, bytes))
    }

    /// Takes out what tells about the program and the machine: names, paths, build ids, process
    /// ids. Callers become random numbers: equal within the trace, and without meaning elsewhere.
    pub fn anonymize(&mut self) {
        let secret = RandomState::new(); // another one for each call
        for caller in self.callers.iter_mut().filter(|it| !it.is_cut()) {
            let offset = secret.hash_one((caller.module, caller.offset));
            *caller = Caller { module: None, offset, name: None };
        }
        self.modules.clear();
        for thread in &mut self.threads {
            thread.tid = 0;
        }
        let meta = &mut self.meta;
        (meta.command, meta.executable) = (Vec::new(), String::new());
        (meta.pid, meta.parent_pid, meta.fork_tick) = (0, 0, 0);
        if let Some(inherited) = &mut meta.inherited {
            inherited.pid = 0;
        }
        for it in &mut meta.unrecorded {
            (it.pid, it.program) = (0, String::new());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anonymous_trace_names_nothing() {
        let module = Module::of(Path::new("/home/me/secret"), "abc123".into());
        let at = |offset| Caller { module: Some(0), offset, name: None };
        let meta = Meta {
            command: vec!["secret".into(), "--password=x".into()],
            executable: "/home/me/secret".into(),
            pid: 4711,
            parent_pid: 4710,
            inherited: Some(Inherited { pid: 4710, blocks: 3, bytes: 30, lacks: None }),
            events: 5,
            ..Meta::default()
        };
        let threads = vec![ThreadInfo { number: 1, tid: 4711, ..ThreadInfo::default() }];
        let callers = vec![at(100), at(200), at(100)];
        let modules = vec![module];
        let mut tables = Tables { meta, modules, callers, threads, ..Tables::default() };
        let again = tables.clone();
        tables.anonymize();
        let text = serde_json::to_string(&tables).expect("text");
        for told in ["secret", "password", "abc123", "4711", "4710", "home"] {
            assert!(!text.contains(told), "{told} in {text}");
        }
        assert_eq!(tables.callers[0], tables.callers[2]);
        assert_ne!(tables.callers[0], tables.callers[1]);
        assert_eq!(tables.meta.events, 5);
        let mut other = again;
        other.anonymize();
        assert_ne!(other.callers[0], tables.callers[0], "each trace has its own secret");
    }
}
