//! Snapshots of our own making: a writer of pickles, opcode by opcode, and a small history.

#![allow(dead_code)] // Each test program uses its own part.

use std::collections::HashMap;

/// A value of Python.
#[derive(Clone)]
pub enum Py {
    None,
    Bool(bool),
    Int(i64),
    Text(&'static str),
    List(Vec<Py>),
    Tuple(Py2),
    Dict(Vec<(&'static str, Py)>),
}

pub type Py2 = Box<(Py, Py)>;

/// The pickle of a value, of protocol 4, without frames.
pub fn pickle(value: &Py) -> Vec<u8> {
    let mut out = vec![0x80, 4];
    let mut memo = HashMap::new();
    let mut next = 0;
    put(value, &mut out, &mut memo, &mut next);
    out.push(b'.');
    out
}

fn text(text: &'static str, out: &mut Vec<u8>, memo: &mut HashMap<&str, u32>, next: &mut u32) {
    if let Some(&at) = memo.get(text) {
        match u8::try_from(at) {
            Ok(at) => out.extend([b'h', at]),
            Err(_) => out.extend([&[b'j'][..], &at.to_le_bytes()].concat()),
        }
        return;
    }
    out.extend([0x8C, text.len() as u8]);
    out.extend(text.as_bytes());
    out.push(0x94);
    memo.insert(text, *next);
    *next += 1;
}

fn put(value: &Py, out: &mut Vec<u8>, memo: &mut HashMap<&'static str, u32>, next: &mut u32) {
    match value {
        Py::None => out.push(b'N'),
        Py::Bool(value) => out.push(if *value { 0x88 } else { 0x89 }),
        Py::Int(value @ 0..=255) => out.extend([b'K', *value as u8]),
        Py::Int(value) => match i32::try_from(*value) {
            Ok(value) => out.extend([&[b'J'][..], &value.to_le_bytes()].concat()),
            Err(_) => out.extend([&[0x8A, 8][..], &value.to_le_bytes()].concat()),
        },
        Py::Text(value) => text(value, out, memo, next),
        Py::Tuple(pair) => {
            put(&pair.0, out, memo, next);
            put(&pair.1, out, memo, next);
            out.push(0x86);
        }
        Py::List(items) => {
            out.extend(*b"](");
            items.iter().for_each(|item| put(item, out, memo, next));
            out.push(b'e');
        }
        Py::Dict(pairs) => {
            out.extend(*b"}(");
            for (key, value) in pairs {
                text(key, out, memo, next);
                put(value, out, memo, next);
            }
            out.push(b'u');
        }
    }
}

pub const MIB: i64 = 1 << 20;
/// The segments of the small history.
pub const A: i64 = 0x7000_0000_0000;
pub const B: i64 = 0x7000_1000_0000;
pub const C: i64 = 0x7000_2000_0000;
pub const D: i64 = 0x7000_3000_0000;

pub fn event(action: &'static str, address: i64, bytes: i64) -> Py {
    let frame = Py::Dict(vec![
        ("name", Py::Text("forward")),
        ("filename", Py::Text("model.py")),
        ("line", Py::Int(7)),
    ]);
    Py::Dict(vec![
        ("action", Py::Text(action)),
        ("addr", Py::Int(address)),
        ("size", Py::Int(bytes)),
        ("stream", Py::Int(0)),
        ("time_us", Py::Int(1_795_760_177_775_751)),
        ("frames", Py::List(vec![frame])),
    ])
}

/// A segment with blocks: their sizes, and how much was asked for. Nothing: the block is free.
pub fn segment(address: i64, kind: &'static str, blocks: &[(i64, Option<i64>)]) -> Py {
    segment_of(address, kind, blocks, false)
}

pub fn segment_of(
    address: i64,
    kind: &'static str,
    blocks: &[(i64, Option<i64>)],
    is_expandable: bool,
) -> Py {
    let mut at = address;
    let list = blocks.iter().map(|(bytes, asked)| {
        let state = if asked.is_some() { "active_allocated" } else { "inactive" };
        at += bytes;
        Py::Dict(vec![
            ("address", Py::Int(at - bytes)),
            ("size", Py::Int(*bytes)),
            ("requested_size", Py::Int(asked.unwrap_or(0))),
            ("state", Py::Text(state)),
        ])
    });
    let list = list.collect();
    Py::Dict(vec![
        ("device", Py::Int(0)),
        ("address", Py::Int(address)),
        ("total_size", Py::Int(at - address)),
        ("stream", Py::Int(0)),
        ("segment_type", Py::Text(kind)),
        ("segment_pool_id", Py::Tuple(Box::new((Py::Int(0), Py::Int(0))))),
        ("is_expandable", Py::Bool(is_expandable)),
        ("blocks", Py::List(list)),
    ])
}

pub fn snapshot(segments: Vec<Py>, events: Vec<Py>) -> Py {
    let settings = Py::Dict(vec![
        ("max_split_size", Py::Int(-1)),
        ("expandable_segments", Py::Bool(false)),
        ("roundup_power2_divisions", Py::Dict(vec![("1", Py::Int(0)), ("2", Py::Int(0))])),
    ]);
    Py::Dict(vec![
        ("segments", Py::List(segments)),
        ("device_traces", Py::List(vec![Py::List(events)])),
        ("allocator_settings", settings),
        ("external_annotations", Py::List(vec![Py::None])),
    ])
}

/// A history that follows from the documented rules. It begins with 4 MiB in use in a segment of 20
/// MiB, gets segments of 30, 2 and 26 MiB, and has a block whose rest is too short to be split off.
pub fn small_history() -> Py {
    let mut events = vec![
        event("alloc", A + 4 * MIB, 2 * MIB),
        event("segment_alloc", B, 30 * MIB),
        event("alloc", B, 30 * MIB),
        event("segment_alloc", C, 2 * MIB),
        event("alloc", C, 1000),
    ];
    for (address, bytes) in [(A + 4 * MIB, 2 * MIB), (A, 4 * MIB), (B, 30 * MIB)] {
        events.push(event("free_requested", address, bytes));
        events.push(event("free_completed", address, bytes));
    }
    events.extend([
        event("alloc", A, 39 * MIB / 2),
        event("alloc", B, 28 * MIB),
        event("segment_alloc", D, 26 * MIB),
        event("alloc", D, 25 * MIB),
    ]);
    let segments = vec![
        segment(D, "large", &[(26 * MIB, Some(25 * MIB))]),
        segment(A, "large", &[(20 * MIB, Some(39 * MIB / 2))]),
        segment(B, "large", &[(28 * MIB, Some(28 * MIB)), (2 * MIB, None)]),
        segment(C, "small", &[(1024, Some(1000)), (2 * MIB - 1024, None)]),
    ];
    snapshot(segments, events)
}
