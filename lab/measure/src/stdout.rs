//! Results on stdout.

use std::io::{IsTerminal, Write, stdout};

use anyhow::Result;
use heapsmith_trace::printable::lines;

use crate::error::allow_closed_pipe;

/// Writes results to stdout, or as much of them as the reader of a pipe takes. A terminal gets
/// escapes in place of the characters that it obeys.
pub fn to_stdout(bytes: &[u8]) -> Result<()> {
    let text = std::str::from_utf8(bytes).ok().filter(|_| stdout().is_terminal()).map(lines);
    let mut out = stdout().lock();
    let done = out.write_all(text.as_ref().map_or(bytes, |text| text.as_bytes()));
    allow_closed_pipe(done.and_then(|()| out.flush()).map_err(Into::into))
}
