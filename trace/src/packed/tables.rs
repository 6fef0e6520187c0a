//! The tables of a trace: modules, callers, threads, stacks, and how it was recorded.

use serde::{Deserialize, Serialize};

use crate::merge::Misfits;

/// Where a call came from. Without a module, `offset` is the address itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// An index into the modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<u32>,
    pub offset: u64,
}

/// A mapped file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    pub file: String,
    /// In hexadecimal; "" if the file has none.
    pub build_id: String,
}

/// A sampled stack of calls: callers, the nearest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackSample {
    pub caller: u32,
    pub frames: Vec<u32>,
    pub samples: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadInfo {
    pub number: u32,
    pub tid: u32,
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
    pub page_bytes: u32,
    pub dropped: u64,
    pub drop_errno: u32,
    pub lost_children: u32,
    pub misfits: Misfits,
    pub raw_bytes: u64,
    /// Lines about damaged parts of the recording.
    pub damage: Vec<String>,
    pub events: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tables {
    pub meta: Meta,
    pub modules: Vec<Module>,
    pub callers: Vec<Caller>,
    pub threads: Vec<ThreadInfo>,
    pub stacks: Vec<StackSample>,
}
