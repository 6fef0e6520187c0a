//! The format of Valgrind's DHAT, version 2, for its viewer dh_view.html.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::Profile;
use super::profile::Place;

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let micros = |ns: u64| ns / 1000;
    let mut frames = vec!["[root]".to_string()];
    let mut numbers: FxHashMap<&Place, usize> = FxHashMap::default();
    let mut points: Vec<Value> = Vec::new();
    for stack in profile.stacks.iter().filter(|it| it.numbers.calls != 0) {
        let mut of_stack: Vec<usize> = Vec::new();
        for place in profile.places(stack) {
            of_stack.push(*numbers.entry(place).or_insert_with(|| {
                frames.push(format!("{:#x}: {}", frames.len(), place.describe()));
                frames.len() - 1
            }));
        }
        let it = &stack.numbers;
        points.push(json!({
            "tb": it.bytes, "tbk": it.calls, "tl": micros(it.lifetime_ns),
            "mb": it.most_bytes, "mbk": it.most_blocks,
            "gb": it.peak_bytes, "gbk": it.peak_blocks,
            "eb": it.left_bytes, "ebk": it.left_blocks,
            "fs": of_stack,
        }));
    }
    // tuth: blocks that live shorter, in microseconds, are called short-lived.
    let whole = json!({
        "dhatFileVersion": 2, "mode": "heap", "verb": "Allocated",
        "bklt": true, "bkacc": false, "tu": "µs", "Mtu": "s", "tuth": 10,
        "cmd": profile.command(), "pid": profile.tables.meta.pid,
        "te": micros(profile.info.duration_ns), "tg": micros(profile.info.peak_ns),
        "pps": points, "ftbl": frames,
    });
    serde_json::to_writer(out, &whole)?;
    Ok(())
}
