//! `heapsmith record`: runs a program with the recorder, and packs what it recorded.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use heapsmith_measure::contender::Installed;
use heapsmith_measure::error::{environment, interrupted, usage};
use heapsmith_measure::launch::Setting;
use heapsmith_measure::metric::show_bytes;
use heapsmith_measure::others::of_children_s;
use heapsmith_measure::place::Lab;
use heapsmith_measure::preload::require_preloadable_path;
use heapsmith_measure::program::quote;
use heapsmith_measure::prove::preloads;
use heapsmith_trace::pack::Times;
use heapsmith_trace::packed::{Lack, Tables};

use crate::packing::{end_without_halves, pack_all, prepare};
use crate::{missing, raw_folder, wait};

const EXAMPLES: &str = "\
Examples:
  heapsmith record -- ./app input           writes app.trace
  heapsmith record -o run.trace -- ./app    writes run.trace
  heapsmith record --twice -- ./app input   also measures it without recording, for `advise`
  heapsmith record --wait -- ./daemon       waits for what goes into the background
  heapsmith record -p 1234 --for 10s        records a program that already runs
  heapsmith info app.trace                  shows what it has

Exit codes: that of the program, or 0 with -p; 2 usage, 3 environment.";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct RecordArgs {
    /// The trace to write (default: the program's name with .trace); `-` is stdout, and then the
    /// program's output goes to stderr
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the trace if it exists
    #[arg(short, long)]
    pub force: bool,

    /// Keep no names: sizes, times and threads stay, sites become random numbers. The traces can be
    /// given to others
    #[arg(long)]
    pub anonymize: bool,

    /// Run the program without recording first, so that `advise` knows its time. That run reads no
    /// input, and its output is discarded
    #[arg(long, conflicts_with = "pid")]
    pub twice: bool,

    /// Wait for processes that outlive the program, such as daemons, until they end or until Ctrl-C
    #[arg(long, conflicts_with = "pid")]
    pub wait: bool,

    /// Record the process PID, which already runs, until Ctrl-C
    #[arg(short, long, value_name = "PID", conflicts_with = "program")]
    pub pid: Option<u32>,

    /// With -p: end the recording after this time, such as 10s or 5m
    #[arg(long = "for", value_name = "DURATION", value_parser = humantime::parse_duration,
          requires = "pid", conflicts_with = "program")]
    pub duration: Option<Duration>,

    /// The program and its arguments
    #[arg(last = true, required_unless_present = "pid", value_name = "PROGRAM")]
    pub program: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct PackArgs {
    /// The folder that a recording was interrupted in: FILE.raw
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,

    /// The trace to write, `-` is stdout (default: the name of the folder without .raw)
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace the trace if it exists
    #[arg(short, long)]
    pub force: bool,

    /// Keep no names, as `heapsmith record --anonymize`
    #[arg(long)]
    pub anonymize: bool,
}

/// How traces are written.
#[derive(Clone, Copy)]
pub struct Writing<'a> {
    pub may_replace: bool,
    pub anonymously: bool,
    /// Say nothing but what is missing.
    pub quietly: bool,
    pub times: Times,
    /// The program that was started, if this is the end of its recording.
    pub command: Option<&'a OsStr>,
}

