//! Opens a file that a trace or a module names, if it is a regular file. A program may have mapped
//! /dev/zero, which has no end, and a name may belong to a pipe or a socket by now.

use std::fs::{File, OpenOptions, metadata};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use memmap2::Mmap;
use serde::{Deserialize, Serialize};

/// So much more than the disk has may be read of a file. File systems compress, and some count their
/// blocks late.
const COMPRESSED: u64 = 4;
const UNCOUNTED: u64 = 1 << 30;
/// `st_blocks` counts in these.
const BLOCK: u64 = 512;

/// Errors: there is no such file, or it is not a regular one.
pub fn open(path: &Path) -> Result<File> {
    // To open a device may already do something.
    require_regular(metadata(path)?.is_file())?;
    // A pipe that has taken the name since would wait for its other end.
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    require_regular(file.metadata()?.is_file())?;
    Ok(file)
}

fn require_regular(is_regular: bool) -> Result<()> {
    match is_regular {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::InvalidInput, "not a regular file")),
    }
}

/// The size of a file, and when it was changed: nanoseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stamp {
    pub bytes: u64,
    pub changed_ns: i64,
}

/// The contents of a regular file.
pub struct Mapped {
    pub bytes: Mmap,
    pub stamp: Stamp,
    /// That the disk has of it.
    stored: u64,
}

impl Mapped {
    /// Errors: as `open`, and a file larger than the address space that is left.
    pub fn open(path: &Path) -> Result<Self> {
        let file = open(path)?;
        let now = file.metadata()?;
        let stored = now.blocks().saturating_mul(BLOCK);
        let changed_ns = now.mtime().saturating_mul(1_000_000_000).saturating_add(now.mtime_nsec());
        let stamp = Stamp { bytes: now.len(), changed_ns };
        // SAFETY: the file is mapped for reading, and its bytes are checked as they are read.
        let bytes = unsafe { Mmap::map(&file) }?;
        Ok(Self { bytes, stamp, stored })
    }

    /// Whether so many bytes of the file may be there. A hole of terabytes takes hours to read.
    pub fn may_have(&self, bytes: u64) -> bool {
        bytes <= self.stored.saturating_mul(COMPRESSED).saturating_add(UNCOUNTED)
    }
}

#[cfg(test)]
mod tests {
    //! Names of things that are no files, and a file that is a hole.
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "text").expect("written");
        let _socket = UnixListener::bind(at("socket")).expect("a socket");
        let made = Command::new("mkfifo").arg(at("pipe")).status().expect("mkfifo runs");
        assert!(made.success());
        std::os::unix::fs::symlink("/dev/zero", at("link")).expect("a link");
        assert_eq!(&*Mapped::open(&at("file")).expect("a file").bytes, b"text");
        for name in ["socket", "pipe", "link", ".", "none"] {
            assert!(open(&at(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn a_hole_is_not_read() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        file.as_file().set_len(1 << 40).expect("a sparse file");
        let mapped = Mapped::open(file.path()).expect("there is room for its addresses");
        assert!(mapped.may_have(1 << 20) && !mapped.may_have(1 << 40));
    }
}
