//! The outcome of a proof run.

use std::path::PathBuf;

use super::identity::Identity;
use crate::failure::Failure;
use crate::launch::Ended;

/// A program that the measured one has run, and the library that serves malloc in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// The first of its processes.
    pub pid: i32,
    /// The number of its processes.
    pub processes: usize,
    pub program: PathBuf,
    /// The C library if the probe was not loaded; empty for a static program.
    pub library: PathBuf,
    pub version: String,
    /// Whether it has malloc in reach, or memory that it has allocated otherwise.
    pub allocates: bool,
}

/// The outcome of the unmeasured run.
pub struct Proof {
    pub ended: Ended,
    pub loaded: Result<Identity, Failure>,
    pub processes: Vec<Process>,
    /// A clause for each program that ran under something else than the contender.
    pub remarks: Vec<String>,
}
