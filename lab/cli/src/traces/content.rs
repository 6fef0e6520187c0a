//! Whether a file is a trace.

use std::fs;
use std::io::Read;
use std::path::Path;

use heapsmith_trace::packed::{is_begin_of_trace, is_trace};

/// The kind of a file, by its first bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Trace,
    Results,
    /// Of a trace: its first bytes, or none.
    CutOff,
    /// No results begin so. It may have been a trace.
    Foreign,
}

/// A pipe gives each byte once, and results may come through one: traces are files.
pub fn content_of(path: &Path) -> Content {
    if !fs::metadata(path).is_ok_and(|it| it.is_file()) {
        return Content::Results;
    }
    let mut first = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(64).read_to_end(&mut first));
    match first.trim_ascii_start().first() {
        _ if read.is_err() => Content::Results,
        _ if is_trace(&first) => Content::Trace,
        _ if is_begin_of_trace(&first) => Content::CutOff,
        Some(b'{') => Content::Results,
        _ => Content::Foreign,
    }
}

pub fn is_trace_file(path: &Path) -> bool {
    content_of(path) == Content::Trace
}
