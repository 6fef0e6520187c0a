//! A pass over a trace tells watchers of each block, where sums are not enough.

use crate::event::Event;

/// A block of memory that is in use, or was until now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub size: u64,
    /// When it was allocated.
    pub tick: u64,
    pub caller: u32,
    /// The one that allocated it, or INHERITED.
    pub thread: u32,
}

/// Threads are numbered from 1.
pub(crate) const INHERITED: u32 = 0;

impl Block {
    /// Whether a forked process has it from its parent.
    pub fn is_inherited(&self) -> bool {
        self.thread == INHERITED
    }
}

/// Follows a pass. All default methods do nothing.
pub trait Watch {
    /// Each event that is a call, before what it makes and ends.
    fn called(&mut self, _event: &Event) {}

    /// A block begins: allocated by `event`, or resized into, or inherited.
    fn made(&mut self, _event: &Event, _block: &Block) {}

    /// A block ends: freed by `event`, or resized.
    fn ended(&mut self, _event: &Event, _block: &Block) {}

    /// Behind the last event: a block that is still in use.
    fn left(&mut self, _block: &Block) {}
}

/// Watches nothing.
impl Watch for () {}
