//! The events of a section as columns, and back.
//!
//! A column has one number for each event that needs it. Numbers that are often small or alike come
//! first in their column's own terms: a time is the difference to the last one, and a freed block is
//! how many blocks ago it was allocated.

use crate::event::{Api, Event, Kind};
use crate::numbers::{Numbers, put};

const COLUMNS: usize = 8;
const KIND: usize = 0;
const TIME: usize = 1;
const THREAD: usize = 2;
const CALLER: usize = 3;
const SIZE: usize = 4;
const BLOCK: usize = 5;
const ALIGN: usize = 6;
const TOOK: usize = 7;

const ALLOCATE: u8 = 0;
const ALLOCATE_ALIGNED: u8 = 1;
const FREE: u8 = 2;
const RESIZE_MOVED: u8 = 3;
const RESIZE_IN_PLACE: u8 = 4;
const FAILED: u8 = 5;
const FREE_NULL: u8 = 6;
const USABLE_SIZE: u8 = 7;
/// No block is larger: addresses have 57 bits at most, and no program uses them all.
const MOST_BYTES: u64 = 1 << 56;
/// Behind USABLE_SIZE instead of a function.
const RESIDENT: u8 = 31;

/// The columns of a section that is being filled.
#[derive(Default)]
pub struct Columns {
    columns: [Vec<u8>; COLUMNS],
    pub events: usize,
    first: Option<(u64, u64)>, // tick, blocks before the section
    last_tick: u64,
    blocks: u64,
}

impl Columns {
    /// Appends an event. `blocks` blocks were allocated before it.
    pub fn push(&mut self, event: &Event, blocks: u64) {
        if self.first.is_none() {
            self.first = Some((event.tick, blocks));
            self.last_tick = event.tick;
        }
        self.blocks = blocks;
        let kind = match event.kind {
            Kind::Allocate { size, align, .. } | Kind::Inherit { size, align, .. } => {
                put(&mut self.columns[SIZE], size);
                if align > 1 {
                    put(&mut self.columns[ALIGN], u64::from(align));
                }
                if align > 1 { ALLOCATE_ALIGNED } else { ALLOCATE }
            }
            Kind::Free { block } => {
                self.put_block(block);
                FREE
            }
            Kind::Resize { old, size, took, in_place, .. } => {
                self.put_block(old);
                put(&mut self.columns[SIZE], size);
                put(&mut self.columns[TOOK], took);
                if in_place { RESIZE_IN_PLACE } else { RESIZE_MOVED }
            }
            Kind::Failed { size } => {
                put(&mut self.columns[SIZE], size);
                FAILED
            }
            Kind::FreeNull => FREE_NULL,
            Kind::UsableSize { block } => {
                self.put_block(block);
                USABLE_SIZE
            }
            Kind::Resident { block, bytes } => {
                self.put_block(block);
                put(&mut self.columns[SIZE], bytes);
                USABLE_SIZE
            }
        };
        let is_call = !matches!(event.kind, Kind::Resident { .. });
        self.columns[KIND].push(kind << 5 | if is_call { event.api as u8 } else { RESIDENT });
        put(&mut self.columns[TIME], event.tick - self.last_tick);
        self.last_tick = event.tick;
        put(&mut self.columns[THREAD], u64::from(event.thread));
        put(&mut self.columns[CALLER], u64::from(event.caller));
        self.events += 1;
    }

    fn put_block(&mut self, block: u64) {
        put(&mut self.columns[BLOCK], self.blocks - block);
    }

    /// The bytes of the section, and an empty one in its place.
    pub fn take(&mut self) -> Vec<u8> {
        let mut out = Vec::new();
        let (tick, blocks) = self.first.unwrap_or_default();
        for n in [self.events as u64, tick, blocks] {
            put(&mut out, n);
        }
        for column in &self.columns {
            put(&mut out, column.len() as u64);
        }
        for column in &self.columns {
            out.extend_from_slice(column);
        }
        *self = Self::default();
        out
    }
}

