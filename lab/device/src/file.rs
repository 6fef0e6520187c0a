//! Device traces as files: eight bytes that tell them, then lines of CSV packed by zstd.
//!
//! Each line begins with its kind. `docs/device.md` has the table.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::str::FromStr;

use crate::error::{Error, Result, at};
use crate::trace::{Block, Device, Event, HIGHEST_ADDRESS, Kind, LARGEST, Segment, Trace};

pub const MAGIC: &[u8; 8] = b"HSDEVICE";
/// The version of the lines.
const VERSION: &str = "1";
/// An unpacked trace is at most so long.
const LONGEST: u64 = 2 << 30;
/// Fast, and half as long as level 1.
const LEVEL: i32 = 3;

/// Whether a file that begins with these bytes is a device trace.
pub fn is_device_trace(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

pub fn write(trace: &Trace, to: impl Write) -> io::Result<()> {
    let mut to = to;
    to.write_all(MAGIC)?;
    let mut packed = zstd::Encoder::new(to, LEVEL)?;
    {
        let mut lines = csv::WriterBuilder::new().flexible(true).from_writer(&mut packed);
        write_lines(trace, &mut lines)?;
        lines.flush()?;
    }
    packed.finish()?.flush()
}

fn write_lines(trace: &Trace, lines: &mut csv::Writer<impl Write>) -> csv::Result<()> {
    lines.write_record(["version", VERSION])?;
    lines.write_record(["source", &trace.source])?;
    for (name, value) in &trace.settings {
        lines.write_record(["setting", name, value])?;
    }
    for site in &trace.sites {
        lines.write_record(["site", site])?;
    }
    for (first, second) in &trace.pools {
        lines.write_record(["pool", &first.to_string(), &second.to_string()])?;
    }
    for device in &trace.devices {
        lines.write_record(["device", &device.number.to_string()])?;
        for note in &device.notes {
            lines.write_record(["note", note])?;
        }
        for it in &device.segments {
            let numbers = [it.address, it.bytes, it.stream, it.pool.into()];
            let flags = [it.is_small.into(), it.is_expandable.into()];
            write_numbers(lines, "segment", &[&numbers[..], &flags].concat())?;
        }
        for it in &device.blocks {
            let numbers = [it.address, it.bytes, it.requested, it.stream, it.pool.into()];
            write_numbers(lines, "block", &numbers)?;
        }
        for it in &device.events {
            let numbers = [it.address, it.bytes, it.stream, it.time_us as u64];
            let tables = [it.pool.into(), it.site.into()];
            write_numbers(lines, it.kind.name(), &[&numbers[..], &tables].concat())?;
        }
    }
    Ok(())
}

fn write_numbers(
    lines: &mut csv::Writer<impl Write>,
    kind: &str,
    numbers: &[u64],
) -> csv::Result<()> {
    lines.write_field(kind)?;
    for number in numbers {
        lines.write_field(number.to_string())?;
    }
    lines.write_record(None::<&[u8]>)
}

/// Reads a device trace.
///
/// Errors: it is another file, is cut off or damaged, or was written by a newer heapsmith.
pub fn read(path: &Path) -> Result<Trace> {
    let mut file = BufReader::new(File::open(path).map_err(at(path))?);
    let unusable = |what: String| Error::Unusable { path: path.to_path_buf(), what };
    let mut magic = [0; 8];
    if file.read_exact(&mut magic).is_err() || !is_device_trace(&magic) {
        return Err(unusable("it is not a device trace; heapsmith import makes one".to_string()));
    }
    let unpacked = zstd::Decoder::with_buffer(file).map_err(at(path))?.take(LONGEST);
    parse(unpacked).map_err(|what| unusable(format!("the device trace is damaged: {what}")))
}

fn parse(input: impl Read) -> std::result::Result<Trace, String> {
    let mut lines = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(input);
    let mut trace = Trace::default();
    let mut line = csv::StringRecord::new();
    let mut number = 0u64;
    while lines.read_record(&mut line).map_err(|error| error.to_string())? {
        number += 1;
        if number == 1 && (line.get(0), line.get(1)) != (Some("version"), Some(VERSION)) {
            return Err("it has another version of the format".to_string());
        }
        add(&line, &mut trace).ok_or_else(|| format!("line {number} has another form"))?;
    }
    if trace.devices.is_empty() {
        return Err("it has no device".to_string());
    }
    Ok(trace)
}

fn number<T: FromStr>(line: &csv::StringRecord, at: usize) -> Option<T> {
    line.get(at)?.parse().ok()
}

fn bytes(line: &csv::StringRecord, at: usize) -> Option<u64> {
    number(line, at).filter(|bytes: &u64| *bytes < LARGEST)
}

fn address(line: &csv::StringRecord, at: usize) -> Option<u64> {
    number(line, at).filter(|address: &u64| *address < HIGHEST_ADDRESS)
}

fn add(line: &csv::StringRecord, trace: &mut Trace) -> Option<()> {
    let text = |at: usize| line.get(at).map(str::to_string);
    match line.get(0)? {
        "version" => {}
        "source" => trace.source = text(1)?,
        "setting" => trace.settings.push((text(1)?, text(2)?)),
        "site" => trace.sites.push(text(1)?),
        "pool" => trace.pools.push((number(line, 1)?, number(line, 2)?)),
        "device" => {
            trace.devices.push(Device { number: number(line, 1)?, ..Device::default() });
        }
        kind => {
            let device = trace.devices.last_mut()?;
            match kind {
                "note" => device.notes.push(text(1)?),
                "segment" => device.segments.push(Segment {
                    address: address(line, 1)?,
                    bytes: bytes(line, 2)?,
                    stream: number(line, 3)?,
                    pool: number(line, 4)?,
                    is_small: number::<u8>(line, 5)? == 1,
                    is_expandable: number::<u8>(line, 6)? == 1,
                }),
                "block" => device.blocks.push(Block {
                    address: address(line, 1)?,
                    bytes: bytes(line, 2)?,
                    requested: bytes(line, 3)?,
                    stream: number(line, 4)?,
                    pool: number(line, 5)?,
                }),
                _ => device.events.push(Event {
                    kind: Kind::named(kind)?,
                    address: address(line, 1)?,
                    bytes: bytes(line, 2)?,
                    stream: number(line, 3)?,
                    time_us: number::<u64>(line, 4)? as i64,
                    pool: number(line, 5)?,
                    site: number(line, 6)?,
                }),
            }
        }
    }
    Some(())
}
