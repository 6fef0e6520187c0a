//! Raw files become traces. The raw ones are removed when the traces are safe, and no other files.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use heapsmith_measure::error::{Stop, environment, usage};
use heapsmith_measure::outfile::{OutFile, is_special};
use heapsmith_measure::program::quote;
use heapsmith_trace::error::Error;
use heapsmith_trace::family::{Family, MOST_INHERITED};
use heapsmith_trace::packed::is_trace;
use heapsmith_trace::raw::split;
use tempfile::TempDir;

use crate::recording::sums::Sums;
use crate::recording::writing::{Writing, require_absent, with_suffix};
use crate::recording::{missing, raw_folder, wait};

/// A trace that is written, but not in its place.
struct Part {
    /// Whether it is the process that was asked for, then its bytes, then its events.
    rank: (bool, u64, u64),
    raw: PathBuf,
    path: PathBuf,
}

/// More files are synchronised at once, with all others of their file system.
const MOST_SYNCED: usize = 32;

/// The folder of traces that are being written.
static DRAFT: Mutex<Option<TempDir>> = Mutex::new(None);

fn draft() -> MutexGuard<'static, Option<TempDir>> {
    DRAFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on, a signal that ends the command leaves no half of a trace.
pub fn end_without_halves() {
    wait::clean_before_end(|| {
        let mut draft = draft();
        let folder = draft.take().map(TempDir::keep);
        // Under another name, it gets no more files.
        let moved = folder.map(|at| (with_suffix(&at, "-gone"), at));
        if let Some((gone, _)) = moved.filter(|(gone, at)| fs::rename(at, gone).is_ok()) {
            for entry in fs::read_dir(&gone).into_iter().flatten().flatten() {
                fs::remove_file(entry.path()).ok();
            }
            fs::remove_dir(gone).ok();
        }
        std::mem::forget(draft); // no other folder is made
    });
}

/// Shows that a trace can be written, and is not there yet.
pub fn prepare(trace: &Path, may_replace: bool) -> Result<OutFile> {
    let is_special = trace == Path::new("-") || is_special(trace);
    if !is_special {
        require_absent(trace, may_replace)?;
        let others = with_suffix(trace, ".others");
        if others.symlink_metadata().is_ok() && !others.is_dir() {
            let others = others.display();
            return Err(usage(format!("{others} is no folder: name another trace with -o")));
        }
    }
    let out = OutFile::prepare(trace)?;
    // SAFETY: isatty looks at a descriptor and changes nothing.
    if out.is_stdout() && unsafe { libc::isatty(1) } == 1 {
        return Err(usage("a trace is no text for a terminal: redirect stdout, or name a file"));
    }
    Ok(out)
}

/// Packs each raw file of the folder: the process that allocated most into `out`, or the process
/// `named` if there is one; the others into a folder beside it. Raw files that were packed are
/// removed afterwards, and the folder if it is then empty.
pub fn pack_all(raw: &Path, out: OutFile, writing: Writing, named: Option<u32>) -> Result<()> {
    missing::mark_packed(raw);
    split(raw).map_err(|error| kept(raw, error.into()))?;
    let files = raw_folder::files(raw)?;
    if files.is_empty() {
        return Err(environment(
            "nothing was recorded: a program that is linked statically, or changes its user when \
             it starts (setuid), does not load the recorder",
        ));
    }
    if !out.is_stream() {
        raw_folder::require_elsewhere(out.path(), &files)?;
    }
    let packed = pack_files(raw, files, out, writing, named);
    drop(draft().take());
    packed.map_err(|error| if error.is::<Stop>() { error } else { kept(raw, error) })
}

/// Of a place that lacks room, for instance.
fn kept(raw: &Path, error: anyhow::Error) -> anyhow::Error {
    let again = quote(&["heapsmith".into(), "pack".into(), raw.into()]);
    environment(format!(
        "{error:#}; the recording is kept: `{again} -o FILE` packs it, also onto another disk"
    ))
}

