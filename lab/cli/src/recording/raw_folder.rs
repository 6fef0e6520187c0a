//! The folder that the recorder writes into. A user can name it, so files of others stay in it.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use heapsmith_measure::error::usage;
use heapsmith_measure::outfile::OutFile;
use heapsmith_measure::program::quote;
use heapsmith_trace::packed::is_trace;
use heapsmith_trace::raw::{BLOCK, MAGIC, POOL_NAME, VERSION, is_pool};

use crate::recording::writing::with_suffix;

/// Makes the folder beside the trace. That of a stream is among the temporary files. With
/// `may_replace`, an interrupted recording is removed first.
///
/// Errors: something else lies there; then nothing is removed.
pub fn make(out: &OutFile, may_replace: bool) -> Result<PathBuf> {
    if out.is_stream() {
        let mut builder = tempfile::Builder::new();
        let made = builder.prefix("heapsmith-").suffix(".raw").tempdir();
        return Ok(made.context("a temporary folder")?.keep());
    }
    let raw = with_suffix(out.path(), ".raw");
    if raw.symlink_metadata().is_ok() {
        if !may_replace {
            let path = raw.display();
            let mend = format!("pack it with `heapsmith pack {path}`, or replace it with -f");
            return Err(usage(format!("{path} exists, of an interrupted recording: {mend}")));
        }
        clear(&raw)?;
    }
    create_own(&raw).map_err(|error| usage(format!("{}: {error}", raw.display())))?;
    Ok(raw)
}

/// Makes a folder that its owner alone can look into, as the files in it.
pub fn create_own(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().mode(0o700).create(folder)
}

/// Removes the folder of a recording that nobody wants.
fn clear(raw: &Path) -> Result<()> {
    let refuse = |what: String| {
        let path = raw.display();
        usage(format!("{path} {what}, so it is not replaced: name another trace with -o"))
    };
    if !raw.symlink_metadata().is_ok_and(|it| it.is_dir()) {
        return Err(refuse("is not a folder of a recording".to_string()));
    }
    let all = entries(raw)?;
    let own = own(&all);
    if let Some(other) = all.iter().find(|path| !own.contains(*path)) {
        let name = other.file_name().unwrap_or_default();
        return Err(refuse(format!("has a file that no recorder made, {name:?}")));
    }
    for path in &own {
        fs::remove_file(path).with_context(|| path.display().to_string())?;
    }
    fs::remove_dir(raw).with_context(|| raw.display().to_string())
}

/// Removes the folder of a recording that has not begun, and files that the recorder has made.
pub fn discard(raw: &Path) {
    for path in own(&entries(raw).unwrap_or_default()) {
        fs::remove_file(path).ok();
    }
    fs::remove_dir(raw).ok();
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let context = || folder.display().to_string();
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).with_context(context)? {
        paths.push(entry.with_context(context)?.path());
    }
    paths.sort();
    Ok(paths)
}

/// The files that could be raw ones, in order.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all = entries(folder)?;
    all.retain(|path| path.extension().is_some_and(|end| end == "raw"));
    Ok(all)
}

/// The files that a recorder has made, or an older heapsmith that packed them.
fn own(all: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut own: BTreeSet<PathBuf> = all.iter().filter(|it| is_raw(it)).cloned().collect();
    let maps = own.iter().map(|raw| maps_of(raw)).filter(|it| is_regular(it));
    let lists = all.iter().filter(|it| is_numbered(it, ".raw.maps") && is_list(it));
    let parts = all.iter().filter(|it| is_numbered(it, ".part") && is_packed(it));
    let pools = all.iter().filter(|it| it.ends_with(POOL_NAME) && begins_as_pool(it));
    let more: Vec<PathBuf> = maps.chain(lists.chain(parts).chain(pools).cloned()).collect();
    own.extend(more);
    own
}

/// The list of modules of a raw file.
fn maps_of(raw: &Path) -> PathBuf {
    with_suffix(raw, ".maps")
}

/// Whether the name is PID.N with an end.
pub fn is_numbered(path: &Path, end: &str) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let numbers = name.strip_suffix(end).and_then(|stem| stem.split_once('.'));
    numbers.is_some_and(|(pid, n)| is_number(pid) && is_number(n))
}

fn is_regular(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|it| it.is_file())
}

