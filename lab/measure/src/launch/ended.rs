//! How a run ended, what it cost and what it wrote.

use crate::signal::signal_name;

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
