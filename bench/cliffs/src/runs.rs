//! Runs the program `pattern` under contenders.
//!
//! A run ends with idle time. The next one begins when that starts, so only idle programs share the
//! machine with a timed one. Peak RSS is the kernel's mark of the process itself, so the programs
//! need no small parent.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};
use heapsmith_measure::callgrind::self_costs;
use heapsmith_measure::contender::Installed;
use heapsmith_measure::interrupt::Interrupt;
use heapsmith_measure::prove::preloads;

use crate::pattern::Pattern;
use crate::sample::{MIN_COUNTED, Sample};

/// The amounts of a run whose instructions are counted.
const COUNTED_CALLS: u64 = 20_000;
const COUNTED_SLOTS: u64 = 5_000;
/// Valgrind runs threads one after the other; more of them tell nothing new.
const COUNTED_THREADS: u64 = 32;
/// Valgrind refuses to map the 64 GiB and more that heapsmith would reserve.
const RESERVE: (&str, &str) = ("HEAPSMITH_RESERVE", "16G");
/// The program ends itself by this signal if it takes too long.
const SIGALRM: i32 = 14;
pub const TOO_LONG: &str = "takes too long";
/// Runs under callgrind at the same time: nothing is timed meanwhile.
const SIDE_BY_SIDE: usize = 2;

pub struct Runs {
    pub program: PathBuf,
    pub idle_ms: u64,
    pub timeout_s: u64,
    pub counts: bool,
    pub interrupt: Interrupt,
}

/// The sample of a run, or one line about its failure.
pub type Outcome = std::result::Result<Sample, String>;

impl Runs {
    /// One run of each contender, in this order, and its outcome in the same order. All must print
    /// the same check value, that of `check` if it has one.
    pub fn round(
        &self,
        pattern: &Pattern,
        contenders: &[&Installed],
        check: &mut Option<String>,
    ) -> Result<Vec<Outcome>> {
        let mut started = Vec::new();
        for installed in contenders {
            // Callers ask for the interrupt, too, and use none of the outcomes then.
            if self.interrupt.asked() {
                return Ok(vec![Err("stopped".to_string()); contenders.len()]);
            }
            let mut run = Run::start(self, pattern, installed)?;
            run.await_last_free()?;
            started.push(run);
        }
        started.into_iter().map(|run| run.finish(check)).collect()
    }

    /// The instructions per call of each contender; none where they cannot be counted.
    pub fn count(&self, pattern: &Pattern, contenders: &[&Installed]) -> Result<Vec<Option<f64>>> {
        let calls =
            2 * (pattern.number("slots") * pattern.number("phases") + pattern.number("calls"));
        let is_short = (calls as f64) < MIN_COUNTED;
        if !self.counts || is_short || pattern.number("threads") > COUNTED_THREADS {
            return Ok(vec![None; contenders.len()]);
        }
        let mut counted = Vec::new();
        for pair in contenders.chunks(SIDE_BY_SIDE) {
            if self.interrupt.asked() {
                return Ok(vec![None; contenders.len()]);
            }
            let done: Vec<Result<Option<f64>>> = std::thread::scope(|scope| {
                let count = |one: &'_ Installed| self.count_one(pattern, one);
                let begun: Vec<_> =
                    pair.iter().map(|one| scope.spawn(move || count(one))).collect();
                let ended = begun.into_iter().map(|one| one.join());
                ended.map(|one| one.unwrap_or_else(|_| Ok(None))).collect()
            });
            for one in done {
                counted.push(one?);
            }
        }
        Ok(counted)
    }

    fn count_one(&self, pattern: &Pattern, installed: &Installed) -> Result<Option<f64>> {
        let small = pattern
            .with("calls", pattern.number("calls").min(COUNTED_CALLS))
            .with("slots", pattern.number("slots").min(COUNTED_SLOTS))
            .with("pause-ms", 0);
        let profile = tempfile::NamedTempFile::new().context("a file for callgrind")?;
        let mut out = std::ffi::OsString::from("--callgrind-out-file=");
        out.push(profile.path());
        let mut command = Command::new("valgrind");
        command.args(["--tool=callgrind", "--quiet"]).arg(out).arg(&self.program);
        command.args(small.arguments(true)).args(["--idle-ms", "0"]);
        command.args(["--timeout-s", &self.timeout_s.to_string()]);
        command.env(RESERVE.0, RESERVE.1).stdin(Stdio::null());
        set_preloads(&mut command, installed);
        let output = command.output().context("running valgrind")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let Some(calls) = Sample::counted_calls(&text).filter(|_| output.status.success()) else {
            return Ok(None);
        };
        let profile = std::fs::read_to_string(profile.path()).context("callgrind's profile")?;
        Ok(Some(beside_program(&profile, &self.program)? as f64 / calls))
    }
}

