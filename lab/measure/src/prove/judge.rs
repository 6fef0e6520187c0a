//! The judgement of a proof run: which program it was, and which allocator served each process.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::identity::Identity;
use super::proof::{Process, Proof};
use super::seen::Seen;
use super::version::version;
use crate::contender::Installed;
use crate::failure::Failure;
use crate::launch::Ended;
use crate::tree::is_wrapper;

/// A program that the probe has not seen allocates if it has more memory of its own than this.
const OWN_MEMORY_BYTES: u64 = 1 << 20;
/// A shell that uses less CPU time than this (0.1 s) only starts programs.
const WORKING_TICKS: u64 = 10;
const MAX_REMARKS: usize = 5;

/// One line of the probe: a process, its program and the library that serves its malloc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    pub pid: i32,
    pub library: PathBuf,
    pub version: String,
    pub program: PathBuf,
}

/// The program is the last field, and may have line ends and tabs in its name: a line that is no
/// sighting goes on with the one before it.
pub fn parse(text: &[u8]) -> Vec<Sighting> {
    let path = |bytes: &[u8]| PathBuf::from(OsStr::from_bytes(bytes));
    let sighting = |line: &[u8]| {
        let mut fields = line.splitn(4, |&b| b == b'\t');
        let pid = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        let library = path(fields.next()?);
        let version = String::from_utf8_lossy(fields.next().unwrap_or_default()).into_owned();
        let program = path(fields.next().unwrap_or_default());
        Some(Sighting { pid, library, version, program })
    };
    let mut all: Vec<Sighting> = Vec::new();
    for line in text.strip_suffix(b"\n").unwrap_or(text).split(|&b| b == b'\n') {
        match (sighting(line), all.last_mut()) {
            (Some(next), _) => all.push(next),
            (None, Some(last)) => {
                let name = last.program.as_mut_os_string();
                name.push("\n");
                name.push(OsStr::from_bytes(line));
            }
            (None, None) => {}
        }
    }
    all
}

/// All processes that ran one program on one library.
#[derive(Clone, Debug)]
struct Image {
    process: Process,
    probed: bool,
    /// Whether the first process of the run ended as this image.
    first: bool,
    cpu_ticks: u64,
    anonymous_bytes: u64,
}

impl Image {
    /// The process `pid`, which runs on the library of `sighting`.
    fn probed(sighting: &Sighting, pid: i32, first: bool, seen: Option<&Seen>) -> Self {
        let process = Process {
            pid,
            processes: 1,
            program: sighting.program.clone(),
            library: real(&sighting.library),
            version: sighting.version.clone(),
            allocates: true,
        };
        Self {
            process,
            probed: true,
            first,
            cpu_ticks: seen.map_or(0, |seen| seen.cpu_ticks),
            anonymous_bytes: seen.map_or(0, |seen| seen.anonymous_bytes),
        }
    }
}

pub fn judge(installed: &Installed, ended: Ended, sightings: &[Sighting], seen: &[Seen]) -> Proof {
    let expected = installed.preload.as_deref().map(real);
    let fits = |library: &Path| expected.as_ref().is_none_or(|path| *path == real(library));
    let images = images(ended.pid, sightings, seen);
    let main = main_image(&images);
    let loaded = match (first_misfit(ended.pid, sightings, fits), main) {
        // The first process must run on the contender through every exec that it makes.
        (Some(other), _) => Err(format!(
            "{} did not take over: malloc comes from {}",
            installed.name(),
            other.display()
        )),
        (None, None) => Err("no preload reached the program's process".to_string()),
        (None, Some(main)) if !main.probed => {
            Err(format!("no preload reached {}: {}", main.process.program.display(), reason(main)))
        }
        (None, Some(main)) if !fits(&main.process.library) => Err(format!(
            "{} did not take over in {}: malloc comes from {}",
            installed.name(),
            main.process.program.display(),
            main.process.library.display()
        )),
        (None, Some(main)) => Ok(Identity {
            name: installed.name().to_string(),
            version: version(installed, &main.process.version),
            library: real(&main.process.library),
            loaded: true,
            settings: installed.settings.clone(),
        }),
    };
    let elsewhere = |image: &&Image| {
        let unreached = !image.probed && expected.is_some();
        image.process.allocates && (unreached || !fits(&image.process.library))
    };
    let remarks = match &loaded {
        Ok(_) => remarks(images.iter().filter(elsewhere)),
        Err(_) => Vec::new(),
    };
    let loaded = loaded.map_err(|why| Failure::of_loading(installed.name(), why, &ended));
    let processes = images.into_iter().map(|image| image.process).collect();
    Proof { ended, loaded, processes, remarks }
}

fn first_misfit(first: i32, sightings: &[Sighting], fits: impl Fn(&Path) -> bool) -> Option<&Path> {
    let own = sightings.iter().filter(|sighting| sighting.pid == first);
    own.map(|sighting| sighting.library.as_path()).find(|library| !fits(library))
}

