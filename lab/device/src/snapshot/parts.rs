//! The dicts of a snapshot: segments with their blocks, events, frames.

use std::collections::HashMap;

use crate::error::quoted;
use crate::pickle::{Value, Values};
use crate::trace::{Block, Event, HIGHEST_ADDRESS, Kind, LARGEST, Segment};

/// More frames say no more. A stack is one line of them.
const MOST_FRAMES: usize = 64;
/// All stacks together. Later ones count as unknown.
const MOST_SITE_BYTES: usize = 256 << 20;
/// The longest name of a function or file that is kept whole.
const LONGEST_NAME: usize = 200;

/// A segment at the end, with its blocks in use.
pub struct End {
    pub device: u32,
    pub segment: Segment,
    pub blocks: Vec<Block>,
}

/// Private pools, by their two numbers. The first is the common pool.
pub struct Pools {
    pub known: Vec<(i64, i64)>,
}

impl Default for Pools {
    fn default() -> Self {
        Self { known: vec![(0, 0)] }
    }
}

impl Pools {
    fn number(&mut self, pool: (i64, i64)) -> u32 {
        let at = self.known.iter().position(|known| *known == pool);
        at.unwrap_or_else(|| {
            self.known.push(pool);
            self.known.len() - 1
        }) as u32
    }
}

/// Call stacks as lines. One list of frames often serves many events.
pub struct Sites {
    pub lines: Vec<String>,
    of_list: HashMap<u32, u32>,
    of_line: HashMap<String, u32>,
    bytes: usize,
}

impl Default for Sites {
    fn default() -> Self {
        let lines = vec![String::new()];
        Self { lines, of_list: HashMap::new(), of_line: HashMap::new(), bytes: 0 }
    }
}

impl Sites {
    fn number(&mut self, values: &Values, frames: Option<Value>) -> u32 {
        let Some(Value::List(list)) = frames else { return 0 };
        if let Some(&known) = self.of_list.get(&list) {
            return known;
        }
        let frames = values.as_list(Value::List(list)).unwrap_or_default();
        let line = frames
            .iter()
            .take(MOST_FRAMES)
            .map(|frame| {
                let text = |key| values.get(*frame, key).and_then(|name| values.as_text(name));
                let line = values.get(*frame, "line").and_then(number).unwrap_or_default();
                let (name, file) = (text("name").unwrap_or("?"), text("filename").unwrap_or("?"));
                let file: String = file.chars().take(LONGEST_NAME).collect();
                format!("{name:.LONGEST_NAME$} {file}:{line}").replace(['\n', '\r', ';'], " ")
            })
            .collect::<Vec<_>>()
            .join(";");
        let known = if line.is_empty() { Some(0) } else { self.of_line.get(&line).copied() };
        let number = known.unwrap_or_else(|| {
            self.bytes += line.len();
            if self.bytes > MOST_SITE_BYTES {
                return 0;
            }
            let number = self.lines.len() as u32;
            self.lines.push(line.clone());
            self.of_line.insert(line, number);
            number
        });
        self.of_list.insert(list, number);
        number
    }
}

fn number(value: Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(value),
        Value::Bool(value) => Some(value.into()),
        _ => None,
    }
}

fn need(values: &Values, dict: Value, key: &str) -> Result<u64, String> {
    let value = values.get(dict, key).ok_or_else(|| format!("\"{key}\" is missing"))?;
    number(value).map(|value| value as u64).ok_or_else(|| format!("\"{key}\" is no number"))
}

fn need_below(values: &Values, dict: Value, key: &str, most: u64) -> Result<u64, String> {
    match need(values, dict, key)? {
        number if number < most => Ok(number),
        _ => Err(format!("\"{key}\" is too large")),
    }
}

fn need_bytes(values: &Values, dict: Value, key: &str) -> Result<u64, String> {
    need_below(values, dict, key, LARGEST)
}

fn need_address(values: &Values, dict: Value, key: &str) -> Result<u64, String> {
    need_below(values, dict, key, HIGHEST_ADDRESS)
}

fn pool_of(values: &Values, dict: Value) -> Option<(i64, i64)> {
    let pair = values.as_list(values.get(dict, "segment_pool_id")?)?;
    Some((number(*pair.first()?)?, number(*pair.get(1)?)?))
}

pub fn read_segment(values: &Values, dict: Value, pools: &mut Pools) -> Result<End, String> {
    let address = need_address(values, dict, "address")?;
    let bytes = need_bytes(values, dict, "total_size")?;
    let stream = need(values, dict, "stream")?;
    let text = |dict, key| values.get(dict, key).and_then(|text| values.as_text(text));
    let pool = pools.number(pool_of(values, dict).unwrap_or((0, 0)));
    let segment = Segment {
        address,
        bytes,
        stream,
        pool,
        is_small: text(dict, "segment_type") == Some("small"),
        is_expandable: values.get(dict, "is_expandable") == Some(Value::Bool(true)),
    };
    let list = values.get(dict, "blocks").and_then(|blocks| values.as_list(blocks));
    let mut at = address;
    let mut blocks = Vec::new();
    for block in list.ok_or("\"blocks\" is no list")? {
        let bytes = need_bytes(values, *block, "size")?;
        // Older versions name no address: blocks follow each other.
        let begin = need_address(values, *block, "address").unwrap_or(at);
        if begin != at || bytes > address + segment.bytes - at {
            return Err("its blocks do not follow each other".to_string());
        }
        at += bytes;
        if text(*block, "state") != Some("inactive") {
            let requested = need_bytes(values, *block, "requested_size").unwrap_or(bytes);
            blocks.push(Block { address: begin, bytes, requested, stream, pool });
        }
    }
    let device = need(values, dict, "device").unwrap_or(0) as u32;
    Ok(End { device, segment, blocks })
}

pub fn read_event(values: &Values, dict: Value, sites: &mut Sites) -> Result<Event, String> {
    let action = values.get(dict, "action").and_then(|action| values.as_text(action));
    let action = action.ok_or("\"action\" is missing")?;
    let kind =
        Kind::named(action).ok_or_else(|| format!("{} is no known action", quoted(action)))?;
    let key = if kind == Kind::Oom { "device_free" } else { "addr" };
    let address = match need_address(values, dict, key) {
        Err(_) if matches!(kind, Kind::Oom | Kind::Snapshot) => 0,
        address => address?,
    };
    Ok(Event {
        kind,
        address,
        bytes: need_bytes(values, dict, "size")?,
        stream: need(values, dict, "stream")?,
        time_us: need(values, dict, "time_us").unwrap_or(0) as i64,
        pool: 0,
        site: sites.number(values, values.get(dict, "frames")),
    })
}