/// All instructions of a profile but those of the program and of the dynamic linker: what the
/// allocator spends, and the C library for it.
fn beside_program(profile: &str, program: &Path) -> Result<u64> {
    let program = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
    let is_counted = |object: &str| {
        let linker = Path::new(object).file_name().is_some_and(|name| {
            name.to_string_lossy().starts_with("ld-") || name.to_string_lossy().starts_with("ld.")
        });
        !linker && Path::new(object) != program
    };
    let costs = self_costs(profile, "Ir")?;
    let counted = costs.iter().filter(|((object, _), _)| is_counted(object));
    Ok(counted.map(|(_, cost)| cost).sum())
}

fn set_preloads(command: &mut Command, installed: &Installed) {
    // It names the folder of the peers; the library would take it for a mistaken setting.
    command.env_remove("HEAPSMITH_CACHE");
    for (name, value) in preloads(installed, None) {
        match value {
            Some(value) => command.env(name.as_ref(), value),
            None => command.env_remove(name.as_ref()),
        };
    }
}

/// A run that has begun. It is ended if it is dropped.
struct Run {
    child: Child,
    lines: BufReader<ChildStdout>,
    text: String,
}

impl Run {
    fn start(runs: &Runs, pattern: &Pattern, installed: &Installed) -> Result<Self> {
        let mut command = Command::new(&runs.program);
        command.args(pattern.arguments(true));
        command.args(["--idle-ms", &runs.idle_ms.to_string()]);
        command.args(["--timeout-s", &runs.timeout_s.to_string()]);
        set_preloads(&mut command, installed);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let named = || runs.program.display().to_string();
        let mut child = command.spawn().with_context(named)?;
        let stdout = child.stdout.take().context("the program's output")?;
        Ok(Self { child, lines: BufReader::new(stdout), text: String::new() })
    }

    /// Reads up to the line about the memory after the last free, which precedes the idle time.
    fn await_last_free(&mut self) -> Result<()> {
        loop {
            let begin = self.text.len();
            if self.lines.read_line(&mut self.text)? == 0
                || self.text[begin..].starts_with("value rss_freed_bytes")
            {
                return Ok(());
            }
        }
    }

    fn finish(mut self, check: &mut Option<String>) -> Result<Outcome> {
        self.lines.read_to_string(&mut self.text)?;
        let mut said = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut said)?;
        }
        let status = self.child.wait()?;
        if status.signal() == Some(SIGALRM) {
            return Ok(Err(TOO_LONG.to_string()));
        }
        if !status.success() {
            let last = said.lines().next_back().unwrap_or_default();
            return Ok(Err(format!("{status} {last}").trim().to_string()));
        }
        let printed = self.text.lines().find_map(|line| line.strip_prefix("check "));
        let Some(printed) = printed else {
            return Ok(Err("printed no check value".to_string()));
        };
        let expected = check.get_or_insert_with(|| printed.to_string());
        if printed != expected {
            return Ok(Err(format!("check value {printed}, not {expected} as before")));
        }
        Ok(Ok(Sample::parse(&self.text)))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // Both fail if the run has been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    //! What counts in a profile.
    use super::*;

    #[test]
    fn the_program_and_the_linker_are_not_counted() {
        let profile = "events: Ir\nob=/no/pattern\nfn=a\n1 100\nob=/lib/ld-linux-x86-64.so.2\n\
                       fn=b\n1 10\nob=/no/liballoc.so\nfn=malloc\n1 5\n\
                       ob=/lib/libc.so.6\nfn=memset\n1 2\n";
        assert_eq!(beside_program(profile, Path::new("/no/pattern")).expect("a profile"), 7);
    }
}
