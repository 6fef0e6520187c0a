//! Turns a raw file into a packed trace.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::error::Result;
use crate::event::{Event, Kind};
use crate::fork::{Snapshot, Watch};
use crate::identity::{Files, Nameless};
use crate::merge::{Callers, Merged};
use crate::modules::{Modules, path_of};
use crate::packed::{
    Attached, Caller, Meta, Module, StackSample, Tables, ThreadInfo, Unrecorded, Writer, thinned,
};
use crate::raw::{CUT_FRAME, Header, RawFile, Stack};
use crate::regular::Stamp;

/// Numbers for callers and stacks, in the order in which they are first seen.
struct Numbered<'a> {
    modules: Modules,
    module_numbers: FxHashMap<(Vec<u8>, Option<Stamp>), u32>,
    files: Vec<Module>,
    /// Of the recording.
    known: &'a mut Files,
    lacks: Vec<String>,
    numbers: FxHashMap<u64, u32>,
    callers: Vec<Caller>,
    /// Of the callers.
    addresses: Vec<u64>,
    stacks: FxHashMap<(u32, Vec<u32>), u64>,
}

impl Numbered<'_> {
    fn module(&mut self, file: Vec<u8>, stamp: Option<Stamp>) -> u32 {
        let key = (file, stamp);
        if let Some(&number) = self.module_numbers.get(&key) {
            return number;
        }
        let number = self.files.len() as u32;
        let (module, lack) = self.known.module(&path_of(Path::new(""), &key.0), stamp);
        let lost = lack.filter(Nameless::is_lost);
        self.lacks.extend(lost.map(|lack| lack.describe(&module)));
        self.files.push(module);
        self.module_numbers.insert(key, number);
        number
    }
}

impl Callers for Numbered<'_> {
    fn caller(&mut self, address: u64) -> u32 {
        if let Some(&number) = self.numbers.get(&address) {
            return number;
        }
        let found = self.modules.find(address);
        let found = found.map(|(mapping, offset)| (mapping.file.clone(), mapping.stamp, offset));
        let caller = match found {
            _ if address == CUT_FRAME => Caller::cut(),
            Some((file, stamp, offset)) => {
                Caller { module: Some(self.module(file, stamp)), offset, name: None }
            }
            None => Caller { module: None, offset: address, name: None },
        };
        let number = self.callers.len() as u32;
        self.callers.push(caller);
        self.addresses.push(address);
        self.numbers.insert(address, number);
        number
    }

    fn stack(&mut self, caller: u32, stack: &Stack) {
        let frames: Vec<u32> = stack.iter().map(|&address| self.caller(address)).collect();
        *self.stacks.entry((caller, frames)).or_default() += 1;
    }
}

/// A trace that was written.
pub struct Packed {
    pub tables: Tables,
    /// Of the file.
    pub bytes: u64,
    /// By all calls together.
    pub allocated_bytes: u64,
    /// Lines about modules whose names are lost already.
    pub lacks: Vec<String>,
}

/// The raw file `from` with the list of modules beside it, packed into the new file `to`; without
/// names if `anonymously`. Blocks that the process inherited are not known.
pub fn pack(from: &Path, to: &Path, anonymously: bool) -> Result<Packed> {
    Ok(pack_with(from, to, anonymously, Known::default(), &mut Files::default())?.0)
}

/// Facts about a process that its raw file does not have.
#[derive(Default)]
pub(crate) struct Known<'a, 'b> {
    pub inherited: Option<&'a Snapshot>,
    /// It follows the events.
    pub watch: Option<Watch<'b>>,
    pub times: Times,
    /// Processes of the recording that have no trace.
    pub unrecorded: &'a [Unrecorded],
}

/// The processor time of a program in seconds, as far as it is known.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// With its recording.
    pub cpu_s: Option<f64>,
    /// Without it.
    pub plain_cpu_s: Option<f64>,
}

/// The list of modules of a raw file. A process that was forked in another root may have none, and
/// has the modules of its parent.
fn maps_of(raw: &Path, header: &Header) -> PathBuf {
    const MOST_PARENTS: usize = 64;
    let beside = |raw: &Path| {
        let mut maps = raw.as_os_str().to_owned();
        maps.push(".maps");
        PathBuf::from(maps)
    };
    let own = beside(raw);
    let (mut maps, mut parent) = (own.clone(), header.parent_file.clone());
    for _ in 0..MOST_PARENTS {
        // A name of the recorder's has no folder in it.
        if maps.exists() || parent.is_empty() || parent.contains('/') {
            break;
        }
        let file = raw.with_file_name(&parent);
        let Ok(header) = RawFile::header_of(&file) else { break };
        (maps, parent) = (beside(&file), header.parent_file);
    }
    if maps.exists() { maps } else { own }
}

