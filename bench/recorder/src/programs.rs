//! Programs without and with the recorder.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapsmith_measure::error::environment;
use heapsmith_measure::launch::{Ended, Exit, Launcher, Setting};
use heapsmith_measure::program::Program;
use heapsmith_measure::stats::{self, Estimate};
use heapsmith_trace::pack::{Packed, pack};
use tempfile::TempDir;

use crate::target::Target;

/// A program; paths start from the build's folder.
pub struct Subject {
    pub name: &'static str,
    command: &'static [&'static str],
    /// The most that its processor time may grow.
    most: f64,
}

const fn driver(name: &'static str, command: &'static [&'static str]) -> Subject {
    Subject { name, command, most: 1.25 }
}

pub const PROGRAMS: [Subject; 9] = [
    driver("g++", &["bench/programs/g++.sh"]),
    driver("python3", &["bench/programs/python3.sh"]),
    driver("sqlite3", &["bench/programs/sqlite3.sh"]),
    driver("lua5.4", &["bench/programs/lua5.4.sh"]),
    driver("perl", &["bench/programs/perl.sh"]),
    driver("git", &["bench/programs/git.sh"]),
    driver("xz", &["bench/programs/xz.sh"]),
    driver("redis", &["bench/programs/redis.sh"]),
    Subject { name: "tiny-objects", command: &["lab/tiny-objects"], most: 2.0 },
];

const MOST_RAW: f64 = 5.0;
const MOST_PACKED: f64 = 1.5;
const MOST_NS: f64 = 60.0;
/// Bytes an event mean nothing where each file has more room than events.
const FEWEST_EVENTS: u64 = 100_000;

pub struct Recorded {
    name: &'static str,
    ratio: Option<Estimate>,
    ns_a_call: f64,
    pub events: u64,
    raw: f64,
    packed: f64,
    same_output: bool,
    pub trace: PathBuf,
    _folder: TempDir,
}

pub const HEAD: &str =
    "program        CPU                   ns a call    events   raw  packed  output";

/// The settings that record into `folder`.
pub fn recording(launcher: &Launcher, folder: &Path) -> Vec<Setting> {
    vec![
        ("LD_PRELOAD".into(), Some(launcher.lab.recorder().into())),
        ("HEAPSMITH_RECORD_DIR".into(), Some(folder.into())),
    ]
}

/// The raw files of a folder.
pub fn raw_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "raw") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn require_success(name: &str, ended: &Ended) -> Result<()> {
    if ended.exit == Exit::Code(0) {
        return Ok(());
    }
    Err(environment(format!("{name}: {}: {}", ended.exit.describe(), ended.stderr_tail.trim())))
}

pub fn measure(launcher: &Launcher, subject: &Subject, rounds: usize) -> Result<Recorded> {
    let mut words: Vec<OsString> = subject.command.iter().map(OsString::from).collect();
    words[0] = launcher.lab.build().join(subject.command[0]).into();
    let program = Program::find(&words)?;
    let (mut plain, mut recorded) = (Vec::new(), Vec::new());
    let mut last = None;
    let mut same_output = true;
    for round in 0..rounds {
        let mut outputs = Vec::new();
        for with in [round % 2 == 0, round % 2 != 0] {
            let folder = TempDir::with_prefix("heapsmith-recorder-")?;
            let settings = if with { recording(launcher, folder.path()) } else { Vec::new() };
            let ended = launcher.run(&program, &settings)?;
            require_success(subject.name, &ended)?;
            if with {
                recorded.push(Some(ended.costs.cpu_s));
                last = Some(folder);
            } else {
                plain.push(Some(ended.costs.cpu_s));
            }
            outputs.push(ended.stdout);
        }
        same_output &= outputs[0] == outputs[1];
    }
    let folder = last.context("no round")?;
    let (mut events, mut largest, mut raw_bytes, mut bytes) = (0, (0, PathBuf::new()), 0, 0);
    for raw in raw_files(folder.path())? {
        let trace = raw.with_extension("trace");
        let Packed { tables, bytes: packed, .. } = pack(&raw, &trace, false)?;
        events += tables.meta.events;
        raw_bytes += tables.meta.raw_bytes;
        bytes += packed;
        largest = largest.max((tables.meta.events, trace));
    }
    let added: Vec<f64> = recorded
        .iter()
        .zip(&plain)
        .filter_map(|(with, without)| Some((*with)? - (*without)?))
        .collect();
    Ok(Recorded {
        name: subject.name,
        ratio: stats::compare(&recorded, &plain),
        ns_a_call: stats::median(&added).unwrap_or(0.0) * 1e9 / events.max(1) as f64,
        events,
        raw: raw_bytes as f64 / events.max(1) as f64,
        packed: bytes as f64 / events.max(1) as f64,
        same_output,
        trace: largest.1,
        _folder: folder,
    })
}

impl Recorded {
    pub fn line(&self) -> String {
        let ratio = self.ratio.map_or("–".to_string(), |it| {
            format!("x{:.2} [{:.2}, {:.2}]", it.median, it.low, it.high)
        });
        let output = if self.same_output { "same" } else { "DIFFERS" };
        format!(
            "{:<14} {ratio:<21} {:>9.1} {:>9} {:>5.1} {:>7.2}  {output}",
            self.name, self.ns_a_call, self.events, self.raw, self.packed
        )
    }

    pub fn targets(&self, subject: &Subject) -> Vec<Target> {
        let name = self.name;
        let ratio = self.ratio.map_or(f64::INFINITY, |it| it.median);
        let mut all = vec![Target::at_most(&format!("{name}: CPU"), ratio, subject.most, "x")];
        if self.events >= FEWEST_EVENTS {
            all.push(Target::at_most(&format!("{name}: a call"), self.ns_a_call, MOST_NS, " ns"));
            all.push(Target::at_most(
                &format!("{name}: raw"),
                self.raw,
                MOST_RAW,
                " bytes an event",
            ));
            all.push(Target::at_most(
                &format!("{name}: packed"),
                self.packed,
                MOST_PACKED,
                " bytes an event",
            ));
        }
        let line = format!("{name}: the output is that of the program alone");
        all.push(Target { is_met: self.same_output, line });
        all
    }
}