/// Opens a regular file; no link is followed, and a pipe is not waited for.
fn open(path: &Path, options: &mut OpenOptions) -> Option<File> {
    let options = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path).ok()?;
    file.metadata().is_ok_and(|it| it.is_file()).then_some(file)
}

/// The beginning of a regular file.
pub fn first_bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path, OpenOptions::new().read(true))?.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn begins_as_pool(path: &Path) -> bool {
    first_bytes(path, 8).is_some_and(|first| is_pool(&first))
}

fn is_packed(path: &Path) -> bool {
    first_bytes(path, 8).is_some_and(|first| is_trace(&first))
}

/// Whether a recorder has made the list of modules. It can be there without its raw file: a killed
/// command removed that one, and the process, which was still recorded, wrote the list.
fn is_list(path: &Path) -> bool {
    first_bytes(path, 5).is_some_and(|first| b"tick ".starts_with(&first))
}

/// Whether a recorder has made the file.
pub fn is_raw(path: &Path) -> bool {
    is_numbered(path, ".raw") && (has_header(path) || is_blank(path))
}

fn has_header(path: &Path) -> bool {
    first_bytes(path, 8).is_some_and(|first| first.starts_with(MAGIC))
}

/// Whether a recorder began the file, but was killed before it wrote the first bytes, which come last.
pub fn is_blank(path: &Path) -> bool {
    let Some(all) = first_bytes(path, BLOCK as u64 + 1) else { return false };
    let word = |at: usize| all[at..at + 4].try_into().map_or(0, u32::from_le_bytes);
    let is_begun = all.len() == BLOCK
        && all.starts_with(&[0; 8])
        && [0, VERSION].contains(&word(8))
        && [0, BLOCK as u32].contains(&word(12));
    is_begun || all.len() <= BLOCK && all.iter().all(|&byte| byte == 0)
}

/// Opens the raw files for writing. Another user may own the folder: a name of a file that has
/// others is left out.
pub fn open_to_write(folder: &Path) -> Vec<File> {
    let open = |path: &PathBuf| {
        let file = open(path, OpenOptions::new().write(true))?;
        file.metadata().is_ok_and(|it| it.nlink() == 1).then_some(file)
    };
    let mut raws = files(folder).unwrap_or_default();
    raws.retain(|path| is_numbered(path, ".raw") && has_header(path));
    raws.iter().filter_map(open).collect()
}

