//! The processes that /proc shows below the launcher during a run. The probe does not reach all of
//! them: a static program, or one started without the preload, has none.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

use crate::pause::{pause_after, thread_cpu_time};
use crate::proc::text_of;
use crate::tree;

/// A process while it runs one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub pid: i32,
    pub program: PathBuf,
    pub cpu_ticks: u64,
    /// The largest part of its memory that no file backs.
    pub anonymous_bytes: u64,
    /// The C library that it has loaded. A static program has none.
    pub libc: Option<PathBuf>,
    /// Whether the probe is in its memory: a child of fork that executes nothing has its parent's.
    pub has_probe: bool,
}

/// A thread that looks at the tree. Processes that end within a millisecond may escape it.
pub struct Watcher {
    /// Closing it ends the thread.
    running: Sender<()>,
    thread: JoinHandle<Vec<Seen>>,
}

impl Watcher {
    pub fn start(launcher: i32) -> Result<Self> {
        let (running, ended) = channel();
        let body = move || {
            let own = tree::program(launcher);
            let mut seen: BTreeMap<(i32, PathBuf), Seen> = BTreeMap::new();
            let began = Instant::now();
            loop {
                let (at, before) = (began.elapsed(), thread_cpu_time());
                for pid in tree::descendants(launcher) {
                    look_at(pid, own.as_deref(), &mut seen);
                }
                let pause = pause_after(at, thread_cpu_time() - before);
                if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                    return seen.into_values().collect();
                }
            }
        };
        let thread = std::thread::Builder::new().name("processes".to_string()).spawn(body);
        Ok(Self { running, thread: thread.context("a thread for the proof")? })
    }

    pub fn finish(self) -> Result<Vec<Seen>> {
        drop(self.running);
        self.thread.join().map_err(|_| anyhow!("the thread of the proof has failed"))
    }
}

fn look_at(pid: i32, launcher: Option<&Path>, seen: &mut BTreeMap<(i32, PathBuf), Seen>) {
    // Before it executes the program, a child still has the launcher's image.
    let Some(program) = tree::program(pid).filter(|path| Some(path.as_path()) != launcher) else {
        return;
    };
    let ticks = tree::cpu_ticks(pid).unwrap_or(0);
    let anonymous = anonymous(pid).unwrap_or(0);
    let (libc, has_probe) = libraries(pid);
    if tree::program(pid).as_ref() != Some(&program) {
        return; // It has executed another program in between: the numbers may be of either.
    }
    let one = seen.entry((pid, program.clone())).or_insert_with(|| Seen {
        pid,
        program,
        cpu_ticks: 0,
        anonymous_bytes: 0,
        libc: None,
        has_probe: false,
    });
    one.cpu_ticks = one.cpu_ticks.max(ticks);
    one.anonymous_bytes = one.anonymous_bytes.max(anonymous);
    one.libc = one.libc.take().or(libc);
    one.has_probe |= has_probe;
}

fn anonymous(pid: i32) -> Option<u64> {
    let text = text_of(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

/// The C library that a process has loaded, and whether it has loaded the probe.
fn libraries(pid: i32) -> (Option<PathBuf>, bool) {
    let text = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    let paths = || {
        let lines = text.split(|&b| b == b'\n');
        let from = |line: &[u8]| line.iter().position(|&b| b == b'/');
        lines.filter_map(move |line| Some(Path::new(OsStr::from_bytes(&line[from(line)?..]))))
    };
    let name =
        |path: &Path| path.file_name().and_then(OsStr::to_str).unwrap_or_default().to_owned();
    let libc = paths().find(|path| {
        let name = name(path);
        name.starts_with("libc.so") || name.starts_with("libc-2.") || name.contains("ld-musl")
    });
    (libc.map(Path::to_path_buf), paths().any(|path| name(path) == "libprobe.so"))
}
