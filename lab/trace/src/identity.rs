//! Which file a module was: the one that was recorded, or another one that has its name by now.

use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};
use rustc_hash::FxHashMap;

use crate::packed::Module;
use crate::regular::{Mapped, Stamp};

/// Larger files have no sum: to read them would take longer than the program did.
const MOST_SUMMED: usize = 64 << 20;

/// Why a module has no names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nameless {
    Missing,
    /// Its file lost the name while it was mapped.
    Replaced,
    /// Code that a program made, or a device.
    NoFile,
    Unreadable(ErrorKind),
    NotElf,
    Changed,
    /// It has no names of its own functions. With its build id, or "".
    Stripped(String),
}

impl Nameless {
    fn of(path: &Path, error: ErrorKind) -> Self {
        let name = path.as_os_str().as_bytes();
        match error {
            ErrorKind::NotFound if name.starts_with(b"/memfd:") => Self::NoFile,
            ErrorKind::NotFound if name.ends_with(b" (deleted)") => Self::Replaced,
            ErrorKind::NotFound | ErrorKind::NotADirectory => Self::Missing,
            ErrorKind::InvalidInput => Self::NoFile,
            error => Self::Unreadable(error),
        }
    }

    /// Whether the file was another one before.
    pub fn is_lost(&self) -> bool {
        matches!(self, Self::Missing | Self::Replaced | Self::Changed)
    }

    /// "names are missing for /bin/app: the file is not there any more".
    pub fn describe(&self, module: &Module) -> String {
        let why = match self {
            Self::Missing => "the file is not there any more".to_string(),
            Self::Replaced => "the file was replaced or removed while the program ran".to_string(),
            Self::NoFile => "the code comes from no file".to_string(),
            Self::Unreadable(error) => format!("the file cannot be read: {error}"),
            Self::NotElf => "it is no ELF file".to_string(),
            Self::Changed => "the file has changed since it was recorded; it may have been built \
                              again"
                .to_string(),
            Self::Stripped(id) if id.is_empty() => {
                "it is stripped, and has no build id to find debug information by".to_string()
            }
            Self::Stripped(id) => format!(
                "it is stripped; a package of debug symbols may have them, or `debuginfod-find \
                 debuginfo {id}`"
            ),
        };
        format!("names are missing for {}: {why}", module.shown())
    }
}

/// The parts of a file, none of which is larger than the file can be.
pub fn parse(mapped: &Mapped) -> Option<object::File<'_>> {
    let object = object::File::parse(&*mapped.bytes).ok()?;
    let parts = object.sections().filter_map(|it| it.file_range());
    let bytes = parts.fold(0u64, |sum, (_, bytes)| sum.saturating_add(bytes));
    mapped.may_have(bytes).then_some(object)
}

/// The build id in hexadecimal, or "".
pub fn build_id_of(object: &object::File) -> String {
    let id = object.build_id().ok().flatten().unwrap_or_default();
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn sum_of(mapped: &Mapped) -> Option<u32> {
    (mapped.bytes.len() <= MOST_SUMMED).then(|| crc32fast::hash(&mapped.bytes))
}

/// Opens the file of a module. Errors: it is not the one that was recorded.
pub fn open(module: &Module) -> Result<Mapped, Nameless> {
    let path = module.path();
    let mapped = Mapped::open(path).map_err(|error| Nameless::of(path, error.kind()))?;
    let object = parse(&mapped).ok_or(Nameless::NotElf)?;
    let is_it = match (module.build_id.as_str(), module.stamp) {
        ("", Some(then)) => {
            let has_its_bytes = || module.sum.is_some() && module.sum == sum_of(&mapped);
            then == mapped.stamp || then.bytes == mapped.stamp.bytes && has_its_bytes()
        }
        // Without a stamp, in an older trace, the build id is all there is.
        (id, _) => id == build_id_of(&object),
    };
    drop(object);
    if is_it { Ok(mapped) } else { Err(Nameless::Changed) }
}

/// The files of a recording. Each is opened once for all processes.
#[derive(Default)]
pub struct Files {
    known: FxHashMap<PathBuf, Result<(Stamp, Module), Nameless>>,
}

impl Files {
    /// How many were opened, or could not be.
    pub fn opened(&self) -> usize {
        self.known.len()
    }

    /// The module of a file, which had this stamp when it was mapped, if that is known; and why it
    /// has no names, as far as that shows without a look for them.
    pub fn module(&mut self, path: &Path, then: Option<Stamp>) -> (Module, Option<Nameless>) {
        if !self.known.contains_key(path) {
            self.known.insert(path.to_path_buf(), look(path));
        }
        let stamped = |stamp| Module { stamp: Some(stamp), ..Module::of(path, String::new()) };
        match &self.known[path] {
            Ok((now, _)) if then.is_some_and(|then| then != *now) => {
                (stamped(then.unwrap_or_default()), Some(Nameless::Changed))
            }
            Ok((_, module)) => (module.clone(), None),
            // A later file of that name shall give no names.
            Err(lack) => (stamped(then.unwrap_or_default()), Some(lack.clone())),
        }
    }
}

/// A file as it is now.
fn look(path: &Path) -> Result<(Stamp, Module), Nameless> {
    let mapped = Mapped::open(path).map_err(|error| Nameless::of(path, error.kind()))?;
    let object = parse(&mapped).ok_or(Nameless::NotElf)?;
    let module = match build_id_of(&object) {
        id if !id.is_empty() => Module::of(path, id),
        none => {
            let (stamp, sum) = (Some(mapped.stamp), sum_of(&mapped));
            Module { stamp, sum, ..Module::of(path, none) }
        }
    };
    Ok((mapped.stamp, module))
}
