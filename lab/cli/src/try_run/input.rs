//! The stdin of every run: a file, or heapsmith's own stdin, copied once.

use std::fs::File;
use std::io::{self, IsTerminal, Seek, stdin};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapsmith_measure::error::usage;

/// A pipe that is silent for longer than this is not taken for input.
const FIRST_BYTE_MS: libc::c_int = 2000;
const NULL_DEVICE: (u32, u32) = (1, 3);

pub enum Input {
    /// Runs read /dev/null.
    Nothing,
    Named(PathBuf),
    /// The file on heapsmith's own stdin.
    Redirected(PathBuf),
    /// A file without a name, which no kill leaves behind, and its path in /proc.
    Copied {
        path: PathBuf,
        _open: File,
    },
}

impl Input {
    /// The file of --input, or else heapsmith's own stdin if it is redirected.
    pub fn of(given: Option<&Path>) -> Result<Self> {
        let Some(path) = given else {
            return Self::redirected();
        };
        if path == Path::new("-") {
            return Self::copy(&mut stdin());
        }
        File::open(path).map_err(|error| usage(format!("{}: {error}", path.display())))?;
        Ok(Self::Named(path.to_path_buf()))
    }

    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Nothing => None,
            Self::Named(path) | Self::Redirected(path) | Self::Copied { path, .. } => Some(path),
        }
    }

    /// The file that a shell redirected.
    pub fn redirection(&self) -> Option<PathBuf> {
        match self {
            Self::Redirected(path) => Some(path.clone()),
            _ => None,
        }
    }

    fn redirected() -> Result<Self> {
        if stdin().is_terminal() {
            return Ok(Self::Nothing);
        }
        let mut own = File::from(stdin().as_fd().try_clone_to_owned().context("stdin")?);
        let meta = own.metadata().context("stdin")?;
        let kind = meta.file_type();
        if kind.is_file() {
            // Opened again, the file is read from its beginning and nothing is copied.
            let unread = own.stream_position().is_ok_and(|position| position == 0);
            let path = Path::new("/proc/self/fd/0").canonicalize();
            return match path.ok().filter(|path| unread && File::open(path).is_ok()) {
                Some(path) => Ok(Self::Redirected(path)),
                None => Self::copy(&mut own),
            };
        }
        if kind.is_char_device() && meta.rdev() == libc::makedev(NULL_DEVICE.0, NULL_DEVICE.1) {
            return Ok(Self::Nothing);
        }
        if !kind.is_fifo() && !kind.is_socket() {
            return Err(usage(
                "stdin is a device or a folder, which no run can read again: name a file with \
                 --input",
            ));
        }
        if !has_something(&own)? {
            return Err(usage(
                "stdin is a pipe that nothing comes out of: --input /dev/null gives the program \
                 no input, --input - waits for the pipe's end",
            ));
        }
        Self::copy(&mut own)
    }

    fn copy(from: &mut impl io::Read) -> Result<Self> {
        let mut copy = tempfile::tempfile().context("a file for the copy of stdin")?;
        io::copy(from, &mut copy).context("copying stdin")?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", copy.as_raw_fd()));
        Ok(Self::Copied { path, _open: copy })
    }
}

/// Waits a moment for data or the end.
fn has_something(pipe: &File) -> Result<bool> {
    let mut watched = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: the pointer is that of one live struct.
    match unsafe { libc::poll(&mut watched, 1, FIRST_BYTE_MS) } {
        -1 => Err(io::Error::last_os_error()).context("stdin"),
        ready => Ok(ready > 0),
    }
}
