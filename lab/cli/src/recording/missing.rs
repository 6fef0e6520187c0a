//! Processes of a recording that have no trace: their names and reasons. And processes that still
//! run when the program has ended.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::mem::MaybeUninit;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heapsmith_measure::proc::text_of;
use heapsmith_trace::family::Family;
use heapsmith_trace::packed::Unrecorded;
use heapsmith_trace::raw::{Header, IS_PACKED_AT, Why};

use crate::recording::loader::{self, Loader};
use crate::recording::raw_folder;

/// More of them are counted.
const MOST_NAMED: usize = 10;

/// The processes that the headers know of, and that have no file. `command` is the program that this
/// process has started itself, if it did.
pub fn unrecorded(family: &Family, command: Option<&OsStr>) -> Vec<Unrecorded> {
    let headers: Vec<&Header> = family.headers().collect();
    let has_file = |pid: u32, after: u64| {
        headers.iter().any(|header| header.pid == pid && header.first.0 >= after)
    };
    let mut found = Vec::new();
    let has_begun = headers.iter().any(|header| header.parent_pid == std::process::id());
    if let Some(program) = command {
        // It may become another program, which has a file.
        let is_static = loader::of(program) == Loader::None;
        if is_static || !has_begun {
            let why = if is_static { Why::Static } else { Why::Unknown }.describe();
            let program = program.to_string_lossy().into_owned();
            found.push(Unrecorded { pid: 0, program, why });
        }
    }
    for note in headers.iter().flat_map(|header| &header.notes) {
        let has_none = note.why.is_certain() || note.pid != 0 && !has_file(note.pid, note.tick);
        if has_none {
            let (pid, program, why) = (note.pid, note.program.clone(), note.why.describe());
            found.push(Unrecorded { pid, program, why });
        }
    }
    found
}

/// A line for each, up to a bound.
pub fn lines(found: &[Unrecorded]) -> Vec<String> {
    let mut lines: Vec<String> = found.iter().take(MOST_NAMED).map(|it| it.describe()).collect();
    if found.len() > MOST_NAMED {
        lines.push(format!("{} more processes were not recorded", found.len() - MOST_NAMED));
    }
    lines
}

/// Names the processes whose raw files cannot be read, with that reason alone.
pub fn add_unread(family: &mut Family) {
    for (path, error) in &family.unread {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(pid) = name.split('.').next().and_then(|text| text.parse().ok()) else { continue };
        if raw_folder::is_blank(path) {
            continue;
        }
        let named = family.unrecorded.iter().position(|it| it.pid == pid);
        let program = named.map(|at| family.unrecorded.remove(at).program).unwrap_or_default();
        let why = format!("its raw file cannot be read: {error}");
        family.unrecorded.push(Unrecorded { pid, program, why });
    }
}

/// A process that has files of a recording mapped.
pub struct Running {
    pub pid: u32,
    pub name: String,
}

/// The processes that still record into the folder.
pub fn running(raw: &Path) -> Vec<Running> {
    let mapped: Vec<(u32, String)> = processes().map(|pid| (pid, mapped_by(pid))).collect();
    // Listed last: a process may make its file meanwhile.
    let files: BTreeMap<u64, OsString> = files(raw).collect();
    let records = |maps: &str| maps.lines().any(|line| is_of(line, &files));
    let running = mapped.into_iter().filter(|(_, maps)| records(maps));
    running.map(|(pid, _)| Running { pid, name: name_of(pid) }).collect()
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let all = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    all.filter(|&pid| pid != std::process::id())
}

fn name_of(pid: u32) -> String {
    text_of(format!("/proc/{pid}/comm")).unwrap_or_default().trim_end().to_string()
}

/// The lines about files that have names as the recorder gives them.
fn mapped_by(pid: u32) -> String {
    let maps = fs::read(format!("/proc/{pid}/maps")).unwrap_or_default();
    let lines = maps.split_inclusive(|&byte| byte == b'\n');
    let named = lines.filter(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        ENDS.iter().any(|end| line.ends_with(end.as_bytes()))
    });
    String::from_utf8_lossy(&named.flatten().copied().collect::<Vec<u8>>()).into_owned()
}

