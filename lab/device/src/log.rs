//! Logs of calls as CSV: RMM's logging adaptor, and any tool that writes the columns named here.
//!
//! The first line names the columns, in any order. Capitals count as small letters:
//!
//! | column | has |
//! |---|---|
//! | `action` | `allocate` or `alloc`; `free`; `allocate failure` or `oom` |
//! | `address` or `pointer` | decimal, or hexadecimal with `0x` |
//! | `bytes` or `size` | decimal |
//! | `stream`, `device` | optional; numbers, 0 if absent |
//! | `time_us`, `time` | optional; microseconds, or RMM's `HH:MM:SS:microseconds` |

use std::collections::BTreeMap;
use std::io::Read;

use crate::error::quoted;
use crate::trace::{Block, Device, Event, HIGHEST_ADDRESS, Kind, LARGEST, Trace};

/// No machine has more devices.
const MOST_DEVICES: u32 = 1024;

/// Where each column stands.
struct Columns {
    action: usize,
    address: usize,
    bytes: usize,
    stream: Option<usize>,
    device: Option<usize>,
    time: Option<usize>,
}

impl Columns {
    fn of(head: &csv::StringRecord) -> Option<Self> {
        let find = |names: [&str; 2]| {
            let is = |it: &str| names.iter().any(|name| it.trim().eq_ignore_ascii_case(name));
            head.iter().position(is)
        };
        Some(Self {
            action: find(["action", "action"])?,
            address: find(["address", "pointer"])?,
            bytes: find(["bytes", "size"])?,
            stream: find(["stream", "stream"]),
            device: find(["device", "device"]),
            time: find(["time_us", "time"]),
        })
    }
}

/// Whether a text begins with the columns of a log.
pub fn is_log(first_line: &str) -> bool {
    let names = csv::StringRecord::from(first_line.trim_end().split(',').collect::<Vec<_>>());
    Columns::of(&names).is_some()
}

/// A device, and the blocks in use so far: the size and the stream of each.
#[derive(Default)]
struct Open {
    device: Device,
    live: BTreeMap<u64, (u64, u64)>,
    doubles: usize,
}

/// Reads a log whose first line `is_log` has accepted.
///
/// Errors: a line that is wrong, with its number.
pub fn read(input: impl Read) -> Result<Trace, String> {
    let mut lines = csv::Reader::from_reader(input);
    let columns = lines.headers().ok().and_then(Columns::of).ok_or("its columns are no log's")?;
    let mut devices: BTreeMap<u32, Open> = BTreeMap::new();
    let mut line = csv::StringRecord::new();
    while lines.read_record(&mut line).map_err(|error| error.to_string())? {
        let number = line.position().map_or(0, csv::Position::line);
        add(&line, &columns, &mut devices).map_err(|what| format!("line {number}: {what}"))?;
    }
    let devices: Vec<Device> =
        devices.into_values().map(Open::close).filter(|it| !it.events.is_empty()).collect();
    if devices.is_empty() {
        return Err("it has no calls".to_string());
    }
    let source = "a log of calls".to_string();
    let (sites, pools) = (vec![String::new()], vec![(0, 0)]);
    Ok(Trace { source, settings: Vec::new(), sites, pools, devices })
}

fn add(
    line: &csv::StringRecord,
    columns: &Columns,
    devices: &mut BTreeMap<u32, Open>,
) -> Result<(), String> {
    let field = |at: usize| line.get(at).unwrap_or_default().trim();
    let optional = |at: Option<usize>| at.map(field).map_or(Ok(0), parse);
    let device = optional(columns.device)? as u32;
    if device >= MOST_DEVICES {
        return Err(format!("there is no device {device}"));
    }
    let kind = match field(columns.action).to_ascii_lowercase().as_str() {
        "allocate" | "alloc" => Kind::Alloc,
        "free" | "deallocate" => Kind::Free,
        "allocate failure" | "oom" => Kind::Oom,
        other => return Err(format!("{} is no known action", quoted(other))),
    };
    let address = if kind == Kind::Oom { 0 } else { parse(field(columns.address))? };
    let bytes = parse(field(columns.bytes))?;
    if address >= HIGHEST_ADDRESS || bytes >= LARGEST {
        return Err("a number is too large".to_string());
    }
    let stream = optional(columns.stream)?;
    let time_us = columns.time.map(field).map_or(0, time);
    let event = Event { kind, address, bytes, stream, time_us, pool: 0, site: 0 };
    let open = devices.entry(device).or_default();
    open.device.number = device;
    open.add(event);
    Ok(())
}

