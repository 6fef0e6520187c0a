//! Where the debug information of a file is: in itself, or in a file of its own, as distributions
//! install it. GDB's manual ("Debugging Information in Separate Files") describes the places.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};

use crate::regular::{self, Mapped};

const SYSTEM: &str = "/usr/lib/debug";

/// The file that has the debug information of `file`, whose contents are `object`.
pub fn with_debug_information(file: &Path, object: &object::File) -> PathBuf {
    let has_own = object.section_by_name(".debug_info").is_some_and(|it| it.size() != 0);
    let separate = || by_build_id(object).or_else(|| by_link(file, object));
    if has_own { None } else { separate() }.unwrap_or_else(|| file.to_path_buf())
}

/// The file whose parts `debug`, the contents of a file with debug information, shares with others.
pub fn supplement(file: &Path, debug: &object::File) -> Option<PathBuf> {
    let (name, _) = debug.gnu_debugaltlink().ok()??;
    let name = Path::new(OsStr::from_bytes(name));
    let path = file.parent()?.join(name); // an absolute name stays as it is
    path.is_file().then_some(path)
}

/// Whether the package of debug information beside `file`, if there is one, can be opened.
pub fn is_package_regular(file: &Path) -> bool {
    let mut package = file.as_os_str().to_owned();
    package.push(".dwp");
    let package = Path::new(&package);
    !package.exists() || regular::open(package).is_ok()
}

fn by_build_id(object: &object::File) -> Option<PathBuf> {
    let id = object.build_id().ok()??;
    let (first, rest) = id.split_first()?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = PathBuf::from(format!("{SYSTEM}/.build-id/{first:02x}/{rest}.debug"));
    path.is_file().then_some(path)
}

fn by_link(file: &Path, object: &object::File) -> Option<PathBuf> {
    let (name, checksum) = object.gnu_debuglink().ok()??;
    let name = OsStr::from_bytes(name);
    let file = file.canonicalize().ok()?;
    let folder = file.parent()?;
    let system = Path::new(SYSTEM).join(folder.strip_prefix("/").ok()?);
    let places = [folder.join(name), folder.join(".debug").join(name), system.join(name)];
    // Another version of the file would give wrong lines.
    let is_it = |path: &PathBuf| {
        Mapped::open(path).is_ok_and(|it| {
            it.may_have(it.bytes.len() as u64) && crc32fast::hash(&it.bytes) == checksum
        })
    };
    places.into_iter().find(|path| *path != file && is_it(path))
}
