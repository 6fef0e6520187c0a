//! Snapshots of PyTorch: what `torch.cuda.memory._dump_snapshot` writes, from 2.1 on.
//!
//! A snapshot has the segments and blocks at its end, and a ring of the last events. So the state
//! at the first event is worked out backwards.

mod parts;
mod start;

use std::io::BufRead;

use crate::pickle::{self, Refusal, Value, Values};
use crate::trace::{Device, Trace};
use parts::{Pools, Sites, read_event, read_segment};
use start::rewind;

/// The values of a pickle take at most so much memory: some three million events.
const LIMIT_BYTES: usize = 2 << 30;
/// No machine has more devices.
const MOST_DEVICES: usize = 1024;

/// Reads the pickle of a snapshot.
///
/// Errors: it is no pickle, or no snapshot.
pub fn read(input: impl BufRead) -> Result<Trace, Refusal> {
    let (values, root) = pickle::read(input, LIMIT_BYTES)?;
    trace(&values, root).map_err(Refusal::Wrong)
}

fn trace(values: &Values, root: Value) -> Result<Trace, String> {
    let list = |key| values.get(root, key).and_then(|list| values.as_list(list));
    let (Some(segments), Some(traces)) = (list("segments"), list("device_traces")) else {
        return Err(
            "it is a pickle, but no snapshot of PyTorch: it has no lists \"segments\" and \
                    \"device_traces\""
                .to_string(),
        );
    };
    if traces.len() > MOST_DEVICES {
        return Err(format!("{} devices are no snapshot", traces.len()));
    }
    let mut pools = Pools::default();
    let mut sites = Sites::default();
    let mut ends = Vec::with_capacity(segments.len());
    for (at, segment) in segments.iter().enumerate() {
        let read = read_segment(values, *segment, &mut pools);
        ends.push(read.map_err(|what| format!("segment {at}: {what}"))?);
    }
    let mut devices = Vec::new();
    for (number, events) in traces.iter().enumerate() {
        let what = || format!("the events of device {number} are no list");
        let events = values.as_list(*events).ok_or_else(what)?;
        let mut read = Vec::with_capacity(events.len());
        for (at, event) in events.iter().enumerate() {
            let event = read_event(values, *event, &mut sites);
            read.push(event.map_err(|what| format!("event {at} of device {number}: {what}"))?);
        }
        let number = number as u32;
        let mine: Vec<_> = ends.iter().filter(|end| end.device == number).collect();
        if !read.is_empty() || !mine.is_empty() {
            let settings = settings(values, root);
            devices.push(rewind(
                Device { number, events: read, ..Device::default() },
                &mine,
                &settings,
            ));
        }
    }
    if devices.iter().all(|device| device.events.is_empty()) {
        return Err("it has no events: switch the history on first, with \
                    torch.cuda.memory._record_memory_history()"
            .to_string());
    }
    Ok(Trace {
        source: "a snapshot of PyTorch".to_string(),
        settings: settings(values, root),
        sites: sites.lines,
        pools: pools.known,
        devices,
    })
}

/// The settings of the allocator, each as a text. A dict becomes `key:value` with commas.
fn settings(values: &Values, root: Value) -> Vec<(String, String)> {
    let Some(settings) = values.get(root, "allocator_settings") else { return Vec::new() };
    let pairs = values.pairs(settings).iter().take(100);
    pairs
        .filter_map(|(key, value)| Some((values.as_text(*key)?.to_string(), show(values, *value)?)))
        .collect()
}

fn show(values: &Values, value: Value) -> Option<String> {
    Some(match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Text(_) => values.as_text(value)?.to_string(),
        Value::Dict(_) => {
            let pairs = values.pairs(value).iter().take(100).filter_map(|(key, value)| {
                let (key, Value::Int(value)) = (values.as_text(*key)?, *value) else { return None };
                Some(format!("{key}:{value}"))
            });
            pairs.collect::<Vec<_>>().join(",")
        }
        Value::None | Value::List(_) => return None,
    })
}