/// Runs the program. Returns its exit code, or 128 and the number of its signal.
pub fn run(args: &RecordArgs) -> Result<u8> {
    if let Some(pid) = args.pid {
        return crate::attach::run(args, pid);
    }
    let trace = match &args.output {
        Some(named) => named.clone(),
        None => default_name(&args.program[0]),
    };
    let out = prepare(&trace, args.force)?;
    let recorder = require_recorder(&Lab::find()?)?;
    let plain_cpu_s = if args.twice { run_plainly(&args.program)? } else { None };
    let raw = raw_folder::make(&out, args.force)?;
    let status = run_recorded(&args.program, &recorder, &raw, out.is_stdout());
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            fs::remove_dir(&raw).ok();
            return Err(error);
        }
    };
    if args.wait {
        missing::wait(&raw);
    }
    missing::tell_running(&raw);
    missing::tell_filter(status.0);
    let (may_replace, anonymously) = (args.force, args.anonymize);
    let times = Times { cpu_s: status.1, plain_cpu_s };
    let command = Some(args.program[0].as_os_str());
    let writing = Writing { may_replace, anonymously, quietly: false, times, command };
    let told = pack_all(&raw, out, writing, None);
    if told.is_err() {
        // An empty folder is of no use; another one is what `heapsmith pack` reads.
        fs::remove_dir(&raw).ok();
    }
    told?;
    Ok(code_of(status.0))
}

/// The library to preload.
pub fn require_recorder(lab: &Lab) -> Result<PathBuf> {
    let recorder = lab.recorder();
    if !recorder.is_file() {
        return Err(environment(format!(
            "no recorder at {}; ./dev build makes it in the source tree",
            recorder.display()
        )));
    }
    require_preloadable_path(&recorder)?;
    Ok(recorder)
}

/// Packs a folder that the recorder wrote into.
pub fn run_pack(args: &PackArgs) -> Result<u8> {
    raw_folder::require_no_file(&args.folder)?;
    let trace = match &args.output {
        Some(named) => named.clone(),
        None if args.folder.extension().is_some_and(|end| end == "raw") => {
            args.folder.with_extension("")
        }
        None => return Err(usage("name the trace to write: -o FILE")),
    };
    end_without_halves();
    let out = prepare(&trace, args.force)?;
    let (may_replace, anonymously) = (args.force, args.anonymize);
    let times = Times::default();
    let writing = Writing { may_replace, anonymously, quietly: false, times, command: None };
    pack_all(&args.folder, out, writing, None)?;
    Ok(0)
}

fn default_name(program: &OsString) -> PathBuf {
    let name = Path::new(program).file_name().unwrap_or(program.as_os_str());
    with_suffix(Path::new(name), ".trace")
}

pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

pub fn require_absent(path: &Path, may_replace: bool) -> Result<()> {
    if path.exists() && !may_replace {
        let path = path.display();
        return Err(usage(format!("{path} exists: name another with -o, or replace it with -f")));
    }
    Ok(())
}

fn cannot_run(program: &OsString, error: &std::io::Error) -> anyhow::Error {
    usage(format!("cannot run {}: {error}", Path::new(program).display()))
}

/// Returns: the processor time of the program in seconds.
fn run_plainly(program: &[OsString]) -> Result<Option<f64>> {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let before = of_children_s();
    let ended = wait::run(&mut command).map_err(|error| cannot_run(&program[0], &error))?;
    if ended.1 {
        return Err(interrupted("interrupted before the recording began"));
    }
    Ok(of_children_s().zip(before).map(|(after, before)| after - before))
}

/// Returns: how the program ended, and its processor time in seconds.
fn run_recorded(
    program: &[OsString],
    recorder: &Path,
    raw: &Path,
    stdout_is_taken: bool,
) -> Result<(ExitStatus, Option<f64>)> {
    let mut preload = recorder.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        preload.push(" ");
        preload.push(others);
    }
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).env("LD_PRELOAD", preload);
    command.env("HEAPSMITH_RECORD_DIR", std::path::absolute(raw)?);
    if stdout_is_taken {
        command.stdout(std::io::stderr());
    }
    let before = of_children_s();
    let ended = wait::run(&mut command).map_err(|error| cannot_run(&program[0], &error))?;
    let cpu_s = of_children_s().zip(before).map(|(after, before)| after - before);
    Ok((ended.0, cpu_s))
}

