//! Readers of files that nobody wrote: any bytes are read to their end or told, without a panic, and
//! without memory beyond what the file has events for.
//!
//! The test draws for a second or two. `./dev fuzz trace SECONDS` sets HEAPSMITH_FUZZ_SECONDS.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use heapsmith_trace::advice::candidates::{candidates, treatments};
use heapsmith_trace::advice::study::{Merging, Study};
use heapsmith_trace::info::of_trace;
use heapsmith_trace::pack::pack;
use heapsmith_trace::packed::{Meta, Tables, Writer};
use heapsmith_trace::plan::{Order, Survey, compile, compile_treated};
use heapsmith_trace::{Api, Event, Kind};

fn time() -> Duration {
    let named = std::env::var("HEAPSMITH_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs_f64(named.unwrap_or(1.0))
}

/// A sound trace, with events of all kinds.
fn sound(random: &mut fastrand::Rng, path: &Path) -> Vec<u8> {
    let mut writer = Writer::create(path).expect("a file");
    let (mut live, mut blocks, mut tick) = (Vec::new(), 0, 0);
    for _ in 0..random.usize(..100) * random.usize(..2) {
        let kind = Kind::Inherit { block: blocks, size: 50, align: 1 << random.u32(..3) };
        let event = Event { tick, thread: 1, api: Api::Malloc, caller: 0, kind };
        writer.push(&event).expect("written");
        live.push(blocks);
        blocks += 1;
    }
    for _ in 0..random.usize(1..400) {
        tick += random.u64(..50);
        let size = random.u64(..100_000);
        let kind = match random.u8(..8) {
            0..=3 => Kind::Allocate { block: blocks, size, align: 1 << random.u32(..8) },
            4 if !live.is_empty() => {
                Kind::Free { block: live.swap_remove(random.usize(..live.len())) }
            }
            5 if !live.is_empty() => {
                let old = live.swap_remove(random.usize(..live.len()));
                Kind::Resize { old, block: blocks, size, took: 3, in_place: random.bool() }
            }
            6 if !live.is_empty() => {
                Kind::Resident { block: live[random.usize(..live.len())], bytes: size }
            }
            7 if !live.is_empty() => Kind::UsableSize { block: live[random.usize(..live.len())] },
            _ => Kind::Failed { size },
        };
        if let Kind::Allocate { block, .. } | Kind::Resize { block, .. } = kind {
            live.push(block);
            blocks += 1;
        }
        let (thread, caller) = (random.u32(1..5), random.u32(..20));
        let event = Event { tick, thread, api: Api::Malloc, caller, kind };
        writer.push(&event).expect("written");
    }
    let meta = Meta { ticks_a_ns: 0.05, ..Meta::default() };
    writer.finish(&Tables { meta, ..Tables::default() }).expect("written");
    fs::read(path).expect("a trace")
}

fn change(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.usize(1..6) {
        if bytes.is_empty() {
            return;
        }
        let at = random.usize(..bytes.len());
        match random.u8(..6) {
            0 => bytes[at] ^= 1 << random.u32(..8),
            1 => bytes[at] = random.u8(..),
            2 => bytes[at] = 0xFF,
            3 => bytes.truncate(at),
            4 => bytes.insert(at, random.u8(..)),
            _ => {
                let to = random.usize(..bytes.len());
                let count = random.usize(..32).min(bytes.len() - at.max(to));
                bytes.copy_within(at..at + count, to);
            }
        }
    }
}

/// Changes what a section of events has, and makes its checksum right again.
fn change_within(random: &mut fastrand::Rng, bytes: &[u8]) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
    let (packed, whole) = (word(20) as usize, word(28) as usize);
    let body = &bytes[32..32 + packed];
    let mut events = zstd::bulk::decompress(body, whole).expect("sound");
    change(random, &mut events);
    let again = zstd::bulk::compress(&events, 1).expect("packed");
    let mut out = bytes[..16].to_vec();
    for word in [word(16), again.len() as u32, crc32fast::hash(&again), events.len() as u32] {
        out.extend(word.to_le_bytes());
    }
    out.extend(again);
    out.extend(&bytes[32 + packed..]);
    out
}

