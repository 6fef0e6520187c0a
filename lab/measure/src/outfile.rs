//! A file results go to: shown to be writable before an hour of measuring, replaced as a whole.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::{NamedTempFile, TempDir};

use crate::error::{allow_closed_pipe, usage};
use crate::stdout::to_stdout;

#[derive(Debug)]
pub struct OutFile {
    path: PathBuf,
    way: Way,
}

#[derive(Debug)]
enum Way {
    /// Written beside the path, then put in its place: no reader sees half of it.
    Replace,
    /// /dev/full, a named pipe: written as it is.
    Direct(File),
    Stdout,
}

/// Whether a path is a device, a pipe, or a name of an open descriptor, such as /dev/stderr. It is
/// written as it is: the name is not ours to replace.
pub fn is_special(path: &Path) -> bool {
    let is_descriptor = |path: &Path| {
        path.parent().is_some_and(|at| at == Path::new("/dev/fd") || at.ends_with("self/fd"))
    };
    path.metadata().is_ok_and(|meta| !meta.is_file())
        || is_descriptor(path)
        || fs::read_link(path).is_ok_and(|to| is_descriptor(&to))
}

/// Errors: an output is a file that is read. The results would replace what they were made of.
pub fn refuse_inputs(outputs: &[Option<&Path>], inputs: &[&Path]) -> Result<()> {
    let file = |path: &Path| {
        let meta = path.metadata().ok().filter(|meta| meta.is_file() && !is_special(path))?;
        Some((meta.dev(), meta.ino()))
    };
    for output in outputs.iter().flatten() {
        let own = file(output);
        if own.is_some() && inputs.iter().any(|input| file(input) == own) {
            return Err(usage(format!("{} is read: name another file", output.display())));
        }
    }
    Ok(())
}

impl OutFile {
    pub fn prepare(path: &Path) -> Result<Self> {
        if path == Path::new("-") || path == Path::new("/dev/stdout") {
            return Ok(Self { path: path.to_path_buf(), way: Way::Stdout });
        }
        if path.as_os_str().is_empty() {
            return Err(usage("an empty name is not a file"));
        }
        // The text of an error about a temporary file names that file, its kind does not.
        let refuse = |error: io::Error| {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "its folder does not exist".to_string(),
                kind => kind.to_string(),
            };
            usage(format!("{}: {why}", path.display()))
        };
        let way = if is_special(path) {
            Way::Direct(OpenOptions::new().append(true).open(path).map_err(refuse)?)
        } else {
            // Without a name: a killed command would leave it behind.
            drop(tempfile::tempfile_in(folder_of(path)).map_err(refuse)?);
            Way::Replace
        };
        Ok(Self { path: path.to_path_buf(), way })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn is_stdout(&self) -> bool {
        matches!(self.way, Way::Stdout)
    }

    /// Whether it is stdout, a device or a pipe: it has no files beside it.
    pub fn is_stream(&self) -> bool {
        !matches!(self.way, Way::Replace)
    }

    /// A folder for files that `put` takes. It is beside the path, so that they need not be copied;
    /// that of a stream is among the temporary files.
    pub fn folder_beside(&self) -> Result<TempDir> {
        let mut builder = tempfile::Builder::new();
        let folder = if self.is_stream() { std::env::temp_dir() } else { folder_of(&self.path) };
        let made = builder.prefix(".heapsmith-").tempdir_in(&folder);
        made.with_context(|| folder.display().to_string())
    }

    /// Puts the file `whole`, which lies in `folder_beside()`, in its place. A crash of the machine
    /// leaves what was there, or the whole file.
    pub fn put(self, whole: &Path) -> Result<PathBuf> {
        let path = self.path;
        let context = || path.display().to_string();
        match self.way {
            Way::Stdout => {
                let copied = copy(whole, &mut io::stdout().lock());
                allow_closed_pipe(copied.map_err(Into::into))?;
            }
            Way::Direct(mut file) => {
                allow_closed_pipe(copy(whole, &mut file).with_context(context))?;
            }
            Way::Replace => {
                File::open(whole).and_then(|file| file.sync_all()).with_context(context)?;
                fs::rename(whole, &path).with_context(context)?;
                // The name is safe, too. Some file systems cannot promise it.
                File::open(folder_of(&path)).and_then(|folder| folder.sync_all()).ok();
            }
        }
        Ok(path)
    }

    /// Writes text or other bytes, or as much of them as the reader of a pipe takes.
    pub fn write(self, bytes: impl AsRef<[u8]>) -> Result<PathBuf> {
        let bytes = bytes.as_ref();
        let path = self.path;
        let context = || path.display().to_string();
        match self.way {
            Way::Stdout => to_stdout(bytes)?,
            Way::Direct(mut file) => {
                let done = file.write_all(bytes);
                allow_closed_pipe(done.with_context(context))?;
            }
            Way::Replace => {
                let mut file = beside(&path).with_context(context)?;
                file.as_file_mut().write_all(bytes).with_context(context)?;
                file.persist(&path).with_context(context)?;
            }
        }
        Ok(path)
    }
}

fn copy(from: &Path, to: &mut impl Write) -> io::Result<()> {
    io::copy(&mut File::open(from)?, to)?;
    to.flush()
}

fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new(".")).to_path_buf()
}

/// A temporary file in the folder of `path`.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // The umask takes its part off, as with any file a program creates.
    builder.prefix(".heapsmith-").permissions(Permissions::from_mode(0o666));
    builder.tempfile_in(folder_of(path))
}

#[cfg(test)]
mod tests {
    //! The folder of the results, before and after they are written.
    use super::*;

    #[test]
    fn nothing_lies_beside_the_results_until_they_are_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.json");
        let names = || -> Vec<_> {
            let entries = folder.path().read_dir().expect("a folder").flatten();
            entries.map(|entry| entry.file_name()).collect()
        };
        let file = OutFile::prepare(&path).expect("writable");
        assert!(names().is_empty(), "{:?}", names());
        file.write("text").expect("written");
        assert_eq!(names(), ["out.json"]);
        assert!(OutFile::prepare(&folder.path().join("none/out.json")).is_err());
    }
}
