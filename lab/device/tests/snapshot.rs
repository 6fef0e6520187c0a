//! Snapshots: what is read, what is worked out, what is refused.

mod common;

use std::io::Write;

use common::{A, B, C, MIB, Py, event, pickle, segment_of, small_history, snapshot};
use heapsmith_device::import::{Format, format_of};
use heapsmith_device::pickle::Refusal;
use heapsmith_device::replay::{Reproduced, Stage};
use heapsmith_device::setting::Setting;
use heapsmith_device::trace::{Kind, Trace};
use heapsmith_device::{file, import, snapshot as reader};

fn read(bytes: &[u8]) -> Result<Trace, String> {
    reader::read(bytes).map_err(|refusal| match refusal {
        Refusal::Wrong(what) => what,
        Refusal::Io(error) => panic!("a slice can always be read: {error}"),
    })
}

#[test]
fn the_state_at_the_first_event_is_worked_out() {
    let trace = read(&pickle(&small_history())).expect("good");
    let device = &trace.devices[0];
    assert_eq!(device.events.len(), 15);
    let segments: Vec<_> = device.segments.iter().map(|it| (it.address, it.bytes)).collect();
    assert_eq!(segments, [(A as u64, 20 * MIB as u64)]);
    let blocks: Vec<_> = device.blocks.iter().map(|it| (it.address, it.bytes)).collect();
    assert_eq!(blocks, [(A as u64, 4 * MIB as u64)]);
    assert_eq!(
        device.notes,
        ["the history begins with 1 blocks of 0.00 GiB in use: earlier calls are not known"]
    );
    assert_eq!(trace.sites[device.events[0].site as usize], "forward model.py:7");
    assert_eq!(trace.setting("max_split_size"), Some("-1"));
}

#[test]
fn the_model_reproduces_segments_addresses_and_the_peak() {
    let trace = read(&pickle(&small_history())).expect("good");
    let stage = Stage::new(&trace, &trace.devices[0]);
    let whole = Reproduced { segments: (3, 3), addresses: (6, 6), peak: 78 * MIB as u64 };
    assert_eq!(stage.reproduce(), Some(whole));
    let native = stage.row(&Setting::parse("native").expect("known"));
    assert_eq!(native.counts.peak_reserved, 78 * MIB as u64);
    assert_eq!(native.card, Some(8));
}

#[test]
fn a_history_that_another_allocator_made_is_not_reproduced() {
    let mut history = small_history();
    let Py::Dict(parts) = &mut history else { panic!("a dict") };
    // The block of 28 MiB would lie at the begin of its segment.
    let Py::List(devices) = &mut parts[1].1 else { panic!("a list") };
    let Py::List(events) = &mut devices[0] else { panic!("a list") };
    events[12] = event("alloc", B + 2 * MIB, 28 * MIB);
    let trace = read(&pickle(&history)).expect("good");
    let found = Stage::new(&trace, &trace.devices[0]).reproduce().expect("it is native");
    assert!(!found.is_whole());
    assert_eq!((found.segments, found.addresses), ((3, 3), (5, 6)));
}

#[test]
fn expandable_segments_are_rewound() {
    let events = vec![
        event("segment_map", A + 20 * MIB, 20 * MIB),
        event("alloc", A + 20 * MIB, 20 * MIB),
        event("segment_unmap", C, 20 * MIB),
        event("snapshot", 0, 0),
    ];
    let used = [(20 * MIB, Some(20 * MIB)), (20 * MIB, Some(20 * MIB))];
    let last = segment_of(A, "large", &used, true);
    let trace = read(&pickle(&snapshot(vec![last], events))).expect("good");
    let device = &trace.devices[0];
    let segments: Vec<_> = device.segments.iter().map(|it| (it.address, it.bytes)).collect();
    assert_eq!(segments, [(A as u64, 20 * MIB as u64), (C as u64, 20 * MIB as u64)]);
    assert_eq!(device.blocks.len(), 1);
    let stage = Stage::new(&trace, device);
    assert!(stage.reproduce().is_none());
    let row = stage.row(&Setting::parse("expandable_segments:True").expect("known"));
    assert_eq!(row.counts.peak_reserved, 40 * MIB as u64);
}

