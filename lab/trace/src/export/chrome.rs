//! Counters over time, as JSON of Chrome's trace events.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Profile;

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let meta = &profile.tables.meta;
    let counter = |name: &str, us: f64, args: Value| json!({ "ph": "C", "name": name, "pid": meta.pid, "tid": 0, "ts": us, "args": args });
    let mut events = vec![json!({
        "ph": "M", "name": "process_name", "pid": meta.pid, "tid": 0,
        "args": { "name": profile.command() },
    })];
    let curve = &profile.info.curve;
    for (n, step) in curve.steps.iter().enumerate() {
        let us = n as f64 * curve.step_ns * 1e-3;
        events.push(counter("bytes in use", us, json!({ "bytes": step.bytes })));
        events.push(counter("blocks in use", us, json!({ "blocks": step.blocks })));
        events.push(counter("allocator calls", us, json!({ "calls": step.calls })));
    }
    for (ns, bytes) in profile.memory() {
        let resident = json!({ "bytes": bytes });
        events.push(counter("memory of the process", ns * 1e-3, resident));
    }
    serde_json::to_writer(out, &json!({ "displayTimeUnit": "ns", "traceEvents": events }))?;
    Ok(())
}
