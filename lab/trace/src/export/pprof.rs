//! The protocol buffer of pprof, compressed by gzip. The names of messages and fields are those of
//! its profile.proto; fields that nothing here needs are left out.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;
use rustc_hash::FxHashMap;

use super::Profile;
use super::profile::Place;
use super::ranges::Ranges;
use crate::packed::{Module, Tables};
use crate::printable;

#[derive(Clone, PartialEq, Message)]
struct Whole {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
    #[prost(int64, repeated, tag = "13")]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    r#type: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Mapping {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    memory_start: u64,
    #[prost(uint64, tag = "3")]
    memory_limit: u64,
    #[prost(uint64, tag = "4")]
    file_offset: u64,
    #[prost(int64, tag = "5")]
    filename: i64,
    #[prost(int64, tag = "6")]
    build_id: i64,
    #[prost(bool, tag = "7")]
    has_functions: bool,
    #[prost(bool, tag = "8")]
    has_filenames: bool,
    #[prost(bool, tag = "9")]
    has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    has_inline_frames: bool,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    mapping_id: u64,
    #[prost(uint64, tag = "3")]
    address: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

/// Without a system name: pprof would take it for the name as the linker has it, and cut all that is
/// in brackets from one that is not.
#[derive(Clone, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
}

#[derive(Default)]
struct Strings {
    all: Vec<String>,
    numbers: FxHashMap<String, i64>,
}

impl Strings {
    fn number(&mut self, text: &str) -> i64 {
        if let Some(&n) = self.numbers.get(text) {
            return n;
        }
        let n = self.all.len() as i64;
        self.all.push(text.to_string());
        self.numbers.insert(text.to_string(), n);
        n
    }
}

#[derive(Default)]
struct Functions {
    all: Vec<Function>,
    numbers: FxHashMap<(i64, i64), u64>,
}

impl Functions {
    fn number(&mut self, place: &Place, strings: &mut Strings) -> u64 {
        let name = strings.number(&place.name);
        let filename = strings.number(place.path.as_deref().unwrap_or_default());
        let all = &mut self.all;
        *self.numbers.entry((name, filename)).or_insert_with(|| {
            let id = all.len() as u64 + 1;
            all.push(Function { id, name, filename });
            id
        })
    }
}

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut packed = GzEncoder::new(out, Compression::default());
    packed.write_all(&whole(profile).encode_to_vec())?;
    packed.finish()?;
    Ok(())
}

fn whole(profile: &Profile) -> Whole {
    let mut strings = Strings::default();
    strings.number(""); // the first string must be empty
    let mut functions = Functions::default();
    let Tables { meta, modules, callers, .. } = profile.tables;
    let ranges = Ranges::of(profile.tables);
    let mapping = (1..).zip(&ranges.0).map(|(id, range)| {
        let module = range.module.map(|n| &modules[n]);
        let file = module.map_or_else(|| printable::name(&meta.executable), Module::shown);
        Mapping {
            id,
            memory_start: range.start,
            memory_limit: range.limit(),
            file_offset: range.offset,
            filename: strings.number(&file),
            build_id: strings.number(module.map_or("", |it| &it.build_id)),
            has_functions: true,
            has_filenames: true,
            has_line_numbers: true,
            has_inline_frames: true,
        }
    });
    let mapping = mapping.collect();
    let callers = (1..).zip(callers).zip(&profile.places);
    let location =
        callers.filter(|(_, places)| !places.is_empty()).map(|((id, caller), places)| {
            let line = places.iter().map(|place| Line {
                function_id: functions.number(place, &mut strings),
                line: place.line.unwrap_or_default().into(),
            });
            let (mapping_id, address) = ranges.find(caller);
            Location { id, mapping_id, address, line: line.collect() }
        });
    let location = location.collect();
    let most = |n: u64| n.min(i64::MAX as u64) as i64;
    let sample = profile.stacks.iter().map(|stack| {
        let it = &stack.numbers;
        let value =
            [it.calls, it.bytes, it.peak_blocks, it.peak_bytes, it.left_blocks, it.left_bytes];
        Sample {
            location_id: stack.callers.iter().map(|&caller| u64::from(caller) + 1).collect(),
            value: value.map(most).to_vec(),
        }
    });
    let sample = sample.collect();
    let sample_type = [
        ("alloc_objects", "count"),
        ("alloc_space", "bytes"),
        ("peak_objects", "count"),
        ("peak_space", "bytes"),
        ("left_objects", "count"),
        ("left_space", "bytes"),
    ];
    let mut value_type =
        |(name, unit)| ValueType { r#type: strings.number(name), unit: strings.number(unit) };
    let sample_type = sample_type.map(&mut value_type).to_vec();
    // As in heap profiles of Go: pprof compares only profiles of one type. Each byte is counted.
    let period_type = Some(value_type(("space", "bytes")));
    Whole {
        sample_type,
        sample,
        mapping,
        location,
        function: functions.all,
        period_type,
        period: 1,
        duration_nanos: most(profile.info.duration_ns),
        comment: vec![strings.number(&profile.command())],
        default_sample_type: strings.number("alloc_space"),
        string_table: strings.all,
    }
}
