//! How traces are written, and where.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::error::usage;
use heapsmith_trace::pack::Times;

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
