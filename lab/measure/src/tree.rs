//! The processes that the launcher has started, as /proc shows them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::proc::text_of;

/// Programs that start another program and do no work of their own.
const WRAPPERS: [&str; 27] = [
    "ash", "bash", "busybox", "chrt", "chroot", "csh", "dash", "doas", "env", "fish", "gosu",
    "ionice", "ksh", "mksh", "nice", "nohup", "numactl", "setpriv", "setsid", "sh", "stdbuf",
    "sudo", "taskset", "tcsh", "time", "timeout", "zsh",
];

/// Whether a program of this path only starts the program that the user means.
pub fn is_wrapper(program: &Path) -> bool {
    let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    WRAPPERS.contains(&name)
}

/// All descendants of `root`, parents before their children. `root` itself is not one of them.
pub fn descendants(root: i32) -> Vec<i32> {
    match listed_children(root) {
        Some(children) => walk(children, |pid| listed_children(pid).unwrap_or_default()),
        None => {
            let mut by_parent = children_by_parent();
            let children = by_parent.remove(&root).unwrap_or_default();
            walk(children, |pid| by_parent.remove(&pid).unwrap_or_default())
        }
    }
}

fn walk(mut found: Vec<i32>, mut children_of: impl FnMut(i32) -> Vec<i32>) -> Vec<i32> {
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        found.extend(children_of(pid));
        next += 1;
    }
    found
}

/// The children of all threads of `pid`; none if the kernel does not list them.
fn listed_children(pid: i32) -> Option<Vec<i32>> {
    let mut children = Vec::new();
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        match fs::read_to_string(thread.path().join("children")) {
            Ok(text) => children.extend(text.split_whitespace().filter_map(parse)),
            // The thread may have ended. Without the kernel's option, no thread has the file.
            Err(_) if thread.path().join("stat").exists() => return None,
            Err(_) => {}
        }
    }
    Some(children)
}

fn parse(word: &str) -> Option<i32> {
    word.parse().ok()
}

fn children_by_parent() -> BTreeMap<i32, Vec<i32>> {
    let mut by_parent: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(parse) else { continue };
        if let Some(parent) = stat(pid).and_then(|fields| parse(fields.get(1)?)) {
            by_parent.entry(parent).or_default().push(pid);
        }
    }
    by_parent
}

/// The fields of /proc/PID/stat after the name: the state is first.
fn stat(pid: i32) -> Option<Vec<String>> {
    let text = text_of(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_string).collect())
}

/// The CPU time of a process, in the kernel's ticks.
pub fn cpu_ticks(pid: i32) -> Option<u64> {
    let fields = stat(pid)?;
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

pub fn program(pid: i32) -> Option<PathBuf> {
    let path = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    let text = path.to_str().and_then(|text| text.strip_suffix(" (deleted)"));
    Some(text.map_or_else(|| path.clone(), PathBuf::from))
}

/// The topmost processes below wrappers that are not wrappers themselves. Empty if the children of
/// `root` are not wrappers, or have started only wrappers.
pub fn programs_below_wrappers(root: i32) -> Vec<i32> {
    let wraps = |pid: i32| program(pid).is_some_and(|path| is_wrapper(&path));
    let mut found = Vec::new();
    let mut wrappers: Vec<i32> = children(root).into_iter().filter(|pid| wraps(*pid)).collect();
    while let Some(wrapper) = wrappers.pop() {
        for pid in children(wrapper) {
            if wraps(pid) { &mut wrappers } else { &mut found }.push(pid);
        }
    }
    found
}

fn children(pid: i32) -> Vec<i32> {
    listed_children(pid).unwrap_or_else(|| children_by_parent().remove(&pid).unwrap_or_default())
}

/// Sends `signal` to `pid` if that is a descendant of `root`. Returns whether it was sent.
pub fn signal_descendant(root: i32, pid: i32, signal: i32) -> bool {
    let (Some(id), Some(signal)) = (Pid::from_raw(pid), Signal::from_named_raw(signal)) else {
        return false;
    };
    // The descriptor keeps the process apart from a later one of the same id.
    let Ok(process) = pidfd_open(id, PidfdFlags::empty()) else { return false };
    descendants(root).contains(&pid) && pidfd_send_signal(process, signal).is_ok()
}

#[cfg(test)]
mod tests {
    //! The tree of a process that this test starts.
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn descendants_are_found_through_shells() {
        let script = "sleep 60 & sleep 60 & wait";
        let mut command = Command::new("sh");
        let mut shell = command.args(["-c", script]).stdin(Stdio::null()).spawn().expect("sh runs");
        let root = shell.id() as i32;
        let sleeps = || {
            let all = descendants(root);
            all.iter()
                .filter(|pid| program(**pid).is_some_and(|path| path.ends_with("sleep")))
                .copied()
                .collect::<Vec<_>>()
        };
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while sleeps().len() < 2 {
            assert!(std::time::Instant::now() < deadline, "the children do not show");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let by_scan = children_by_parent().remove(&root).unwrap_or_default();
        assert_eq!((by_scan.len(), descendants(root).len()), (2, 2));
        for pid in sleeps() {
            // SAFETY: the processes are children of the shell, which has not reaped them.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
        shell.wait().expect("it ends");
    }

    #[test]
    fn shells_and_env_are_wrappers() {
        assert!(is_wrapper(Path::new("/bin/dash")) && is_wrapper(Path::new("env")));
        assert!(!is_wrapper(Path::new("/usr/bin/redis-server")));
    }
}
