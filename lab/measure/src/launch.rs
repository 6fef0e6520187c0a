//! How programs are launched: what the runs of a session share, and what they tell.

mod ended;

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use crate::interrupt::Interrupt;
use crate::place::Lab;
use crate::service::Service;

pub use ended::{Costs, Ended, Exit};

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