/// The processes by program and library, in the order of their start. A process counts for the last
/// program that it has executed.
fn images(first: i32, sightings: &[Sighting], seen: &[Seen]) -> Vec<Image> {
    let mut last: BTreeMap<i32, &Sighting> = BTreeMap::new();
    let mut order: Vec<i32> = Vec::new();
    for sighting in sightings {
        if last.insert(sighting.pid, sighting).is_none() {
            order.push(sighting.pid);
        }
    }
    let sighted: BTreeSet<(i32, &Path)> =
        sightings.iter().map(|one| (one.pid, one.program.as_path())).collect();
    let probed = |one: &Seen| one.has_probe || sighted.contains(&(one.pid, one.program.as_path()));
    let mut by_pid: BTreeMap<i32, Vec<&Seen>> = BTreeMap::new();
    for one in seen {
        by_pid.entry(one.pid).or_default().push(one);
    }
    let mut images = Images::default();
    for sighting in order.iter().filter_map(|pid| last.get(pid)) {
        let own = by_pid.get(&sighting.pid).map_or(&[][..], Vec::as_slice);
        let at = own.iter().find(|seen| seen.program == sighting.program);
        let unprobed = own.iter().any(|one| !probed(one));
        // A shell that has forked and then executed a program beyond the probe.
        if unprobed && is_wrapper(&sighting.program) {
            continue;
        }
        let is_first = sighting.pid == first && !unprobed;
        images.add(Image::probed(sighting, sighting.pid, is_first, at.copied()));
    }
    for one in seen.iter().filter(|one| one.has_probe && !last.contains_key(&one.pid)) {
        let forked_from = |sighting: &&Sighting| sighting.program == one.program;
        if let Some(parent) = sightings.iter().rfind(forked_from) {
            images.add(Image::probed(parent, one.pid, one.pid == first, Some(one)));
        }
    }
    for one in seen.iter().filter(|one| !probed(one)) {
        images.add(Image {
            process: Process {
                pid: one.pid,
                processes: 1,
                program: one.program.clone(),
                library: one.libc.clone().unwrap_or_default(),
                version: String::new(),
                allocates: one.anonymous_bytes > OWN_MEMORY_BYTES,
            },
            probed: false,
            first: one.pid == first,
            cpu_ticks: one.cpu_ticks,
            anonymous_bytes: one.anonymous_bytes,
        });
    }
    images.0
}

#[derive(Default)]
struct Images(Vec<Image>);

impl Images {
    fn add(&mut self, image: Image) {
        let same = |known: &&mut Image| {
            known.probed == image.probed
                && known.process.program == image.process.program
                && known.process.library == image.process.library
        };
        let Some(known) = self.0.iter_mut().find(same) else {
            self.0.push(image);
            return;
        };
        known.process.processes += 1;
        known.process.allocates |= image.process.allocates;
        known.first |= image.first;
        known.cpu_ticks += image.cpu_ticks;
        known.anonymous_bytes = known.anonymous_bytes.max(image.anonymous_bytes);
    }
}

/// The program that the user means. A wrapper is not that program, unless it does the work itself.
fn main_image(images: &[Image]) -> Option<&Image> {
    let first = images.iter().rfind(|image| image.first);
    if let Some(first) = first.filter(|image| !is_wrapper(&image.process.program)) {
        return Some(first);
    }
    let others = || images.iter().filter(|image| !is_wrapper(&image.process.program));
    let ticks_of_others: u64 = others().map(|image| image.cpu_ticks).sum();
    let works = |image: &&Image| image.cpu_ticks >= WORKING_TICKS.max(2 * ticks_of_others);
    let busiest = others().max_by_key(|image| (image.cpu_ticks, image.anonymous_bytes));
    first.filter(works).or(busiest).or(first)
}

fn reason(image: &Image) -> &'static str {
    match image.process.library.as_os_str().is_empty() {
        true => "it is statically linked",
        false => "it was started without LD_PRELOAD",
    }
}

fn remarks<'a>(elsewhere: impl Iterator<Item = &'a Image>) -> Vec<String> {
    let mut lines: Vec<String> = elsewhere.map(remark).collect();
    let more = lines.len().saturating_sub(MAX_REMARKS);
    lines.truncate(MAX_REMARKS);
    match more {
        0 => {}
        1 => lines.push("one more program runs under another allocator".to_string()),
        _ => lines.push(format!("{more} more programs run under other allocators")),
    }
    lines
}

fn remark(image: &Image) -> String {
    let Process { program, processes, library, .. } = &image.process;
    let program = program.display();
    let (subject, takes) = match processes {
        1 => (format!("the process {program}"), "takes"),
        _ => (format!("{processes} processes {program}"), "take"),
    };
    match image.probed {
        true => format!("{subject} {takes} malloc from {}", library.display()),
        false => format!("the preload does not reach {program}: {}", reason(image)),
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
