//! Why a file cannot be used: which one, and what is wrong.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: {what}")]
    Unusable { path: PathBuf, what: String },
}

pub type Result<T> = std::result::Result<T, Error>;

/// Turns an error of the system into one that names the file.
pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { path, source }
}

/// A word of a file as a message shows it: its begin, with escapes for what a terminal obeys.
pub fn quoted(word: &str) -> String {
    format!("{:?}", word.chars().take(40).collect::<String>())
}