/// Reads the events of a section. Ends early, with `is_damaged`, if its columns do not fit.
pub struct Section<'a> {
    is_inherited: bool,
    columns: [Numbers<'a>; COLUMNS],
    left: u64,
    tick: u64,
    blocks: u64,
    pub is_damaged: bool,
}

impl<'a> Section<'a> {
    /// `is_inherited`: its events are blocks of the parent.
    pub fn of(bytes: &'a [u8], is_inherited: bool) -> Option<Self> {
        let mut head = Numbers::new(bytes);
        let (left, tick, blocks) = (head.number()?, head.number()?, head.number()?);
        let mut lengths = [0u64; COLUMNS];
        for length in &mut lengths {
            *length = head.number()?;
        }
        let mut at = head.at;
        let mut columns = std::array::from_fn(|_| Numbers::new(&[]));
        for (column, length) in columns.iter_mut().zip(lengths) {
            let end = at.checked_add(usize::try_from(length).ok()?)?;
            *column = Numbers::new(bytes.get(at..end)?);
            at = end;
        }
        let is_whole = at == bytes.len() && columns[KIND].bytes.len() as u64 == left;
        is_whole.then_some(Self { is_inherited, columns, left, tick, blocks, is_damaged: false })
    }

    fn block(&mut self) -> Option<u64> {
        self.blocks.checked_sub(self.columns[BLOCK].number()?).filter(|&b| b < self.blocks)
    }

    /// The size of an allocation that succeeded.
    fn size(&mut self) -> Option<u64> {
        self.columns[SIZE].number().filter(|&size| size <= MOST_BYTES)
    }

    fn made(&mut self) -> Option<u64> {
        let block = self.blocks;
        self.blocks = block.checked_add(1)?;
        Some(block)
    }

    fn allocated(&mut self, size: u64, align: u32) -> Option<Kind> {
        let block = self.made()?;
        Some(if self.is_inherited {
            Kind::Inherit { block, size, align }
        } else {
            Kind::Allocate { block, size, align }
        })
    }

    fn read(&mut self) -> Option<Event> {
        let kind = self.columns[KIND].byte()?;
        let is_resident = kind & 31 == RESIDENT && kind >> 5 == USABLE_SIZE;
        let api = if is_resident { Api::UsableSize } else { Api::from_number(kind & 31)? };
        self.tick = self.tick.checked_add(self.columns[TIME].number()?)?;
        let thread = u32::try_from(self.columns[THREAD].number()?).ok()?;
        let caller = u32::try_from(self.columns[CALLER].number()?).ok()?;
        if self.is_inherited && kind >> 5 > ALLOCATE_ALIGNED {
            return None;
        }
        let kind = match kind >> 5 {
            ALLOCATE => {
                let size = self.size()?;
                self.allocated(size, 1)?
            }
            ALLOCATE_ALIGNED => {
                let size = self.size()?;
                let align = u32::try_from(self.columns[ALIGN].number()?).ok()?;
                self.allocated(size, align)?
            }
            FREE => Kind::Free { block: self.block()? },
            resize @ (RESIZE_MOVED | RESIZE_IN_PLACE) => {
                let old = self.block()?;
                let size = self.size()?;
                let took = self.columns[TOOK].number()?;
                let in_place = resize == RESIZE_IN_PLACE;
                Kind::Resize { old, block: self.made()?, size, took, in_place }
            }
            FAILED => Kind::Failed { size: self.columns[SIZE].number()? },
            FREE_NULL => Kind::FreeNull,
            _ if is_resident => {
                Kind::Resident { block: self.block()?, bytes: self.columns[SIZE].number()? }
            }
            _ => Kind::UsableSize { block: self.block()? },
        };
        Some(Event { tick: self.tick, thread, api, caller, kind })
    }
}

impl Iterator for Section<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if self.left == 0 {
            return None;
        }
        let event = self.read();
        self.is_damaged = event.is_none();
        self.left = if self.is_damaged { 0 } else { self.left - 1 };
        event
    }
}
