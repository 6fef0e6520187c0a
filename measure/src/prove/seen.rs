//! The processes that /proc shows below the launcher during a run. The probe does not reach all of
//! them: a static program, or one started without the preload, has none.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Instant;

use anyhow::{Context, Result, anyhow};

use crate::memory::{pause_after, thread_cpu_time};
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
    let one = seen.entry((pid, program.clone())).or_insert_with(|| Seen {
        pid,
        program,
        cpu_ticks: 0,
        anonymous_bytes: 0,
        libc: None,
    });
    one.cpu_ticks = one.cpu_ticks.max(tree::cpu_ticks(pid).unwrap_or(0));
    one.anonymous_bytes = one.anonymous_bytes.max(anonymous(pid).unwrap_or(0));
    one.libc = one.libc.take().or_else(|| libc_of(pid));
}

fn anonymous(pid: i32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

fn libc_of(pid: i32) -> Option<PathBuf> {
    let text = fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    let paths = text.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let is_libc = |path: &&Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libc.so") || name.starts_with("libc-2.") || name.contains("ld-musl")
    };
    let mut paths = paths;
    paths.find(is_libc).map(Path::to_path_buf)
}