/// The environment in which a program under the malloc `base` writes what it does into `raw`.
pub fn recording(base: &Installed, recorder: &Path, raw: &Path) -> Vec<Setting> {
    let mut settings = preloads(base, None);
    for (name, value) in &mut settings {
        if name == "LD_PRELOAD" {
            let mut all = recorder.as_os_str().to_owned();
            if let Some(others) = value.take() {
                all.push(":");
                all.push(others);
            }
            *value = Some(all);
        }
    }
    settings.push(("HEAPSMITH_RECORD_DIR".into(), Some(raw.as_os_str().to_owned())));
    settings
}

fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).unwrap_or(u8::MAX)
}

/// As error_behind_filter in src/watch/record/format.hpp.
const BEHIND_FILTER: u32 = 10_000;

/// What all traces of a recording have, and lack.
#[derive(Default)]
pub struct Sums {
    processes: usize,
    /// Of the process that allocated most bytes.
    pub shown: u64,
    events: u64,
    bytes: u64,
    raw_bytes: u64,
    dropped: u64,
    drop_errno: u32,
    lost_children: u32,
    /// Lines about processes without a trace.
    pub unrecorded: Vec<String>,
    /// Processes whose inherited blocks are not all in their traces.
    lacking: Vec<(u32, Lack)>,
    /// Processes without a clock.
    stopped: Vec<String>,
    damage: Vec<String>,
}

impl Sums {
    pub fn add(&mut self, tables: &Tables, bytes: u64) {
        let meta = &tables.meta;
        self.processes += 1;
        self.events += meta.events;
        self.bytes += bytes;
        self.raw_bytes += meta.raw_bytes;
        self.dropped += meta.dropped;
        self.drop_errno = self.drop_errno.max(meta.drop_errno);
        self.lost_children += meta.lost_children;
        let pid = meta.pid;
        self.lacking.extend(meta.inherited.iter().filter_map(|it| Some((pid, it.lacks?))));
        self.stopped.extend(meta.describe_stop().map(|line| format!("process {pid}: {line}")));
        self.damage.extend(meta.damage.iter().map(|line| format!("process {pid}: {line}")));
    }

    pub fn tell(&self, trace: &Path, quietly: bool) {
        let each = |bytes: u64| bytes as f64 / self.events.max(1) as f64;
        let processes = match self.processes {
            1 => String::new(),
            n => format!(", and {} in {} more traces", self.events - self.shown, n - 1),
        };
        if !quietly {
            eprintln!(
                "heapsmith: {} events in {}{processes}: {}, {:.2} bytes an event ({:.1} as recorded)",
                self.shown,
                trace.display(),
                show_bytes(self.bytes as f64),
                each(self.bytes),
                each(self.raw_bytes),
            );
        }
        if self.dropped != 0 {
            let why = match self.drop_errno {
                0 => "each came while its thread was still writing another event, as in a signal \
                      handler"
                    .to_string(),
                BEHIND_FILTER => {
                    "the program installed a filter of system calls, and the room that was \
                     reserved before that is full"
                        .to_string()
                }
                n => std::io::Error::from_raw_os_error(n as i32).to_string(),
            };
            eprintln!("heapsmith: {} events are missing: {why}", self.dropped);
        }
        for line in &self.unrecorded {
            eprintln!("heapsmith: {line}");
        }
        if self.lost_children != 0 {
            let n = self.lost_children;
            eprintln!(
                "heapsmith: forked processes that are missing because they could not make a \
                 file: {n}"
            );
        }
        if let Some(&(pid, lack)) = self.lacking.first() {
            let who = match self.lacking.len() {
                1 => format!("process {pid}"),
                n => format!("process {pid} and {} more", n - 1),
            };
            let why = lack.describe();
            eprintln!("heapsmith: {who}: inherited blocks are missing in the trace: {why}");
        }
        for line in self.stopped.iter().chain(&self.damage) {
            eprintln!("heapsmith: {line}");
        }
        if !quietly && trace.is_file() {
            eprintln!("next: heapsmith info {}", quote(&[trace.into()]));
        }
    }
}
