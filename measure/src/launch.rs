//! One measured process: started through the static launcher, waited for, read out.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use rustix::pipe::{PipeFlags, pipe_with};

use crate::drain::{Drain, drain_until_closed};
use crate::error::environment;
use crate::interrupt::Interrupt;
use crate::place::Lab;
use crate::program::Program;
use crate::serve::Service;

const STDERR_TAIL_BYTES: usize = 4 << 10;
const STDOUT_BYTES: usize = 64 << 10;

/// The costs of one run.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    pub wall_s: f64,
    /// Of a server: the wall time of its load.
    pub load_s: Option<f64>,
    pub cpu_s: f64,
    pub peak_rss_bytes: f64,
    pub page_faults: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Code(i32),
    Signal(i32),
    TimedOut,
    /// Ended by us because heapsmith was interrupted.
    Stopped,
}

impl Exit {
    pub fn describe(self) -> String {
        match self {
            Self::Code(code) => format!("exit code {code}"),
            Self::Signal(signal) => format!("killed by {}", signal_name(signal)),
            Self::TimedOut => "timed out".to_string(),
            Self::Stopped => "stopped".to_string(),
        }
    }
}

pub fn signal_name(signal: i32) -> String {
    let known = signal_hook::low_level::signal_name(signal);
    known.map_or_else(|| format!("signal {signal}"), str::to_string)
}

/// How a run ended, with what it wrote.
#[derive(Debug)]
pub struct Ended {
    pub pid: i32,
    pub costs: Costs,
    pub exit: Exit,
    pub stdout: String,
    pub stderr_tail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Thrown away; the end of stderr is kept for the report of a failure.
    Discard,
    /// Passed through to the user.
    Show,
    /// The beginning of stdout is kept: workloads print their check value.
    Capture,
}

/// The settings that all runs of one session share.
#[derive(Clone, Debug)]
pub struct Launcher<'a> {
    pub lab: &'a Lab,
    pub interrupt: &'a Interrupt,
    pub input: Option<&'a Path>,
    pub output: Output,
    /// The longest time of a program, or of a server's load.
    pub timeout: Option<Duration>,
    /// The program is a server, and this is how it is run.
    pub service: Option<&'a Service>,
}

/// A change to the child's environment: a value, or none to take the name away.
pub type Setting = (Cow<'static, str>, Option<OsString>);

impl Launcher<'_> {
    /// Runs the program once: as a server if there is a service, else until it ends.
    pub fn run(&self, program: &Program, settings: &[Setting]) -> Result<Ended> {
        if let Some(service) = self.service {
            return self.serve(program, service, settings);
        }
        let (report_end, report_fd) =
            pipe_with(PipeFlags::CLOEXEC).context("a pipe for the launcher's report")?;
        let mut command = self.command(program, settings, report_fd.as_raw_fd())?;
        let inherited = report_fd.as_raw_fd();
        // SAFETY: the closure runs between fork and exec and makes one async-signal-safe call.
        unsafe { command.pre_exec(move || keep_across_exec(inherited)) };
        let mut child = command.spawn().context("starting the launcher")?;
        drop(report_fd);

        let mut drains = [
            Drain::keep_first(Some(report_end), STDOUT_BYTES),
            Drain::keep_first(child.stdout.take(), STDOUT_BYTES),
            Drain::keep_last(child.stderr.take(), STDERR_TAIL_BYTES),
        ];
        drain_until_closed(&mut drains, self.interrupt, || stop(&child))?;
        child.wait().context("waiting for the launcher")?;

        let [report, stdout, stderr_tail] = drains.map(Drain::into_text);
        let mut ended = read_report(&report, program)?;
        (ended.stdout, ended.stderr_tail) = (stdout, stderr_tail);
        Ok(ended)
    }

    fn command(&self, program: &Program, settings: &[Setting], report: RawFd) -> Result<Command> {
        let mut command = Command::new(self.lab.launcher());
        let timeout_ms = self.timeout.map_or(0, |timeout| timeout.as_millis().max(1));
        command.arg(report.to_string()).arg(timeout_ms.to_string()).arg(&program.path);
        for (name, value) in settings {
            let mut change = OsString::from(if value.is_some() { "" } else { "-" });
            change.push(name.as_ref());
            if let Some(value) = value {
                change.push("=");
                change.push(value);
            }
            command.arg(change);
        }
        command.arg("--").args(&program.argv);
        command.stdin(match self.input {
            Some(path) => {
                Stdio::from(File::open(path).with_context(|| path.display().to_string())?)
            }
            None => Stdio::null(),
        });
        command.stdout(match self.output {
            Output::Discard => Stdio::null(),
            Output::Show => Stdio::inherit(),
            Output::Capture => Stdio::piped(),
        });
        let shown = self.output == Output::Show;
        command.stderr(if shown { Stdio::inherit() } else { Stdio::piped() });
        Ok(command)
    }
}

fn keep_across_exec(fd: RawFd) -> io::Result<()> {
    // SAFETY: fcntl on a descriptor number touches no memory.
    match unsafe { libc::fcntl(fd, libc::F_SETFD, 0) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// The launcher ends the program, and whatever the program has started, on SIGTERM.
fn stop(child: &Child) {
    // SAFETY: the launcher has not been waited for, so the id is still its own.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
}

fn read_report(report: &str, program: &Program) -> Result<Ended> {
    let words: Vec<&str> = report.split_whitespace().collect();
    match words.as_slice() {
        ["refused", errno] => {
            let error = io::Error::from_raw_os_error(errno.parse()?);
            Err(environment(format!("cannot run {}: {error}", program.path.display())))
        }
        ["ran", numbers @ .., how] => {
            let parsed: Result<Vec<i64>, _> = numbers.iter().map(|word| word.parse()).collect();
            let [pid, wall_ns, user_us, system_us, maxrss_kib, minor, major, status] = parsed?[..]
            else {
                return Err(anyhow!("the launcher's report is not complete: {report}"));
            };
            let costs = Costs {
                wall_s: wall_ns as f64 / 1e9,
                load_s: None,
                cpu_s: (user_us + system_us) as f64 / 1e6,
                peak_rss_bytes: (maxrss_kib * 1024) as f64,
                page_faults: (minor + major) as f64,
            };
            let exit = exit_of(how, status as i32);
            let (stdout, stderr_tail) = Default::default();
            Ok(Ended { pid: pid as i32, costs, exit, stdout, stderr_tail })
        }
        _ => Err(anyhow!("the launcher ended without a report")),
    }
}

fn exit_of(how: &str, status: i32) -> Exit {
    match how {
        "timeout" => Exit::TimedOut,
        "stopped" => Exit::Stopped,
        _ if libc::WIFSIGNALED(status) => Exit::Signal(libc::WTERMSIG(status)),
        _ => Exit::Code(libc::WEXITSTATUS(status)),
    }
}
