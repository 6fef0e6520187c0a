//! speedscope's own format: one list of frames, and a profile for each number.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::Profile;
use super::profile::Place;
use crate::info::Site;

/// A number of a site: its title, its unit in speedscope, and how to read it.
type Number = (&'static str, &'static str, fn(&Site) -> u64);

const NUMBERS: [Number; 4] = [
    ("bytes allocated", "bytes", |it| it.bytes),
    ("calls", "none", |it| it.calls),
    ("bytes at the peak", "bytes", |it| it.peak_bytes),
    ("bytes never freed", "bytes", |it| it.left_bytes),
];

pub fn write(profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
    let mut frames: Vec<Value> = Vec::new();
    let mut numbers: FxHashMap<&Place, usize> = FxHashMap::default();
    let mut samples: Vec<Vec<usize>> = Vec::new();
    for stack in &profile.stacks {
        let mut sample: Vec<usize> = Vec::new();
        for place in profile.places(stack) {
            sample.push(*numbers.entry(place).or_insert_with(|| {
                frames.push(json!({ "name": place.name, "file": place.file, "line": place.line }));
                frames.len() - 1
            }));
        }
        sample.reverse();
        samples.push(sample);
    }
    let profiles = NUMBERS.map(|(title, unit, number)| {
        let used: Vec<usize> =
            (0..samples.len()).filter(|&n| number(&profile.stacks[n].numbers) != 0).collect();
        let weights: Vec<u64> = used.iter().map(|&n| number(&profile.stacks[n].numbers)).collect();
        let samples: Vec<&Vec<usize>> = used.iter().map(|&n| &samples[n]).collect();
        json!({
            "type": "sampled", "name": title, "unit": unit, "startValue": 0,
            "endValue": weights.iter().fold(0, |sum: u64, &it| sum.saturating_add(it)),
            "samples": samples, "weights": weights,
        })
    });
    let whole = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "heapsmith", "name": profile.command(), "activeProfileIndex": 0,
        "shared": { "frames": frames }, "profiles": profiles,
    });
    serde_json::to_writer(out, &whole)?;
    Ok(())
}
