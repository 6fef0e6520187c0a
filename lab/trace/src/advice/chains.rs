//! Blocks that grow: by realloc, or as a vector does, which allocates a larger block and then frees
//! the old one.

use rustc_hash::FxHashMap;

use crate::event::{Event, Kind};

/// A block that has grown, from its first allocation to its last size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Where it grew last.
    pub site: u32,
    pub steps: u64,
    /// Of the blocks before the last one.
    pub moved_bytes: u64,
    pub final_size: u64,
    /// All blocks in order, if they are kept.
    pub blocks: Vec<u64>,
}

/// A vector grows at least so much: most grow by half, or to twice their size.
fn is_grown(old: u64, new: u64) -> bool {
    new >= old.saturating_add(old / 4).saturating_add(1)
}

struct Last {
    thread: u32,
    /// The block that a thread allocated in its last call.
    block: u64,
}

/// Follows the blocks of a trace.
#[derive(Default)]
pub struct Chains {
    keeps_blocks: bool,
    live: FxHashMap<u64, (Chain, u32)>, // and the thread
    last: Vec<Last>,                    // of a few threads; searched from the end
}

impl Chains {
    pub fn new(keeps_blocks: bool) -> Self {
        Self { keeps_blocks, ..Self::default() }
    }

    fn last_of(&mut self, thread: u32) -> Option<usize> {
        self.last.iter().rposition(|it| it.thread == thread)
    }

    fn set_last(&mut self, thread: u32, block: Option<u64>) {
        let at = self.last_of(thread);
        match (at, block) {
            (Some(at), Some(block)) => self.last[at].block = block,
            (Some(at), None) => drop(self.last.swap_remove(at)),
            (None, Some(block)) => self.last.push(Last { thread, block }),
            (None, None) => {}
        }
    }

    fn begin(&mut self, site: u32, thread: u32, block: u64, size: u64) {
        let blocks = if self.keeps_blocks { vec![block] } else { Vec::new() };
        let chain = Chain { site, final_size: size, blocks, ..Chain::default() };
        self.live.insert(block, (chain, thread));
    }

    /// `new` takes the place of `old`. Returns: whether it does, as the same thread made both.
    fn link(&mut self, old: u64, new: u64, thread: u32, site: u32, size: u64) -> bool {
        let Some((mut chain, owner)) = self.live.remove(&old) else { return false };
        if owner != thread {
            return false;
        }
        chain.site = site;
        chain.steps += 1;
        chain.moved_bytes = chain.moved_bytes.saturating_add(chain.final_size);
        chain.final_size = chain.final_size.max(size);
        if self.keeps_blocks {
            chain.blocks.push(new);
        }
        self.live.insert(new, (chain, thread));
        true
    }

    /// Takes the next event. Gives chains that have ended to `ended`. Returns: whether the event
    /// frees a block that another one has replaced.
    pub fn add(&mut self, event: &Event, ended: &mut impl FnMut(Chain)) -> bool {
        let mut is_growth = false;
        let thread = event.thread;
        match event.kind {
            Kind::Allocate { block, size, .. } => {
                self.begin(event.caller, thread, block, size);
                self.set_last(thread, Some(block));
            }
            Kind::Free { block } => {
                let last = self.last_of(thread).map(|at| self.last[at].block);
                is_growth = last.is_some_and(|new| self.grows(block, new, thread));
                if !is_growth && let Some((chain, _)) = self.live.remove(&block) {
                    ended(chain);
                }
                self.set_last(thread, None);
            }
            Kind::Resize { old, block, size, .. } => {
                if !self.link(old, block, thread, event.caller, size) {
                    self.begin(event.caller, thread, block, size);
                }
                self.set_last(thread, None);
            }
            _ => {}
        }
        is_growth
    }

    /// Whether a thread that frees `old` has just allocated a much larger `new` in its place, and
    /// joins them.
    fn grows(&mut self, old: u64, new: u64, thread: u32) -> bool {
        let (Some((from, owner)), Some((to, _))) = (self.live.get(&old), self.live.get(&new))
        else {
            return false;
        };
        let (site, size) = (to.site, to.final_size);
        if old == new || *owner != thread || from.site != site || !is_grown(from.final_size, size) {
            return false;
        }
        self.live.remove(&new);
        self.link(old, new, thread, site, size)
    }

    /// The chains of blocks that are still in use.
    pub fn finish(self, ended: &mut impl FnMut(Chain)) {
        for (chain, _) in self.live.into_values() {
            ended(chain);
        }
    }
}