#[test]
fn a_trace_is_written_and_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app.trace");
    let trace = read(&pickle(&small_history())).expect("good");
    file::write(&trace, std::fs::File::create(&path).expect("a file")).expect("written");
    assert_eq!(file::read(&path).expect("whole"), trace);
    let whole = std::fs::read(&path).expect("written");
    std::fs::write(&path, &whole[..whole.len() - 9]).expect("written");
    let said = file::read(&path).expect_err("cut off").to_string();
    assert!(said.contains("the device trace is damaged") && !said.contains('\n'), "{said}");
}

#[test]
fn packed_and_plain_pickles_are_told_from_logs() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("app");
    let bytes = pickle(&small_history());
    std::fs::write(&path, &bytes).expect("written");
    assert_eq!(format_of(&path).expect("read"), Some(Format::Snapshot));
    let plain = import::read(&path, Format::Snapshot).expect("good");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&bytes).expect("packed");
    std::fs::write(&path, packed.finish().expect("packed")).expect("written");
    assert_eq!(format_of(&path).expect("read"), Some(Format::Snapshot));
    assert_eq!(import::read(&path, Format::Snapshot).expect("good"), plain);
    for (text, format) in
        [("Thread,Time,Action,Pointer,Size,Stream\n", Some(Format::Log)), ("v", None)]
    {
        std::fs::write(&path, text).expect("written");
        assert_eq!(format_of(&path).expect("read"), format, "{text}");
    }
}

#[test]
fn nothing_of_a_pickle_is_run() {
    // The function `len`, called with a text.
    let call = b"\x80\x02cbuiltins\nlen\nX\x02\x00\x00\x00ab\x85R.";
    let said = read(call).expect_err("refused");
    assert!(said.contains("opcode 0x63 makes an object or calls Python code"), "{said}");
}

#[test]
fn foreign_and_wrong_pickles_are_refused_in_a_line() {
    let deep = [&[0x80, 4][..], &[b']'; 100_000], &[b'a'; 99_999], b"."].concat();
    let circular = [&[0x80, 4][..], b"]\x94h\x00a."].concat();
    for (bytes, what) in [
        (&b"\x80\x04N."[..], "no snapshot of PyTorch"),
        (&deep, "no snapshot of PyTorch"),
        (&circular, "no snapshot of PyTorch"),
        (b"\x80\x04", "cut off"),
        (b"\x80\x00", "not a pickle"),
        (b"PK\x03\x04", "not a pickle"),
        (b"\x80\x04a.", "a value is missing"),
        (b"\x80\x04Na.", "a value is missing"),
        (b"\x80\x04K\x01Na.", "no list"),
        (b"\x80\x04e.", "a mark is missing"),
        (b"\x80\x04}(NNNu.", "no dict"),
        (b"\x80\x04\xfe", "unknown opcode 0xfe"),
        (b"\x80\x04h\x00.", "the memo lacks"),
        (b"\x80\x04Nq\x07.", "the memo has a gap"),
        (b"\x80\x04X\xff\xff\xff\xff", "a text of 4294967295 bytes"),
        (b"\x80\x04\x8a\x20", "a number of 32 bytes"),
    ] {
        let said = read(bytes).expect_err("wrong");
        assert!(said.contains(what) && !said.contains('\n'), "{said}");
    }
}

/// Changed bytes may mean another history. Then it is replayed, which must not fail either.
#[test]
fn damaged_snapshots_end_in_a_line_or_in_a_replay() {
    let good = pickle(&small_history());
    for length in 0..good.len() {
        assert!(read(&good[..length]).is_err(), "cut off after {length}");
    }
    let mut random = fastrand::Rng::with_seed(7);
    let settings = Setting::defaults();
    let (mut refused, mut replayed) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(2..bytes.len());
            bytes[at] =
                if random.bool() { random.u8(..) } else { bytes[at] ^ (1 << random.u8(..8)) };
        }
        match read(&bytes) {
            Err(said) => {
                refused += 1;
                assert!(said.len() < 400 && !said.contains('\n'), "{said}");
            }
            Ok(trace) => {
                replayed += 1;
                for device in &trace.devices {
                    let stage = Stage::new(&trace, device);
                    stage.reproduce();
                    stage.row(&settings[replayed % settings.len()]);
                }
            }
        }
    }
    assert!(refused > 1000 && replayed > 1000, "{refused} refused, {replayed} replayed");
}

#[test]
fn all_kinds_of_events_have_a_name() {
    for name in ["alloc", "free_completed", "segment_unmap", "oom"] {
        assert_eq!(Kind::named(name).map(Kind::name), Some(name));
    }
    assert_eq!(Kind::named("grow"), None);
}
