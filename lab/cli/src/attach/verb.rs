//! `heapsmith record -p PID` from its begin to its end.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::chown;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use heapsmith_measure::error::environment;
use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::place::Lab;
use heapsmith_trace::pack::Times;

use super::process::Process;
use super::remote_recorder::{Attached, attach};
use crate::args::record::RecordArgs;
use crate::recording::packing::{pack_all, prepare};
use crate::recording::raw_folder;
use crate::recording::recorder::require_recorder;
use crate::recording::writing::{Writing, with_suffix};

/// How often the process and the clock are looked at.
const PAUSE: Duration = Duration::from_millis(20);

pub fn run(args: &RecordArgs, id: u32) -> Result<u8> {
    let process = Process::find(id)?;
    let named = args.output.clone();
    let trace =
        named.unwrap_or_else(|| with_suffix(Path::new(&process.name.replace('/', "_")), ".trace"));
    let out = prepare(&trace, args.force)?;
    let recorder = require_recorder(&Lab::find()?)?;
    let raw = raw_folder::make(&out, args.force)?;
    // From here on, an interruption ends the recording, and not this process.
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    if let Err(error) = record(args, &process, &recorder, &raw, &interrupted) {
        raw_folder::discard(&raw);
        return Err(error);
    }
    let files = RawFiles::open(&raw);
    let (may_replace, anonymously) = (args.force, args.anonymize);
    let times = Times::default();
    let writing = Writing { may_replace, anonymously, quietly: false, times, command: None };
    pack_all(&raw, out, writing, process.id_inside)?;
    files.give_back();
    Ok(0)
}

/// Records until the end that is asked for. Fails only before the recording has begun.
fn record(
    args: &RecordArgs,
    process: &Process,
    recorder: &Path,
    raw: &Path,
    interrupted: &AtomicBool,
) -> Result<()> {
    give_to_owner(process, raw)?;
    let folder = fs::canonicalize(raw)?;
    let recording = attach(process, recorder, &folder)?;
    tell_begin(process, &recording.attached, args);
    let end = args.duration.map(|duration| Instant::now() + duration);
    // relaxed: the flag stands alone
    while !interrupted.load(Ordering::Relaxed) && end.is_none_or(|end| Instant::now() < end) {
        std::thread::sleep(PAUSE);
        if !process.is_there() {
            let what = if process.has_ended() { "has ended" } else { "is another program now" };
            eprintln!("heapsmith: process {} {what}", process.id);
            return Ok(());
        }
    }
    if !recording.stop() && process.is_there() {
        eprintln!(
            "heapsmith: the recording has ended, but the recorder could not be taken out of the \
             calls of process {}: they take a little longer than before",
            process.id
        );
    }
    Ok(())
}

fn tell_begin(process: &Process, attached: &Attached, args: &RecordArgs) {
    let bytes = show_bytes(attached.live_bytes as f64);
    let live = match attached.is_told_by_allocator {
        true => format!("{bytes} in use"),
        false => format!("{bytes} of anonymous memory"),
    };
    let end = match args.duration {
        Some(duration) => format!("for {}", humantime::format_duration(duration)),
        None => "until Ctrl-C".to_string(),
    };
    let (id, name) = (process.id, &process.name);
    eprintln!("heapsmith: recording process {id} ({name}), which has {live}, {end}");
}

/// The process makes the files, perhaps as another user.
fn give_to_owner(process: &Process, raw: &Path) -> Result<()> {
    // SAFETY: geteuid has no requirements.
    let is_root = unsafe { libc::geteuid() } == 0;
    if let (true, Some((user, group))) = (is_root, process.owner()) {
        chown(raw, Some(user), Some(group))
            .map_err(|error| environment(format!("{}: {error}", raw.display())))?;
    }
    Ok(())
}

/// The process keeps parts of its files mapped after the recording, and so the room on the disk.
struct RawFiles(Vec<File>);

impl RawFiles {
    fn open(raw: &Path) -> Self {
        Self(raw_folder::open_to_write(raw))
    }

    /// Gives the room back. The length stays, so that a late store of the process is no fault.
    fn give_back(self) {
        let how = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
        for file in self.0 {
            let length = file.metadata().map_or(0, |found| found.len()) as libc::off_t;
            // SAFETY: the descriptor is open. A file system that cannot do it keeps the room.
            unsafe { libc::fallocate(file.as_raw_fd(), how, 0, length) };
        }
    }
}
