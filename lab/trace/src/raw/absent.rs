//! Blocks that the recorder wrote and that a raw file does not have: it was cut off, or parts of it
//! are zeros.

use std::collections::{BTreeMap, BTreeSet};

use super::fields::{u32_at, u64_at};
use super::file::{BLOCK_MAGIC, RawFile, is_closed};

/// A home, and the numbers of its copies that are there.
#[derive(Default)]
struct Home {
    /// The number of its next copy; none if the home itself is not there.
    next: Option<u64>,
    copies: BTreeSet<u64>,
}

impl Home {
    fn absent_copies(&self) -> u64 {
        let last = self.copies.last().map_or(0, |&number| number.saturating_add(1));
        let written = self.next.unwrap_or(last);
        written - self.copies.range(..written).count() as u64
    }
}

impl RawFile {
    /// How many blocks are missing. The header counts the homes that were begun, and a home its
    /// copies. So blocks that were claimed and never had an event do not count: the reserve of a
    /// confined process, blocks without room on the disk, and those of a program that was killed.
    /// Of a home that is missing, nobody knows the last copies: then all empty blocks count.
    pub(super) fn absent(&self) -> u64 {
        let mut homes: BTreeMap<usize, Home> = BTreeMap::new();
        let (mut foreign, mut empty) = (0, self.claimed().saturating_sub(self.blocks().end) as u64);
        for index in self.blocks() {
            let block = self.block(index);
            match u32_at(block, 0) {
                BLOCK_MAGIC => {
                    let (at, number) = (u32_at(block, 4) as usize, u64_at(block, 24));
                    let home = homes.entry(at).or_default();
                    if at == index {
                        home.next = Some(number);
                    } else if is_closed(block) {
                        home.copies.insert(number);
                    }
                }
                0 => empty += u64::from(index < self.claimed()),
                _ => foreign += 1, // a line about damage names it
            }
        }
        let there = homes.values().filter(|home| home.next.is_some()).count() as u64;
        let begun = u64::from(self.header.homes).max(homes.len() as u64);
        let copies = homes.values().map(Home::absent_copies);
        let absent = copies.fold(begun - there, u64::saturating_add).saturating_sub(foreign);
        let has_reserve = self.header.is_confined || self.header.drop_errno != 0;
        let absent = match absent > 0 && begun > there && !has_reserve {
            true => absent.max(empty),
            false => absent,
        };
        absent.min(self.claimed().max(self.blocks().end) as u64)
    }

    fn claimed(&self) -> usize {
        self.header.blocks as usize
    }
}
