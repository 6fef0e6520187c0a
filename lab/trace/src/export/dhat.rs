//! The format of Valgrind's DHAT, version 2, for its viewer dh_view.html.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::Profile;
use super::profile::Place;
use crate::info::Site;

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let micros = |ns: u64| ns / 1000;
    let mut frames = vec!["[root]".to_string()];
    let mut numbers: FxHashMap<&Place, usize> = FxHashMap::default();
    // The viewer refuses two points of the same frames, such as those of two sites in one line.
    let mut points: FxHashMap<Vec<usize>, Site> = FxHashMap::default();
    for stack in &profile.stacks {
        let mut of_stack: Vec<usize> = Vec::new();
        for place in profile.places(stack) {
            of_stack.push(*numbers.entry(place).or_insert_with(|| {
                frames.push(format!("{:#x}: {}", frames.len(), place.describe()));
                frames.len() - 1
            }));
        }
        let point = points.entry(of_stack).or_default();
        *point = point.with(&stack.numbers);
    }
    let mut points: Vec<_> = points.into_iter().collect();
    points.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let point = |(of_stack, it): (Vec<usize>, Site)| {
        json!({
            "tb": it.bytes, "tbk": it.calls, "tl": micros(it.lifetime_ns),
            "mb": it.most_bytes, "mbk": it.most_blocks,
            "gb": it.peak_bytes, "gbk": it.peak_blocks,
            "eb": it.left_bytes, "ebk": it.left_blocks,
            "fs": of_stack,
        })
    };
    let points: Vec<Value> = points.into_iter().map(point).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::example::example;

    #[test]
    fn sites_in_one_line_are_one_point() {
        let (info, mut tables) = example();
        // Without a name of its own, a caller is shown by its offset.
        tables.callers[0].offset = 0x20;
        tables.stacks.remove(1);
        tables.stacks[0].frames.clear();
        let mut out = Vec::new();
        write(&Profile::of(&info, &tables), &mut out).expect("memory takes all");
        let whole: Value = serde_json::from_slice(&out).expect("JSON");
        let point = json!({
            "tb": 1301, "tbk": 13, "tl": 0, "mb": 0, "mbk": 0,
            "gb": 14, "gbk": 0, "eb": 0, "ebk": 0, "fs": [1],
        });
        assert_eq!(whole["pps"], json!([point]));
    }
}
