//! Where the debug information of a file is: in itself, or in a file of its own, as distributions
//! install it, or as debuginfod's client fetched it. GDB's manual ("Debugging Information in Separate
//! Files") describes the places.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSection};

use crate::identity::build_id_of;
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
    let id = build_id_of(object);
    let (first, rest) = id.split_at_checked(2)?;
    let installed = PathBuf::from(format!("{SYSTEM}/.build-id/{first}/{rest}.debug"));
    let fetched = fetched().map(|it| it.join(&id).join("debuginfo"));
    // The client keeps an empty file for what no server has.
    let is_there = |path: &PathBuf| path.metadata().is_ok_and(|it| it.is_file() && it.len() != 0);
    [Some(installed), fetched].into_iter().flatten().find(is_there)
}

/// Where debuginfod's client keeps files. Its manual names the variables.
fn fetched() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    let caches = || of("XDG_CACHE_HOME").or_else(|| Some(of("HOME")?.join(".cache")));
    of("DEBUGINFOD_CACHE_PATH").or_else(|| Some(caches()?.join("debuginfod_client")))
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