/// Requires the folder of a recording, or nothing. Errors: a file, and what to name instead of it.
pub fn require_no_file(path: &Path) -> Result<()> {
    if path.metadata().map_or(true, |it| it.is_dir()) {
        return Ok(());
    }
    let shown = path.display();
    Err(usage(match first_bytes(path, 8).unwrap_or_default() {
        first if is_trace(&first) => {
            let info = quote(&["heapsmith".into(), "info".into(), path.into()]);
            format!("{shown} is a packed trace already: `{info}` sums it up")
        }
        first if first.starts_with(MAGIC) => {
            let folder = path.parent().filter(|it| *it != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            let pack = quote(&["heapsmith".into(), "pack".into(), folder.into()]);
            format!("{shown} is one file of a recording: pack its folder, `{pack} -o FILE`")
        }
        _ => format!("{shown} is not a folder: name that of a recording, such as app.trace.raw"),
    }))
}

/// Requires of a trace that it replaces none of the raw files that it is packed from.
pub fn require_elsewhere(trace: &Path, raws: &[PathBuf]) -> Result<()> {
    let id = |path: &Path| path.symlink_metadata().ok().map(|it| (it.dev(), it.ino()));
    let Some(own) = id(trace) else { return Ok(()) };
    let is_same = |raw: &PathBuf| id(raw) == Some(own) || id(&maps_of(raw)) == Some(own);
    if raws.iter().any(is_same) {
        let trace = trace.display();
        return Err(usage(format!("{trace} is a file of the recording: name another with -o")));
    }
    Ok(())
}

/// Removes raw files that were packed, and the folder if it is then empty. Returns: a line about
/// what stays.
pub fn remove_packed(folder: &Path, packed: &[PathBuf]) -> Option<String> {
    let blank = files(folder).unwrap_or_default().into_iter().filter(|it| is_blank(it));
    let blank = blank.filter(|it| is_numbered(it, ".raw"));
    let shown = folder.display();
    for raw in packed.iter().cloned().chain(blank) {
        fs::remove_file(maps_of(&raw)).ok();
        if let Err(error) = fs::remove_file(raw) {
            return Some(format!("{shown} stays, although it was packed: {error}"));
        }
    }
    if fs::remove_dir(folder).is_ok() {
        return None;
    }
    let left = entries(folder).unwrap_or_default();
    let first = left.first().and_then(|path| path.file_name()).unwrap_or_default();
    Some(match left.len() {
        0 => format!("{shown} stays; it is empty"),
        1 => format!("{shown} stays: it has a file that was not packed, {first:?}"),
        n => format!("{shown} stays: it has {n} files that were not packed, such as {first:?}"),
    })
}

#[cfg(test)]
mod tests {
    //! Files of a recorder, and files of others under similar names.
    use super::*;

    fn raw_bytes() -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.resize(BLOCK, 0);
        bytes
    }

    #[test]
    fn a_folder_with_a_file_of_others_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let trace = folder.path().join("photos");
        let raw = folder.path().join("photos.raw");
        let others: [(&str, &[u8]); 5] = [
            ("a.jpg", b"picture"),
            ("1.0.raw", b"a picture of a camera"),
            ("1.0.raw.maps", b"maps without a recording"),
            ("1.0.part", b"part of a download"),
            ("1.2.3.raw", MAGIC),
        ];
        for (name, bytes) in others {
            fs::create_dir(&raw).expect("a folder");
            fs::write(raw.join("7.0.raw"), raw_bytes()).expect("written");
            fs::write(raw.join(name), bytes).expect("written");
            let out = OutFile::prepare(&trace).expect("writable");
            let said = make(&out, true).expect_err("refused").to_string();
            assert!(said.contains(name), "{said}");
            assert_eq!(fs::read(raw.join(name)).expect("kept"), bytes);
            assert!(raw.join("7.0.raw").exists(), "nothing is removed");
            discard(&raw);
            assert_eq!(fs::read(raw.join(name)).expect("kept"), bytes);
            assert!(!raw.join("7.0.raw").exists());
            fs::remove_file(raw.join(name)).expect("removed");
            fs::remove_dir(&raw).expect("empty");
        }
        std::os::unix::fs::symlink("/", &raw).expect("a link");
        let out = OutFile::prepare(&trace).expect("writable");
        let said = make(&out, true).expect_err("refused").to_string();
        assert!(said.contains("is not a folder"), "{said}");
    }

    /// A header without the first bytes.
    fn begun() -> Vec<u8> {
        let mut bytes = vec![0; BLOCK];
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(BLOCK as u32).to_le_bytes());
        bytes[24..28].copy_from_slice(&[7; 4]);
        bytes
    }

    #[test]
    fn an_interrupted_recording_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let raw = folder.path().join("t.raw");
        fs::create_dir(&raw).expect("a folder");
        for (name, bytes) in [
            ("7.0.raw", raw_bytes()),
            ("7.0.raw.maps", b"5500-5600 r-xp".to_vec()),
            ("7.0.part", b"HSTRACE\n".to_vec()),
            ("6.0.raw.maps", b"tick 5\n5500-5600 r-xp".to_vec()),
            ("6.1.raw.maps", Vec::new()),
            ("8.0.raw", Vec::new()),
            ("9.1.raw", vec![0; BLOCK]),
            ("9.2.raw", begun()),
        ] {
            fs::write(raw.join(name), bytes).expect("written");
        }
        let out = OutFile::prepare(&folder.path().join("t")).expect("writable");
        assert!(make(&out, false).is_err());
        assert_eq!(make(&out, true).expect("made"), raw);
        assert_eq!(entries(&raw).expect("a folder"), Vec::<PathBuf>::new());
    }

    #[test]
    fn no_link_is_written_through() {
        let folder = tempfile::tempdir().expect("a folder");
        let (raw, victim) = (folder.path().join("t.raw"), folder.path().join("victim"));
        fs::create_dir(&raw).expect("a folder");
        fs::write(&victim, raw_bytes()).expect("written");
        std::os::unix::fs::symlink(&victim, raw.join("1.0.raw")).expect("a link");
        fs::hard_link(&victim, raw.join("2.0.raw")).expect("a link");
        assert!(open_to_write(&raw).is_empty());
        fs::write(raw.join("3.0.raw"), raw_bytes()).expect("written");
        assert_eq!(open_to_write(&raw).len(), 1);
    }
}
