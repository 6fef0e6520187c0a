//! Why a trace cannot be read: what, where, and what to do.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error(
        "{path} is not a heapsmith trace: it begins with other bytes; heapsmith record writes traces"
    )]
    Foreign { path: PathBuf },
    #[error(
        "{path} has version {found} of the format, and this heapsmith reads up to {known}: use the \
         heapsmith that wrote it, or a newer one"
    )]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error(
        "{path} has version {found} of the raw format, and this heapsmith reads {known}: pack it \
         with the heapsmith that recorded it"
    )]
    Older { path: PathBuf, found: u32, known: u32 },
    #[error("{path} is damaged at byte {at}: {what}; what lies before was read")]
    Damaged { path: PathBuf, at: u64, what: String },
    #[error("{path}: {what}")]
    Unusable { path: PathBuf, what: String },
}

pub type Result<T> = std::result::Result<T, Error>;

/// Turns an error of the system into one that names the file.
pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, source }
}
