//! Packed traces: what was written comes back, and damage is told, never believed.

use std::fs;
use std::path::Path;

use heapsmith_trace::error::Error;
use heapsmith_trace::info::of_trace;
use heapsmith_trace::packed::{Meta, Reader, Tables, Writer};
use heapsmith_trace::{Api, Event, Kind};

/// Events of all kinds at random, as a program could have made them.
fn random_events(seed: u64, count: usize) -> Vec<Event> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut live: Vec<u64> = Vec::new();
    let (mut blocks, mut tick) = (0, random.u64(..1 << 40));
    let mut events = Vec::with_capacity(count);
    while events.len() < count {
        let bits = random.u32(..30);
        tick += if random.u8(..4) == 0 { random.u64(..1 << bits) } else { 0 };
        let size = random.u64(..) >> random.u32(20..64);
        let mut make = || {
            blocks += 1;
            blocks - 1
        };
        let mut take = |random: &mut fastrand::Rng| {
            (!live.is_empty()).then(|| live.swap_remove(random.usize(..live.len())))
        };
        let (api, kind) = match random.u8(..12) {
            0..=4 => (Api::Malloc, Kind::Allocate { block: make(), size, align: 1 }),
            5 => {
                let align = 1 << random.u32(1..20);
                (Api::AlignedAlloc, Kind::Allocate { block: make(), size, align })
            }
            6..=8 => match take(&mut random) {
                Some(block) => (Api::DeleteSized, Kind::Free { block }),
                None => continue,
            },
            9 => match take(&mut random) {
                Some(old) => {
                    let (took, in_place) = (random.u64(..5000), random.bool());
                    (Api::Realloc, Kind::Resize { old, block: make(), size, took, in_place })
                }
                None => continue,
            },
            10 => (Api::Calloc, Kind::Failed { size }),
            _ => match live.last() {
                Some(&block) => (Api::UsableSize, Kind::UsableSize { block }),
                None => (Api::Free, Kind::FreeNull),
            },
        };
        if let Kind::Allocate { block, .. } | Kind::Resize { block, .. } = kind {
            live.push(block);
        }
        let bits = random.u32(..18);
        let (thread, caller) = (random.u32(1..9), random.u32(..1 << bits));
        events.push(Event { tick, thread, api, caller, kind });
    }
    events
}

fn write(path: &Path, events: &[Event]) {
    let mut writer = Writer::create(path).expect("a file");
    for event in events {
        writer.push(event).expect("written");
    }
    let meta = Meta { command: vec!["a b".into()], ticks_a_ns: 0.5, ..Meta::default() };
    writer.finish(&Tables { meta, ..Tables::default() }).expect("written");
}

/// All events that can be read, and the line about damage.
fn read(path: &Path) -> (Vec<Event>, Option<String>) {
    let mut reader = Reader::open(path).expect("a trace");
    let mut events = Vec::new();
    reader.for_each(|event| events.push(*event)).expect("read");
    assert!(reader.tables.is_some() != reader.damage.is_some());
    (events, reader.damage.map(|error| error.to_string()))
}

#[test]
fn events_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    // None, some, exactly a section, and more.
    for (seed, count) in [(1, 0), (2, 1), (3, 1000), (4, 65536), (5, 200_000)] {
        let events = random_events(seed, count);
        let path = folder.path().join(format!("{count}.trace"));
        write(&path, &events);
        let (back, damage) = read(&path);
        assert_eq!(damage, None);
        assert!(back == events, "{count} events");
    }
}

#[test]
fn a_truncated_trace_is_read_up_to_its_last_section() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, cut) = (folder.path().join("whole"), folder.path().join("cut"));
    let events = random_events(6, 150_000);
    write(&whole, &events);
    let bytes = fs::read(&whole).expect("read");
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..60 {
        let length = random.usize(16..bytes.len());
        fs::write(&cut, &bytes[..length]).expect("written");
        let (back, damage) = read(&cut);
        let damage = damage.expect("it is told");
        assert!(damage.contains("is damaged at byte") && damage.contains("cut"), "{damage}");
        assert!(back.len() % 65536 == 0 || back.len() == events.len(), "{}", back.len());
        assert!(back == events[..back.len()]);
    }
}

#[test]
fn changed_bytes_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, changed) = (folder.path().join("whole"), folder.path().join("changed"));
    let events = random_events(8, 70_000);
    write(&whole, &events);
    let bytes = fs::read(&whole).expect("read");
    let mut random = fastrand::Rng::with_seed(9);
    for _ in 0..200 {
        let mut other = bytes.clone();
        let at = random.usize(16..bytes.len());
        other[at] ^= 1 << random.u8(..8);
        fs::write(&changed, &other).expect("written");
        let (back, damage) = read(&changed);
        assert!(damage.is_some(), "bit at {at}");
        assert!(back == events[..back.len()]);
    }
}

/// A section's checksum does not help against a foreign writer: its bytes are checked as they are
/// read.
#[test]
fn sections_with_nonsense_and_a_true_checksum_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("nonsense");
    let mut random = fastrand::Rng::with_seed(10);
    for round in 0..500 {
        let length = random.usize(..2000);
        let mut content: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
        if round % 2 == 0 {
            // Plausible lengths let the reader come further.
            content.iter_mut().take(11).for_each(|byte| *byte %= 32);
        }
        let packed = zstd::bulk::compress(&content, 1).expect("packed");
        let mut file = b"HSTRACE\n\x01\0\0\0\0\0\0\0".to_vec();
        let sum = crc32fast::hash(&packed);
        for word in [1, packed.len() as u32, sum, content.len() as u32] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        file.extend_from_slice(&packed);
        fs::write(&path, &file).expect("written");
        assert!(read(&path).1.is_some());
        of_trace(&path).expect("summed up as far as it goes");
    }
}

#[test]
fn foreign_and_newer_files_are_refused_with_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other");
    for bytes in [&b""[..], b"HSTRACE", b"\x7fELF and so on, and so on", b"HSTRACX\n\x01\0\0\0aaaa"]
    {
        fs::write(&path, bytes).expect("written");
        let error = Reader::open(&path).err().expect("refused");
        assert!(matches!(error, Error::Foreign { .. }), "{error}");
    }
    fs::write(&path, b"HSTRACE\n\x03\0\0\0\0\0\0\0").expect("written");
    let error = Reader::open(&path).err().expect("refused").to_string();
    assert!(error.contains("version 3") && !error.contains('\n'), "{error}");
}