const ENDS: [&str; 2] = [".raw", ".pool"];

/// Inodes and names of the files that processes map.
fn files(raw: &Path) -> impl Iterator<Item = (u64, OsString)> {
    let entries = fs::read_dir(raw).into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let name = entry.file_name();
        let is_mapped = ENDS.iter().any(|end| name.as_encoded_bytes().ends_with(end.as_bytes()));
        is_mapped.then_some((entry.metadata().ok()?.ino(), name))
    })
}

/// A line of maps ends with the inode and the path, which another root may have cut off.
fn is_of(line: &str, files: &BTreeMap<u64, OsString>) -> bool {
    let mut words = line.splitn(6, ' ').skip(4);
    let inode = words.next().and_then(|word| word.parse().ok());
    let name = inode.and_then(|inode: u64| files.get(&inode)).and_then(|name| name.to_str());
    name.zip(words.next()).is_some_and(|(name, path)| path.trim_end().ends_with(name))
}

/// Waits until no process records into the folder, or until a signal asks this process to end.
pub fn wait(raw: &Path) {
    const PAUSE: Duration = Duration::from_millis(50);
    // A process that becomes another program has nothing mapped for a moment.
    const ENOUGH_LOOKS: u32 = 4;
    let asked = Arc::new(AtomicBool::new(false));
    for signal in ENDING {
        signal_hook::flag::register(signal, Arc::clone(&asked)).ok();
    }
    let mut looks_without = 0;
    while looks_without < ENOUGH_LOOKS {
        // A signal that is blocked waits.
        if asked.load(Ordering::Relaxed) || is_pending() {
            return;
        }
        std::thread::sleep(PAUSE);
        looks_without = if running(raw).is_empty() { looks_without + 1 } else { 0 };
    }
}

const ENDING: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

fn is_pending() -> bool {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: sigpending fills the set, which sigismember then reads.
    unsafe {
        libc::sigpending(set.as_mut_ptr());
        ENDING.iter().any(|&signal| libc::sigismember(set.as_ptr(), signal) == 1)
    }
}

/// Names the processes that outlive the program. Their traces end here.
pub fn tell_running(raw: &Path) {
    for Running { pid, name } in running(raw) {
        eprintln!(
            "heapsmith: process {pid} ({name}) still runs: its trace ends here; record --wait waits \
             for it"
        );
    }
}

/// Says what ended a program that a filter of system calls has ended.
pub fn tell_filter(status: ExitStatus) {
    if status.signal() == Some(libc::SIGSYS) {
        eprintln!(
            "heapsmith: a filter of system calls ended the program by SIGSYS. If this happens only \
             under heapsmith, the filter refuses a call that the recorder makes when a program \
             begins: docs/recording.md lists these calls"
        );
    }
}

/// Has processes that still record end that: nobody reads what comes later.
pub fn mark_packed(raw: &Path) {
    for file in raw_folder::open_to_write(raw) {
        file.write_all_at(&1u32.to_le_bytes(), IS_PACKED_AT as u64).ok();
    }
}

#[cfg(test)]
mod tests {
    //! Lines of /proc/PID/maps, and of a long list.
    use super::*;

    #[test]
    fn a_mapped_file_is_known_by_its_inode_and_name() {
        let files = BTreeMap::from([(42, OsString::from("7.0.raw"))]);
        let line = "7f00-7f10 rw-s 00010000 fe:00 42                         /a b/7.0.raw";
        assert!(is_of(line, &files));
        assert!(!is_of(&line.replace("42", "43"), &files));
        assert!(!is_of(&line.replace("7.0.raw", "8.0.raw"), &files));
        assert!(!is_of("7f00-7f10 rw-p 00000000 00:00 0 ", &files));
    }

    #[test]
    fn many_are_counted() {
        let one =
            Unrecorded { pid: 7, program: "./a".into(), why: "it is linked statically".into() };
        let all = vec![one; 12];
        let lines = lines(&all);
        assert_eq!(lines.len(), 11);
        assert_eq!(lines[0], "process 7 (./a) was not recorded: it is linked statically");
        assert_eq!(lines[10], "2 more processes were not recorded");
    }
}