/// The same, with the blocks that were inherited before the first event, and files that are known.
/// Returns also the snapshots that the watch took.
pub(crate) fn pack_with(
    from: &Path,
    to: &Path,
    anonymously: bool,
    Known { inherited, mut watch, times, unrecorded }: Known,
    files: &mut Files,
) -> Result<(Packed, Vec<(usize, Snapshot)>)> {
    let raw = RawFile::open(from)?;
    let numbered = Numbered {
        modules: Modules::read(&maps_of(from, &raw.header))?,
        module_numbers: FxHashMap::default(),
        files: Vec::new(),
        known: files,
        lacks: Vec::new(),
        numbers: FxHashMap::default(),
        callers: Vec::new(),
        addresses: Vec::new(),
        stacks: FxHashMap::default(),
    };
    let mut writer = Writer::create(to)?;
    let mut merged = Merged::of(&raw, numbered);
    for block in inherited.map_or(&[][..], |snapshot| &snapshot.blocks) {
        let caller = merged.callers.caller(block.caller);
        let number = merged.inherit(block.address);
        let kind = Kind::Inherit { block: number, size: block.size, align: block.align };
        // The thread that forked is the first one of the child.
        writer.push(&Event { tick: block.tick, thread: 1, api: block.api, caller, kind })?;
    }
    let mut allocated_bytes = 0u64;
    while let Some(event) = merged.next() {
        if let Some(watch) = &mut watch {
            let caller = merged.callers.addresses.get(event.caller as usize);
            watch.add(&event, caller.copied().unwrap_or_default(), merged.made, merged.ended_at);
        }
        if let Kind::Allocate { size, .. } | Kind::Resize { size, .. } = event.kind {
            allocated_bytes = allocated_bytes.saturating_add(size);
        }
        writer.push(&event)?;
    }
    let mut lacks = std::mem::take(&mut merged.callers.lacks);
    let mut tables = tables(&raw, merged, writer.events);
    (tables.meta.cpu_s, tables.meta.plain_cpu_s) = (times.cpu_s, times.plain_cpu_s);
    tables.meta.unrecorded = unrecorded.to_vec();
    tables.meta.inherited = inherited.map(|snapshot| snapshot.sums.clone());
    if anonymously {
        tables.anonymize();
        lacks.clear();
    }
    let bytes = writer.finish(&tables)?;
    let taken = watch.map(Watch::finish).unwrap_or_default();
    Ok((Packed { tables, bytes, allocated_bytes, lacks }, taken))
}

fn tables(raw: &RawFile, merged: Merged<Numbered>, events: u64) -> Tables {
    let Merged { callers: numbered, misfits, ended, starts, memory, .. } = merged;
    let header = &raw.header;
    let ns = header.last.1.saturating_sub(header.first.1) as f64;
    let ticks = header.last.0.saturating_sub(header.first.0) as f64;
    let mut stacks: Vec<_> = numbered
        .stacks
        .into_iter()
        .map(|((caller, frames), samples)| StackSample { caller, frames, samples })
        .collect();
    stacks.sort_by(|a, b| (a.caller, &a.frames).cmp(&(b.caller, &b.frames)));
    let threads = raw.threads.values().zip(1..).filter_map(|(fragments, number)| {
        let first = fragments.first()?;
        let start = starts.get(&first.start);
        Some(ThreadInfo {
            number,
            tid: first.tid,
            has_ended: ended.contains_key(&number),
            end_tick: ended.get(&number).copied(),
            started_by: start.map(|it| it.0),
            start_tick: start.map(|it| it.1),
        })
    });
    Tables {
        meta: Meta {
            command: header.command.clone(),
            executable: header.executable.clone(),
            pid: header.pid,
            parent_pid: header.parent_pid,
            ticks_a_ns: if ns > 0.0 { ticks / ns } else { 0.0 },
            first_tick: header.first.0,
            fork_tick: header.fork_tick,
            inherited: None,
            page_bytes: header.page_bytes,
            dropped: header.dropped,
            drop_errno: header.drop_errno,
            lost_children: header.lost_children,
            stopped_tick: (header.stopped_tick != 0).then_some(header.stopped_tick),
            misfits,
            raw_bytes: raw.event_bytes(),
            damage: raw.damage.clone(),
            events,
            approximate: None,
            unrecorded: Vec::new(),
            cpu_s: None,
            plain_cpu_s: None,
            attached: header
                .attached
                .map(|(live_bytes, how)| Attached { live_bytes, is_told_by_allocator: how == 1 }),
        },
        modules: numbered.files,
        callers: numbered.callers,
        threads: threads.collect(),
        stacks,
        memory: thinned(memory),
    }
}
