//! One measured process: started through the static launcher, waited for, read out.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::drain::drain_until_closed;
use crate::interrupt::Interrupt;
use crate::memory::Pace;
use crate::place::Lab;
use crate::process::Running;
use crate::program::Program;
use crate::serve::{self, Service};

/// The costs of one run: of the program and all its descendants that ended before it, or with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    pub wall_s: f64,
    /// Of a server: the wall time of its load.
    pub load_s: Option<f64>,
    pub cpu_s: f64,
    /// Of the largest process.
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
    /// A server that could not be measured. This is how it ended by itself, if it did.
    NotServed {
        code: Option<i32>,
        signal: Option<i32>,
    },
}

impl Exit {
    pub fn describe(self) -> String {
        match self {
            Self::Code(code) => format!("exit code {code}"),
            Self::Signal(signal) => format!("killed by {}", signal_name(signal)),
            Self::TimedOut => "timed out".to_string(),
            Self::Stopped => "stopped".to_string(),
            Self::NotServed { .. } => "did not serve".to_string(),
        }
    }

    /// The same after a clause: "the server ended, " and "killed by SIGSEGV" or "with exit code 1".
    pub(crate) fn describe_after(self) -> String {
        match self {
            Self::Code(code) => format!("with exit code {code}"),
            _ => self.describe(),
        }
    }

    pub fn code(self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(code),
            Self::NotServed { code, .. } => code,
            _ => None,
        }
    }

    pub fn signal(self) -> Option<i32> {
        match self {
            Self::Signal(signal) => Some(signal),
            Self::NotServed { signal, .. } => signal,
            _ => None,
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
    /// `Code(0)` for a server that stopped when it was asked to.
    pub exit: Exit,
    /// One clause on why a server could not be measured.
    pub trouble: Option<String>,
    pub stdout: String,
    /// Of a server that wrote nothing to stderr: the end of its stdout.
    pub stderr_tail: String,
    /// The number of processes that the program left running, which were then killed.
    pub left_behind: usize,
}

impl Ended {
    pub(crate) fn new(pid: i32, costs: Costs, exit: Exit) -> Self {
        let (stdout, stderr_tail) = Default::default();
        Self { pid, costs, exit, trouble: None, stdout, stderr_tail, left_behind: 0 }
    }

    /// An interrupt came before the program.
    pub(crate) fn not_started() -> Self {
        Self::new(0, Costs::default(), Exit::Stopped)
    }
}

/// The turns of a run, told to an observer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The launcher with this id is about to start the program.
    Started(i32),
    LoadBegins,
    LoadEnded,
    IdleEnded,
}

pub(crate) type Observer<'a> = dyn FnMut(Event) -> Result<()> + 'a;

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
    /// The same launcher, which keeps the output of its programs to itself.
    pub(crate) fn quietly(&self) -> Self {
        Self { output: Output::Discard, ..self.clone() }
    }

    /// Runs the program once: as a server if there is a service, else until it ends. After an
    /// interrupt nothing is started.
    pub fn run(&self, program: &Program, settings: &[Setting]) -> Result<Ended> {
        self.observe(program, settings, None, &mut |_| Ok(()))
    }

    /// Runs a program that prepares or cleans up, even after an interrupt.
    pub fn run_aside(&self, program: &Program) -> Result<Ended> {
        self.run_alone(program, &[], &mut |_| Ok(()))
    }

    /// Runs the program once and tells `observer` its turns. With a pace, a server's load is
    /// repeated and followed by idle time.
    pub(crate) fn observe(
        &self,
        program: &Program,
        settings: &[Setting],
        pace: Option<&Pace>,
        observer: &mut Observer,
    ) -> Result<Ended> {
        if self.interrupt.asked() {
            return Ok(Ended::not_started());
        }
        match self.service {
            Some(service) => serve::run(self, program, service, settings, pace, observer),
            None => self.run_alone(program, settings, observer),
        }
    }

    fn run_alone(
        &self,
        program: &Program,
        settings: &[Setting],
        observer: &mut Observer,
    ) -> Result<Ended> {
        let mut running = Running::start(self, program, settings)?;
        observer(Event::Started(running.launcher_id()))?;
        drain_until_closed(&mut running, self.interrupt)?;
        running.finish(program)
    }
}
