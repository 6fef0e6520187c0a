//! The trace that is being made of a file.

use std::path::Path;

use crate::error::Result;
use crate::event::{Api, Event, Kind};
use crate::packed::{Caller, Meta, StackSample, Tables, Writer};

/// The trace that is being made of a file.
pub struct Import {
    writer: Writer,
    pub callers: Vec<Caller>,
    pub stacks: Vec<StackSample>,
    pub command: Vec<String>,
    pub blocks: u64,
    pub tick: u64,
    pub ticks_a_ns: f64,
    pub unknown_frees: u64,
    approximate: &'static str,
}

impl Import {
    /// Begins the trace `to`. `approximate` says what it lacks.
    pub fn create(to: &Path, approximate: &'static str) -> Result<Self> {
        Ok(Self {
            writer: Writer::create(to)?,
            callers: Vec::new(),
            stacks: Vec::new(),
            command: Vec::new(),
            blocks: 0,
            tick: 0,
            ticks_a_ns: 0.0,
            unknown_frees: 0,
            approximate,
        })
    }

    pub fn event(&mut self, api: Api, caller: u32, kind: Kind) -> Result<()> {
        self.writer.push(&Event { tick: self.tick, thread: 1, api, caller, kind })
    }

    pub fn allocate(&mut self, api: Api, caller: u32, size: u64) -> Result<u64> {
        let block = self.blocks;
        self.blocks += 1;
        self.event(api, caller, Kind::Allocate { block, size, align: 1 })?;
        Ok(block)
    }

    pub fn finish(self) -> Result<Tables> {
        let mut meta = Meta {
            command: self.command,
            ticks_a_ns: self.ticks_a_ns,
            events: self.writer.events,
            approximate: Some(self.approximate.to_string()),
            ..Meta::default()
        };
        meta.misfits.unknown = self.unknown_frees;
        let tables =
            Tables { meta, callers: self.callers, stacks: self.stacks, ..Tables::default() };
        self.writer.finish(&tables)?;
        Ok(tables)
    }
}
