//! A trace as any allocator sees it: its calls, with numbers in place of addresses.

use std::collections::HashMap;

use crate::trace::{Device, Kind};

/// A request. A block of a stream or a pool serves no other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub bytes: u64,
    pub stream: u64,
    pub pool: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Allocate {
        block: u32,
        request: Request,
    },
    Free {
        block: u32,
    },
    /// The program called `empty_cache()`.
    EmptyCache,
    /// The recorded allocator got a segment for the next request.
    NewSegment {
        address: u64,
        bytes: u64,
    },
    /// The recorded allocator gave a segment back.
    OldSegment {
        address: u64,
    },
}

pub struct Program {
    /// How many blocks are in use at the first event. They have the first numbers.
    pub at_start: usize,
    pub steps: Vec<Step>,
    /// Where the recorded allocator put each block, by its number.
    pub addresses: Vec<u64>,
    /// Blocks of the trace that had no address of their own, or a free that fits none.
    pub misfits: usize,
}

impl Program {
    pub fn of(device: &Device) -> Self {
        let mut program =
            Self { at_start: 0, steps: Vec::new(), addresses: Vec::new(), misfits: 0 };
        let mut live = HashMap::new();
        for block in &device.blocks {
            let (bytes, stream, pool) = (block.requested, block.stream, block.pool);
            live.insert(
                block.address,
                program.allocate(block.address, Request { bytes, stream, pool }),
            );
        }
        program.at_start = program.addresses.len();
        for (at, event) in device.events.iter().enumerate() {
            let (address, bytes) = (event.address, event.bytes);
            match event.kind {
                Kind::Alloc => {
                    let request = Request { bytes, stream: event.stream, pool: event.pool };
                    let number = program.allocate(address, request);
                    program.misfits += usize::from(live.insert(address, number).is_some());
                }
                Kind::Free => match live.remove(&address) {
                    Some(block) => program.steps.push(Step::Free { block }),
                    None => program.misfits += 1,
                },
                Kind::SegmentAlloc => program.steps.push(Step::NewSegment { address, bytes }),
                Kind::SegmentFree | Kind::SegmentUnmap => {
                    if empties_cache(device, at) {
                        program.steps.push(Step::EmptyCache);
                    }
                    if event.kind == Kind::SegmentFree {
                        program.steps.push(Step::OldSegment { address });
                    }
                }
                Kind::FreeRequested | Kind::SegmentMap | Kind::Oom | Kind::Snapshot => {}
            }
        }
        program
    }

    fn allocate(&mut self, address: u64, request: Request) -> u32 {
        let block = self.addresses.len() as u32;
        self.addresses.push(address);
        self.steps.push(Step::Allocate { block, request });
        block
    }
}

/// Whether the program asked for the first of a row of returned segments. Otherwise the allocator
/// did so itself, because the device was full, and then a new segment follows or a failure.
fn empties_cache(device: &Device, at: usize) -> bool {
    let is_return = |kind| matches!(kind, Kind::SegmentFree | Kind::SegmentUnmap);
    if at.checked_sub(1).is_some_and(|before| is_return(device.events[before].kind)) {
        return false;
    }
    let next = device.events[at..].iter().find(|event| !is_return(event.kind));
    !next.is_some_and(|it| matches!(it.kind, Kind::SegmentAlloc | Kind::SegmentMap | Kind::Oom))
}