fn pack_files(
    raw: &Path,
    files: Vec<PathBuf>,
    out: OutFile,
    writing: Writing,
    named: Option<u32>,
) -> Result<()> {
    let beside = {
        let mut draft = draft();
        draft.insert(out.folder_beside()?).path().to_path_buf()
    };
    let mut family = Family::of(files, MOST_INHERITED);
    family.times = writing.times;
    family.unrecorded = missing::unrecorded(&family, writing.command);
    missing::add_unread(&mut family);
    let mut sums = Sums::default();
    sums.unrecorded = missing::lines(&family.unrecorded);
    let mut parts = Vec::new();
    for member in 0..family.len() {
        let name = family.path(member).with_extension("trace");
        let path = beside.join(name.file_name().unwrap_or_default());
        match family.pack(member, &path, writing.anonymously) {
            Ok(packed) => {
                sums.add(&packed);
                let raw = family.path(member).to_path_buf();
                let is_named = named.is_some_and(|pid| is_of_process(&raw, pid));
                let rank = (is_named, packed.allocated_bytes, packed.tables.meta.events);
                parts.push(Part { rank, raw, path });
            }
            Err(Error::Io { path: at, source }) if at == path => {
                return Err(source).with_context(|| out.path().display().to_string());
            }
            Err(error) => {
                fs::remove_file(&path).ok();
                family.unread.push((family.path(member).to_path_buf(), error));
            }
        }
    }
    family.unread.retain(|(path, _)| !raw_folder::is_blank(path));
    let unread: Vec<String> = family.unread.iter().map(|(_, error)| error.to_string()).collect();
    if parts.is_empty() {
        let none = || "no program lived until its first event".to_string();
        return Err(environment(unread.into_iter().next().unwrap_or_else(none)));
    }
    // A shell makes more calls than some programs that it starts.
    parts.sort_by_key(|part| std::cmp::Reverse(part.rank));
    sums.shown = parts.first().map_or(0, |part| part.rank.2);
    let trace = out.path().to_path_buf();
    let mut draft = draft(); // a signal waits until all is in its place
    place(&parts, out, writing.may_replace)?;
    drop(draft.take());
    let packed: Vec<PathBuf> = parts.into_iter().map(|part| part.raw).collect();
    let stays = raw_folder::remove_packed(raw, &packed);
    sums.tell(&trace, writing.quietly);
    for line in unread.into_iter().map(|line| format!("left out: {line}")).chain(stays) {
        eprintln!("heapsmith: {line}");
    }
    Ok(())
}

/// Raw files have the names PID.N.raw.
fn is_of_process(raw: &Path, pid: u32) -> bool {
    let name = raw.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().and_then(|text| text.parse().ok()) == Some(pid)
}

/// Puts the first trace in its place, and the others into a folder beside it.
fn place(parts: &[Part], out: OutFile, may_replace: bool) -> Result<()> {
    let Some((first, others)) = parts.split_first() else { return Ok(()) };
    if out.is_stream() {
        if !others.is_empty() {
            let (n, path) = (others.len(), out.path().display());
            eprintln!("heapsmith: {path} has room for one trace, and {n} more are lost: -o FILE");
        }
        out.put(&first.path)?;
        return Ok(());
    }
    require_absent(out.path(), may_replace)?;
    let folder = with_suffix(out.path(), ".others");
    let old = if may_replace { own_traces(&folder) } else { Vec::new() };
    let placed = if others.is_empty() { Vec::new() } else { place_others(others, &folder, &old)? };
    out.put(&first.path)?;
    for path in old.iter().filter(|path| !placed.contains(path)) {
        fs::remove_file(path).ok();
    }
    if others.is_empty() && !old.is_empty() {
        fs::remove_dir(&folder).ok(); // files of others keep it
    }
    Ok(())
}

/// Returns: where the traces are. Those in `old` are replaced, and no other files.
fn place_others(parts: &[Part], folder: &Path, old: &[PathBuf]) -> Result<Vec<PathBuf>> {
    sync(parts)?;
    if !folder.is_dir() {
        raw_folder::create_own(folder).with_context(|| folder.display().to_string())?;
    }
    let mut placed = Vec::new();
    for part in parts {
        let name = part.path.file_name().unwrap_or_default();
        let mut to = folder.join(name);
        let is_taken = |to: &PathBuf| {
            to.symlink_metadata().is_ok() && !old.contains(to) || placed.contains(to)
        };
        for n in 2.. {
            if !is_taken(&to) {
                break;
            }
            to = folder.join(name).with_extension(format!("{n}.trace"));
        }
        fs::rename(&part.path, &to).with_context(|| to.display().to_string())?;
        placed.push(to);
    }
    Ok(placed)
}

fn sync(parts: &[Part]) -> Result<()> {
    let open = |part: &Part| File::open(&part.path);
    let synced = match parts {
        [first, ..] if parts.len() > MOST_SYNCED => {
            open(first).and_then(|file| rustix::fs::syncfs(file).map_err(io::Error::from))
        }
        few => few.iter().try_for_each(|part| open(part)?.sync_all()),
    };
    synced.context("the traces of other processes")
}

/// The traces of an earlier recording: files PID.N.trace that heapsmith has packed.
fn own_traces(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_own = |path: &PathBuf| {
        raw_folder::is_numbered(path, ".trace")
            && raw_folder::first_bytes(path, 8).is_some_and(|first| is_trace(&first))
    };
    paths.filter(is_own).collect()
}
