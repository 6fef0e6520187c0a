//! The blocks that a process has in use when it forks: those that its child inherits.

use rustc_hash::FxHashMap;

use crate::event::{Api, Event, Kind};
use crate::packed::{Inherited, Lack};

/// A block of the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// In the order in which the parent allocated its blocks.
    pub number: u64,
    pub address: u64,
    pub size: u64,
    pub align: u32,
    pub api: Api,
    /// The return address of the call.
    pub caller: u64,
    pub tick: u64,
}

/// All of them at one fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub sums: Inherited,
    /// In order. Empty if they were too many.
    pub blocks: Vec<Block>,
}

impl Snapshot {
    /// Of a child whose parent's blocks are not known.
    pub fn lacking(pid: u32, lack: Lack) -> Self {
        Self { sums: Inherited { pid, blocks: 0, bytes: 0, lacks: Some(lack) }, blocks: Vec::new() }
    }
}

/// Follows the blocks in use of a parent, event by event, and takes a snapshot at each fork.
pub struct Watch<'a> {
    pid: u32,
    /// Of all its children: tick, and a number of the caller's. In order.
    forks: Vec<(u64, usize)>,
    next: usize,
    live: FxHashMap<u64, Block>, // by address
    bytes: u64,
    /// Whether all blocks are known that the parent has from its own parent.
    is_whole: bool,
    /// How many blocks snapshots may still have.
    left: &'a mut usize,
    taken: Vec<(usize, Snapshot)>,
}

impl<'a> Watch<'a> {
    /// `own`: the blocks that the parent has inherited itself.
    pub fn of(
        pid: u32,
        own: Option<&Snapshot>,
        mut forks: Vec<(u64, usize)>,
        left: &'a mut usize,
    ) -> Self {
        forks.sort_unstable();
        let is_whole = own.is_none_or(|own| own.sums.lacks.is_none());
        let live = FxHashMap::default();
        let mut watch =
            Self { pid, forks, next: 0, live, bytes: 0, is_whole, left, taken: Vec::new() };
        for (&block, number) in own.map_or(&[][..], |own| &own.blocks).iter().zip(0..) {
            watch.make(Block { number, ..block });
        }
        watch
    }

    fn make(&mut self, block: Block) {
        self.bytes = self.bytes.wrapping_add(block.size);
        // A block whose free was lost ends here.
        if let Some(old) = self.live.insert(block.address, block) {
            self.bytes = self.bytes.wrapping_sub(old.size);
        }
    }

    fn end(&mut self, address: u64) {
        if let Some(old) = self.live.remove(&address) {
            self.bytes = self.bytes.wrapping_sub(old.size);
        }
    }

    /// The next event of the parent; `made` and `ended` are where its blocks lie. A call at the tick
    /// of a fork came before the fork, which takes longer than a tick.
    pub fn add(&mut self, event: &Event, caller: u64, made: u64, ended: u64) {
        if self.next == self.forks.len() {
            return;
        }
        self.take_before(event.tick);
        if let Kind::Free { .. } | Kind::Resize { .. } = event.kind {
            self.end(ended);
        }
        let (number, size, align) = match event.kind {
            Kind::Allocate { block, size, align } => (block, size, align),
            Kind::Resize { block, size, .. } => (block, size, 1),
            _ => return,
        };
        let Event { tick, api, .. } = *event;
        self.make(Block { number, address: made, size, align, api, caller, tick });
    }

    fn take_before(&mut self, tick: u64) {
        while let Some(&(fork, child)) = self.forks.get(self.next).filter(|it| it.0 < tick) {
            let snapshot = if fork == 0 {
                Snapshot::lacking(self.pid, Lack::ForkUnknown)
            } else {
                self.take()
            };
            self.taken.push((child, snapshot));
            self.next += 1;
        }
    }

    fn take(&mut self) -> Snapshot {
        let count = self.live.len();
        let mut lacks = (!self.is_whole).then_some(Lack::ParentLacks);
        let mut blocks = Vec::new();
        if count > *self.left {
            lacks = Some(Lack::TooMany);
        } else {
            *self.left -= count;
            blocks.extend(self.live.values().copied());
            blocks.sort_unstable_by_key(|block| block.number);
        }
        let sums = Inherited { pid: self.pid, blocks: count as u64, bytes: self.bytes, lacks };
        Snapshot { sums, blocks }
    }

    /// After the last event. Returns the snapshots of all children.
    pub fn finish(mut self) -> Vec<(usize, Snapshot)> {
        self.take_before(u64::MAX);
        self.taken
    }
}
