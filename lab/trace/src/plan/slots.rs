//! Slots: the places of a table in which the replayer keeps the addresses of blocks.
//!
//! A slot belongs to the thread that allocates into it. What that thread frees itself is used again
//! first, so that the part of the table in use stays small. A slot that another thread empties is
//! used again after it was seen to be empty.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

/// A cache line of slots belongs to one thread.
const SLOTS_A_LINE: u32 = 8;

/// A block in use.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub slot: u32,
    pub owner: u32,
    /// Counts the blocks of the slot, modulo 2^16.
    pub turn: u16,
    pub size: u64,
    /// How many bytes of it were touched.
    pub touched: u64,
    /// The number of the treatment that has it, or None: malloc has.
    pub treatment: Option<u32>,
}

#[derive(Default)]
struct Own {
    emptied: Vec<u32>,
    emptied_by_others: VecDeque<u32>,
    line: std::ops::Range<u32>,
}

#[derive(Default)]
pub struct Slots {
    held: FxHashMap<u64, Held>,
    owners: Vec<Own>,
    turns: Vec<u16>,
}

impl Slots {
    /// A slot for a block that `thread` allocates, and whether it must wait until it is empty.
    pub fn hold(&mut self, block: u64, thread: u32, size: u64, touched: u64) -> (Held, bool) {
        let at = thread as usize;
        if self.owners.len() <= at {
            self.owners.resize_with(at + 1, Own::default);
        }
        let own = &mut self.owners[at];
        let (slot, waits) = if let Some(slot) = own.emptied.pop() {
            (slot, false)
        } else if let Some(slot) = own.emptied_by_others.pop_front() {
            (slot, true)
        } else {
            if own.line.is_empty() {
                let first = self.turns.len() as u32;
                own.line = first..first + SLOTS_A_LINE;
                self.turns.resize(self.turns.len() + SLOTS_A_LINE as usize, 0);
            }
            (own.line.next().expect("a line has slots"), false)
        };
        let turn = &mut self.turns[slot as usize];
        *turn = turn.wrapping_add(1);
        let held = Held { slot, owner: thread, turn: *turn, size, touched, treatment: None };
        self.held.insert(block, held);
        (held, waits)
    }

    /// A block that is held belongs to a treatment.
    pub fn treat(&mut self, block: u64, treatment: u32) {
        self.held.entry(block).and_modify(|held| held.treatment = Some(treatment));
    }

    /// A block goes on under another number, without a call.
    pub fn rename(&mut self, old: u64, new: u64) {
        if let Some(held) = self.held.remove(&old) {
            self.held.insert(new, held);
        }
    }

    pub fn get(&self, block: u64) -> Option<Held> {
        self.held.get(&block).copied()
    }

    /// The block is gone, by a call of `thread`.
    pub fn empty(&mut self, block: u64, thread: u32) -> Option<Held> {
        let held = self.held.remove(&block)?;
        let own = &mut self.owners[held.owner as usize];
        if held.owner == thread {
            own.emptied.push(held.slot);
        } else {
            own.emptied_by_others.push_back(held.slot);
        }
        Some(held)
    }

    /// The thread that owns a block resizes it: it stays in its slot, as the slot's next block.
    pub fn resize(&mut self, old: u64, new: u64, size: u64, touched: u64) {
        if let Some(mut held) = self.held.remove(&old) {
            let turn = &mut self.turns[held.slot as usize];
            *turn = turn.wrapping_add(1);
            (held.turn, held.size, held.touched) = (*turn, size, touched);
            self.held.insert(new, held);
        }
    }

    pub fn count(&self) -> u64 {
        self.turns.len() as u64
    }
}
