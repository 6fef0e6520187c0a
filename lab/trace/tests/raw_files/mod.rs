//! Raw files, written byte by byte.

#![allow(dead_code)] // Each test program uses its own part.

use std::fs;
use std::path::Path;

use heapsmith_trace::numbers::{put, put_signed};

pub const BLOCK: usize = 64 * 1024;

/// A call of a thread: its tick, and its address.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    Malloc(u64, u64),
    /// The same with a size.
    MallocOf(u64, u64, u64),
    Free(u64, u64),
    /// From and to: the ticks of the begin and the end, the old address and the new one.
    Realloc(u64, u64, u64, u64),
    ReallocOf(u64, u64, u64, u64, u64),
}

/// One thread's events in one block of a file.
fn block(index: u32, thread: u64, calls: &[Call]) -> Vec<u8> {
    let mut events = vec![0x3f];
    let (mut tick, mut made, mut ended) = (0u64, [0u64; 256], 0u64);
    let of_size = |size: u64| (size / 16 % 256) as usize;
    for n in [thread, 1000 + thread, tick, 0] {
        put(&mut events, n);
    }
    let mut head = |events: &mut Vec<u8>, what: u8, at: u64| {
        events.push(what | 0x70);
        put(events, at - tick);
        events.push(7);
        tick = at;
    };
    let address = |events: &mut Vec<u8>, last: &mut u64, to: u64| {
        put_signed(events, to as i64 - *last as i64);
        *last = to;
    };
    for &call in calls {
        let call = match call {
            Call::Malloc(at, to) => Call::MallocOf(at, to, 100),
            Call::Realloc(begin, end, old, new) => Call::ReallocOf(begin, end, old, new, 200),
            other => other,
        };
        match call {
            Call::Malloc(..) | Call::Realloc(..) => unreachable!("they were given a size"),
            Call::MallocOf(at, to, size) => {
                head(&mut events, 0, at);
                put(&mut events, size);
                address(&mut events, &mut made[of_size(size)], to);
            }
            Call::Free(at, from) => {
                head(&mut events, 1, at);
                address(&mut events, &mut ended, from);
            }
            Call::ReallocOf(begin, end, old, new, size) => {
                head(&mut events, 3, begin);
                address(&mut events, &mut ended, old);
                put(&mut events, size);
                put(&mut events, end - begin);
                events.push(if old == new { 1 } else { 2 });
                if old != new {
                    address(&mut events, &mut made[of_size(size)], new);
                }
                // The head of the next event counts from the end.
                head_at(&mut head, end);
            }
        }
    }
    let mut block = vec![0; BLOCK];
    block[..4].copy_from_slice(&0x4B4C_4253u32.to_le_bytes());
    block[4..8].copy_from_slice(&index.to_le_bytes());
    block[8..12].copy_from_slice(&(32 + events.len() as u32).to_le_bytes());
    block[32..32 + events.len()].copy_from_slice(&events);
    block
}

fn head_at(head: &mut impl FnMut(&mut Vec<u8>, u8, u64), at: u64) {
    head(&mut Vec::new(), 0, at);
}

/// The header of a file: who wrote it, and which file its parent.
#[derive(Clone, Debug, Default)]
pub struct Head {
    pub pid: u32,
    pub first_tick: u64,
    pub fork_tick: u64,
    pub parent_file: String,
}

pub fn write(path: &Path, threads: &[&[Call]]) {
    write_as(path, &Head::default(), threads);
}

pub fn write_as(path: &Path, head: &Head, threads: &[&[Call]]) {
    let mut file = vec![0; BLOCK];
    file[..8].copy_from_slice(b"HSRAWTRC");
    file[8..12].copy_from_slice(&2u32.to_le_bytes());
    file[24..28].copy_from_slice(&head.pid.to_le_bytes());
    file[32..40].copy_from_slice(&head.first_tick.to_le_bytes());
    file[64..72].copy_from_slice(&head.fork_tick.to_le_bytes());
    file[100..100 + head.parent_file.len()].copy_from_slice(head.parent_file.as_bytes());
    for (n, calls) in threads.iter().enumerate() {
        file.extend(block(n as u32 + 1, n as u64 + 1, calls));
    }
    fs::write(path, file).expect("written");
}
