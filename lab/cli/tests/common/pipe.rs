//! A pipe for commands whose output nobody reads to its end.

use std::process::{Command, Stdio};

/// Its reader is gone.
pub fn closed_pipe() -> Stdio {
    let mut reader = Command::new("true").stdin(Stdio::piped()).spawn().expect("it runs");
    let pipe = reader.stdin.take().expect("a pipe");
    reader.wait().expect("it ends");
    pipe.into()
}