#[test]
fn any_packed_trace_is_read_or_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, plan) = (folder.path().join("t"), folder.path().join("plan"));
    let seed =
        if std::env::var_os("HEAPSMITH_FUZZ_SECONDS").is_some() { fastrand::u64(..) } else { 7 };
    let mut random = fastrand::Rng::with_seed(seed);
    let (end, mut tried, mut read) = (Instant::now() + time(), 0u64, 0u64);
    while Instant::now() < end {
        fs::remove_file(&trace).ok();
        let sound = sound(&mut random, &trace);
        for _ in 0..20 {
            let mut bytes = sound.clone();
            if random.bool() {
                bytes = change_within(&mut random, &bytes);
            } else {
                change(&mut random, &mut bytes);
            }
            fs::write(&trace, &bytes).expect("written");
            tried += 1;
            if let Ok((info, _, _)) = of_trace(&trace) {
                read += u64::from(info.events > 0);
            }
            let Ok(survey) = Survey::of(&trace) else { continue };
            for order in [Order::Serial, Order::Bounded, Order::Free] {
                fs::remove_file(&plan).ok();
                compile(&trace, &survey, order, &plan).expect("a plan of what was read");
            }
            let Ok(study) = Study::of(&trace, &Merging::default()) else { continue };
            let found = candidates(&study, 1e-6);
            let all: Vec<_> = found.iter().collect();
            let Ok(treated) = treatments(&trace, &Merging::default(), &all) else { continue };
            fs::remove_file(&plan).ok();
            compile_treated(&trace, &survey, Order::Bounded, &treated, &plan)
                .expect("a plan of what was read");
        }
    }
    println!("seed {seed}: {tried} traces, {read} read in part");
    assert!(tried > 20 && read > 0, "{tried} {read}");
}

/// A raw file with one block of such events.
fn raw(events: &[u8]) -> Vec<u8> {
    const BLOCK: usize = 65536;
    let mut bytes = vec![0; 2 * BLOCK];
    bytes[..8].copy_from_slice(b"HSRAWTRC");
    bytes[8..12].copy_from_slice(&2u32.to_le_bytes());
    bytes[12..16].copy_from_slice(&(BLOCK as u32).to_le_bytes());
    bytes[BLOCK..BLOCK + 4].copy_from_slice(b"SBLK");
    bytes[BLOCK + 4..BLOCK + 8].copy_from_slice(&1u32.to_le_bytes());
    let used = (32 + events.len()) as u32;
    bytes[BLOCK + 8..BLOCK + 12].copy_from_slice(&used.to_le_bytes());
    bytes[BLOCK + 32..BLOCK + 32 + events.len()].copy_from_slice(events);
    bytes
}

#[test]
fn any_raw_file_is_packed_or_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (from, to) = (folder.path().join("1.0.raw"), folder.path().join("t"));
    let seed =
        if std::env::var_os("HEAPSMITH_FUZZ_SECONDS").is_some() { fastrand::u64(..) } else { 8 };
    let mut random = fastrand::Rng::with_seed(seed);
    let (end, mut tried, mut events) = (Instant::now() + time(), 0u64, 0u64);
    while Instant::now() < end {
        // A thread, then calls: mostly records that are known, with numbers at random.
        let mut bytes = vec![15 | 3 << 4, 1, 1, 1, 0];
        for _ in 0..random.usize(1..200) {
            bytes.push(random.u8(..) & if random.bool() { 0x0F } else { 0xFF });
            for _ in 0..random.usize(..8) {
                bytes.push(random.u8(..) & if random.u8(..4) == 0 { 0xFF } else { 0x7F });
            }
        }
        let mut file = raw(&bytes);
        if random.u8(..3) == 0 {
            let at = random.usize(..file.len());
            file[at] = random.u8(..);
        }
        if random.u8(..20) == 0 {
            file.truncate(random.usize(..file.len()));
        }
        fs::write(&from, &file).expect("written");
        fs::remove_file(&to).ok();
        tried += 1;
        if pack(&from, &to, false).is_ok() {
            let (info, _, damage) = of_trace(&to).expect("a packed trace is sound");
            assert_eq!(damage, None);
            events += info.events;
        }
    }
    println!("seed {seed}: {tried} files, {events} events");
    assert!(tried > 20 && events > 0, "{tried} {events}");
}