impl Open {
    fn add(&mut self, event: Event) {
        let Event { address, bytes, stream, .. } = event;
        match event.kind {
            Kind::Alloc => {
                let before = self.live.insert(address, (bytes, stream));
                self.doubles += usize::from(before.is_some());
            }
            // Allocated before the log began.
            Kind::Free if self.live.remove(&address).is_none() => {
                let block = Block { address, bytes, requested: bytes, stream, pool: 0 };
                self.device.blocks.push(block);
            }
            _ => {}
        }
        self.device.events.push(event);
    }

    fn close(self) -> Device {
        let mut device = self.device;
        device.blocks.sort_by_key(|block| block.address);
        if !device.blocks.is_empty() {
            let count = device.blocks.len();
            device.notes.push(format!("{count} blocks were allocated before the log began"));
        }
        if self.doubles > 0 {
            device.notes.push(format!("{} blocks have no free in the log", self.doubles));
        }
        device
    }
}

fn parse(word: &str) -> Result<u64, String> {
    let parsed = match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None if word.is_empty() || word == "(nil)" => Ok(0),
        None => word.parse(),
    };
    parsed.map_err(|_| format!("{} is no number", quoted(word)))
}

/// 0 if it cannot be told: times only help to find a place again.
fn time(word: &str) -> i64 {
    let parts: Option<Vec<i64>> = word.split([':', '.']).map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some([us]) => *us,
        Some([hours, minutes, seconds, us]) => {
            let hours = hours.saturating_mul(3600).saturating_add(minutes.saturating_mul(60));
            hours.saturating_add(*seconds).saturating_mul(1_000_000).saturating_add(*us)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    //! Logs of both kinds.
    use super::*;

    #[test]
    fn a_log_of_rmm_is_read() {
        let log = "Thread,Time,Action,Pointer,Size,Stream\n\
                   7,00:00:01:000002,allocate,0x10000,1024,0\n\
                   7,00:00:01:000003,allocate failure,(nil),99,0\n\
                   7,00:00:01:000004,free,0x10000,1024,0x7\n\
                   7,00:00:01:000005,free,0x50000,512,0\n";
        assert!(is_log(log.lines().next().expect("a line")));
        let trace = read(log.as_bytes()).expect("good");
        let device = &trace.devices[0];
        let kinds: Vec<Kind> = device.events.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, [Kind::Alloc, Kind::Oom, Kind::Free, Kind::Free]);
        assert_eq!((device.events[0].address, device.events[0].time_us), (0x10000, 1_000_002));
        assert_eq!(device.events[2].stream, 7);
        assert_eq!((device.blocks[0].address, device.blocks[0].bytes), (0x50000, 512));
        assert_eq!(device.notes, ["1 blocks were allocated before the log began"]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let of = |line: &str| read(format!("action,address,bytes,device\n{line}\n").as_bytes());
        assert!(of("alloc,16,512,3").is_ok_and(|trace| trace.devices[0].number == 3));
        for (line, what) in [
            ("grow,16,512,0", "line 2: \"grow\" is no known action"),
            ("alloc,x,512,0", "line 2: \"x\" is no number"),
            ("alloc,16,512,4096", "line 2: there is no device 4096"),
            ("alloc,16,99999999999999999999,0", "is no number"),
        ] {
            assert!(of(line).expect_err("wrong").contains(what), "{line}");
        }
        assert!(read("action,address,bytes\n".as_bytes()).is_err());
    }
}
