//! Recordings of threads, some of them killed.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context, Result};
use heapsmith_measure::launch::Launcher;
use heapsmith_trace::pack::pack;
use heapsmith_trace::raw::RawFile;
use tempfile::TempDir;

use crate::programs::{raw_files, recording};
use crate::target::Target;

const RECORDINGS: usize = 10;

/// A program of the lab under the recorder.
fn recorded(launcher: &Launcher, words: &[&str], folder: &TempDir) -> Command {
    let mut command = Command::new(launcher.lab.build().join("lab").join(words[0]));
    command.args(&words[1..]).stdout(Stdio::null()).stderr(Stdio::null()).arg0(words[0]);
    for (name, value) in recording(launcher, folder.path()) {
        command.env(name.as_ref(), value.unwrap_or_default());
    }
    command
}

/// The blocks that a thread maps at a time, and what is kept for it beside them.
pub fn kib_a_thread(launcher: &Launcher) -> Result<Target> {
    let folder = TempDir::with_prefix("heapsmith-threads-")?;
    let words = ["sleeping-threads", "--threads", "100", "--scale", "1"];
    let mut child = recorded(launcher, &words, &folder).spawn().context(words[0])?;
    let maps = format!("/proc/{}/maps", child.id());
    let mut most = 0;
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&maps).unwrap_or_default();
        let blocks = text.lines().filter(|line| line.ends_with(".raw")).count();
        most = most.max(blocks);
        sleep(Duration::from_millis(5));
    }
    let threads = raw_files(folder.path())?
        .iter()
        .map(|file| Ok(RawFile::open(file)?.threads.len()))
        .sum::<Result<usize>>()?;
    // Each mapping is a block, or a row of them: of the file's header, and of each thread.
    let kib = most as f64 * 64.0 / threads.max(1) as f64;
    Ok(Target::at_most(&format!("memory of {threads} threads"), kib, 256.0, " KiB a thread"))
}

/// Each file of a killed program is readable to within the last block of each thread.
pub fn ten_are_readable(launcher: &Launcher) -> Result<Target> {
    let mut readable = 0;
    for n in 0..RECORDINGS {
        let folder = TempDir::with_prefix("heapsmith-killed-")?;
        let words = ["random-slots", "--threads", "4"];
        let mut child = recorded(launcher, &words, &folder).spawn().context(words[0])?;
        sleep(Duration::from_millis(100 + 30 * n as u64));
        child.kill()?; // SIGKILL
        child.wait()?;
        for raw in raw_files(folder.path())? {
            let packed = pack(&raw, &raw.with_extension("trace"), false)?;
            let meta = &packed.tables.meta;
            let threads = packed.tables.threads.len();
            readable += usize::from(meta.damage.is_empty() && meta.events > 1000 && threads >= 4);
        }
    }
    let line = format!("kill -9: {readable} of {RECORDINGS} recordings are readable to their end");
    Ok(Target { is_met: readable == RECORDINGS, line })
}
