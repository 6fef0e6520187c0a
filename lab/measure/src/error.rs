//! Why the command stops early, and the exit code that says so to scripts.

use std::io;

use thiserror::Error;

/// Everything was measured.
pub const OK: u8 = 0;
/// Something got worse: a program fails under some allocators only, a check value differs.
pub const REGRESSION: u8 = 1;
/// The command line names something that does not exist.
pub const USAGE: u8 = 2;
/// This machine lacks something, or the program cannot be measured here.
pub const ENVIRONMENT: u8 = 3;
/// Interrupted: 128 + SIGINT, as shells report it.
pub const INTERRUPTED: u8 = 130;

/// An early end with its exit code and one line for the user.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct Stop {
    pub code: u8,
    message: String,
}

pub fn usage(message: impl Into<String>) -> anyhow::Error {
    Stop { code: USAGE, message: message.into() }.into()
}

pub fn environment(message: impl Into<String>) -> anyhow::Error {
    Stop { code: ENVIRONMENT, message: message.into() }.into()
}

pub fn interrupted(message: impl Into<String>) -> anyhow::Error {
    Stop { code: INTERRUPTED, message: message.into() }.into()
}

/// The exit code for `error`. An unforeseen error counts as the environment's fault.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    error.downcast_ref::<Stop>().map_or(ENVIRONMENT, |stop| stop.code)
}

/// `done`, but a reader that has closed its pipe has read all that it wants.
pub fn allow_closed_pipe(done: anyhow::Result<()>) -> anyhow::Result<()> {
    match done {
        Err(error) if is_broken_pipe(&error) => Ok(()),
        done => done,
    }
}

pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    kind == Some(io::ErrorKind::BrokenPipe)
}
