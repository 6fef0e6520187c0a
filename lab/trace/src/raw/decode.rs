//! The events in a block. A block is read alone: each part of it begins with a record of its thread
//! and the time, and differences start from zero there.

use crate::event::Api;
use crate::numbers::Numbers;

const CALLERS: usize = 256;
const SIZES: usize = 256;
const CONTROL: u8 = 15;
/// In the high four bits of a first byte.
const TICKS_FOLLOW: u8 = 7;
const IS_EXPECTED: u8 = 8;
const MOST_FRAMES: u64 = 512;
/// Behind MOST_FRAMES, if the stack has more.
pub const CUT_FRAME: u64 = 1;

/// A part of a block that one thread wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    pub thread: u32,
    pub tid: u32,
    pub first_tick: u64,
    /// The number of the record of the thread's start, or 0.
    pub start: u32,
    /// The bytes of its events in the file, behind the record of the thread.
    pub from: usize,
    pub to: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawKind {
    Allocate {
        address: u64,
        size: u64,
        align: u32,
    },
    Free {
        address: u64,
    },
    Realloc {
        old: u64,
        address: u64,
        size: u64,
        took: u64,
    },
    Failed {
        size: u64,
    },
    FreeNull,
    UsableSize {
        address: u64,
    },
    /// So many bytes of the block are in memory.
    Resident {
        address: u64,
        bytes: u64,
    },
    /// The thread is about to start another one.
    Start {
        number: u32,
    },
    /// The process has so many bytes in memory that belong to no file.
    Memory {
        bytes: u64,
    },
    EndOfThread,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawEvent {
    /// When the call was stamped; of a realloc, when it ended.
    pub tick: u64,
    pub api: Api,
    pub caller: u64,
    pub kind: RawKind,
}

/// The return addresses above a caller, the nearest first; last CUT_FRAME, if there are more.
pub type Stack = Vec<u64>;

/// One record of a fragment.
pub enum Record {
    Event(RawEvent),
    Stack(Stack),
    /// A record of another thread begins here.
    Thread {
        thread: u32,
        tid: u32,
        tick: u64,
        start: u32,
    },
}

/// The state with which the records of a fragment are read.
#[derive(Clone)]
pub struct Decoder {
    tick: u64,
    caller: u64,
    slot: u8,
    last: Box<History>,
}

/// As `history` in stream.hpp.
#[derive(Clone)]
struct History {
    callers: [u64; CALLERS],
    /// By size.
    made: [u64; SIZES],
    /// By caller.
    ended: [u64; CALLERS],
    /// The slot that came last behind each.
    next: [u8; CALLERS],
}

impl Decoder {
    pub fn new(first_tick: u64) -> Self {
        let (callers, made, ended) = ([0; CALLERS], [0; SIZES], [0; CALLERS]);
        let last = Box::new(History { callers, made, ended, next: [0; CALLERS] });
        Self { tick: first_tick, caller: 0, slot: 0, last }
    }

    /// No call, but a fact that belongs to the place.
    fn fact(&self, kind: RawKind) -> Option<Record> {
        Some(Record::Event(RawEvent { tick: self.tick, api: Api::UsableSize, caller: 0, kind }))
    }

    fn pass(&mut self, from: &mut Numbers) -> Option<()> {
        self.tick = self.tick.checked_add(from.number()?)?;
        Some(())
    }

    /// Reads one record. None: the bytes end within it, or it is unknown.
    pub fn next(&mut self, from: &mut Numbers) -> Option<Record> {
        loop {
            let first = from.byte()?;
            let (what, high) = (first & 15, first >> 4);
            if what != CONTROL {
                return self.event(what, high, from).map(Record::Event);
            }
            match high {
                1 => {
                    let slot = from.byte()?;
                    self.caller = self.caller.wrapping_add(from.signed()? as u64);
                    self.last.callers[usize::from(slot)] = self.caller;
                }
                2 => {
                    let n = from.number().filter(|&n| n <= MOST_FRAMES + 1)?;
                    let mut last = 0u64;
                    let mut stack = Vec::with_capacity(n as usize);
                    for _ in 0..n {
                        last = last.wrapping_add(from.signed()? as u64);
                        stack.push(last);
                    }
                    return Some(Record::Stack(stack));
                }
                3 => {
                    let thread = u32::try_from(from.number()?).ok()?;
                    let tid = u32::try_from(from.number()?).ok()?;
                    let tick = from.number()?;
                    let start = u32::try_from(from.number()?).ok()?;
                    *self = Self::new(tick);
                    return Some(Record::Thread { thread, tid, tick, start });
                }
                4 => {
                    let address = from.number()?.wrapping_mul(8);
                    return self.fact(RawKind::Resident { address, bytes: from.number()? });
                }
                5 => {
                    self.pass(from)?;
                    let number = u32::try_from(from.number()?).ok()?;
                    return self.fact(RawKind::Start { number });
                }
                6 => return self.fact(RawKind::Memory { bytes: from.number()? }),
                7 => {
                    self.pass(from)?;
                    return self.fact(RawKind::EndOfThread);
                }
                _ => return None,
            }
        }
    }

    fn event(&mut self, what: u8, high: u8, from: &mut Numbers) -> Option<RawEvent> {
        match high & TICKS_FOLLOW {
            TICKS_FOLLOW => self.pass(from)?,
            ticks => self.tick = self.tick.checked_add(u64::from(ticks))?,
        }
        let tick = self.tick;
        let expected = &mut self.last.next[usize::from(self.slot)];
        if high & IS_EXPECTED == 0 {
            *expected = from.byte()?;
        }
        self.slot = *expected;
        let caller = self.last.callers[usize::from(self.slot)];
        let allocated = |api| Some((api, 1u32));
        let (api, align) = match what {
            0 => allocated(Api::Malloc)?,
            2 => allocated(Api::Calloc)?,
            4 => allocated(Api::New)?,
            8 => allocated(Api::NewArray)?,
            7 => {
                let api = allocating(from.byte()?)?;
                (api, u32::try_from(from.number()?).ok()?)
            }
            _ => {
                let (api, kind) = self.other(what, from)?;
                // A realloc has moved the time to its end.
                return Some(RawEvent { tick: self.tick, api, caller, kind });
            }
        };
        let size = from.number()?;
        let address = self.made(size, from)?;
        Some(RawEvent { tick, api, caller, kind: RawKind::Allocate { address, size, align } })
    }

    fn other(&mut self, what: u8, from: &mut Numbers) -> Option<(Api, RawKind)> {
        let freed = |api, address| Some((api, RawKind::Free { address }));
        match what {
            1 => freed(Api::Free, self.ended(from)?),
            5 => freed(Api::Delete, self.ended(from)?),
            6 => freed(Api::DeleteSized, self.ended(from)?),
            9 => freed(Api::DeleteArray, self.ended(from)?),
            3 => {
                let old = self.ended(from)?;
                let size = from.number()?;
                let took = from.number()?;
                self.tick = self.tick.checked_add(took)?;
                let address = match from.byte()? {
                    0 => 0,
                    1 => old,
                    2 => self.made(size, from)?,
                    _ => return None,
                };
                Some((Api::Realloc, RawKind::Realloc { old, address, size, took }))
            }
            10 => Some((Api::UsableSize, RawKind::UsableSize { address: self.ended(from)? })),
            11 => {
                let api = allocating(from.byte()?)?;
                Some((api, RawKind::Failed { size: from.number()? }))
            }
            12 => Some((Api::Free, RawKind::FreeNull)),
            _ => None,
        }
    }

    fn made(&mut self, size: u64, from: &mut Numbers) -> Option<u64> {
        let last = &mut self.last.made[(size / 16) as usize % SIZES];
        *last = last.wrapping_add(from.signed()? as u64);
        Some(last.wrapping_mul(8))
    }

    fn ended(&mut self, from: &mut Numbers) -> Option<u64> {
        let last = &mut self.last.ended[usize::from(self.slot)];
        *last = last.wrapping_add(from.signed()? as u64);
        Some(last.wrapping_mul(8))
    }
}

/// The functions that allocate are numbered alike in raw files and here.
fn allocating(n: u8) -> Option<Api> {
    Api::from_number(n).filter(|&api| api < Api::Free)
}

impl Fragment {
    /// The fragments in the events of a block, which lie at `base` in the file; and whether the
    /// bytes end with the last of them. Bytes behind damage are left out.
    pub fn split(events: &[u8], base: usize) -> (Vec<Fragment>, bool) {
        let mut fragments: Vec<Fragment> = Vec::new();
        let mut from = Numbers::new(events);
        let mut decoder = Decoder::new(0);
        let mut whole = true;
        while !from.is_at_end() {
            let before = from.at;
            let record = decoder.next(&mut from);
            if fragments.is_empty() && !matches!(record, Some(Record::Thread { .. })) {
                return (fragments, false);
            }
            match record {
                Some(Record::Thread { thread, tid, tick: first_tick, start }) => {
                    let (from, to) = (base + from.at, base + from.at);
                    fragments.push(Fragment { thread, tid, first_tick, start, from, to });
                }
                Some(_) => {}
                None => {
                    from.at = before;
                    whole = false;
                }
            }
            fragments.last_mut().expect("a thread came first").to = base + from.at;
            if !whole {
                break;
            }
            // The bytes of the record of a thread are not those of the fragment before it.
        }
        (fragments, whole)
    }
}
