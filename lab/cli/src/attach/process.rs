//! A running process, as the kernel describes it.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::error::{environment, usage};
use heapsmith_measure::proc::text_of;
use libc::{c_int, pid_t};

use super::system_calls::{Doing, parse};

/// A part of a process's memory.
#[derive(Clone, Debug)]
pub struct Part {
    pub from: u64,
    pub to: u64,
    pub is_code: bool,
    /// As the kernel wrote it; "" if it is no file.
    pub file: Vec<u8>,
}

/// A process, which may end or become another program at any time.
pub struct Process {
    pub id: pid_t,
    /// The name of the program, without its folders.
    pub name: String,
    /// The number that the process itself knows, which is another one in a container.
    pub id_inside: Option<u32>,
    begin: (u64, u64),
    /// A thread that had not ended when it was looked at last. The first thread may end before the
    /// others, and has no memory, files or program then.
    thread: Cell<pid_t>,
}

impl Process {
    pub fn find(id: u32) -> Result<Self> {
        let absent = || usage(format!("no process {id}"));
        let id = pid_t::try_from(id).map_err(|_| absent())?;
        let status = text_of(format!("/proc/{id}/status")).map_err(|_| absent())?;
        if field(&status, "Tgid").and_then(|text| text.parse().ok()) != Some(id) {
            return Err(usage(format!("{id} is a thread; name its process")));
        }
        let Some(thread) = living_thread(id, id) else {
            return Err(usage(format!("process {id} has ended")));
        };
        let state = field(&status, "State").unwrap_or_default();
        if state.starts_with('T') {
            let line = format!("process {id} is stopped: let it go on with `kill -CONT {id}`");
            return Err(environment(line));
        }
        if field(&status, "Seccomp") == Some("1") {
            return Err(environment(format!(
                "process {id} is in the strict mode of seccomp: to load the recorder would end it"
            )));
        }
        let name = name_of(id, thread, field(&status, "Name").unwrap_or_default());
        let inside = field(&status, "NSpid").and_then(|ids| ids.split_ascii_whitespace().last());
        let id_inside = inside.and_then(|text| text.parse().ok());
        let thread = Cell::new(thread);
        let process = Self { id, name, id_inside, begin: (0, 0), thread };
        let begin = process.read_begin().ok_or_else(absent)?;
        Ok(Self { begin, ..process })
    }

    pub fn file(&self, name: &str) -> PathBuf {
        if let Some(thread) = living_thread(self.id, self.thread.get()) {
            self.thread.set(thread);
        }
        PathBuf::from(format!("/proc/{}/task/{}/{name}", self.id, self.thread.get()))
    }

    /// When the process began, and where its stack does, which exec changes.
    fn read_begin(&self) -> Option<(u64, u64)> {
        let thread = living_thread(self.id, self.thread.get())?;
        self.thread.set(thread);
        let begin = stat_of(&format!("/proc/{}/stat", self.id))?.get(19)?.parse().ok()?;
        let stack = stat_of(&format!("/proc/{}/task/{thread}/stat", self.id))?;
        Some((begin, stack.get(25)?.parse().ok()?))
    }

    /// Returns: whether it is the same program still.
    pub fn is_there(&self) -> bool {
        self.read_begin() == Some(self.begin)
    }

    /// Returns: whether no thread is left, or the last one has lost its memory and so its stack.
    pub fn has_ended(&self) -> bool {
        let (begin, stack) = self.begin;
        self.read_begin().is_none_or(|now| stack != 0 && now == (begin, 0))
    }

    pub fn threads(&self) -> Vec<pid_t> {
        threads_of(self.id)
    }

    pub fn doing(&self, thread: pid_t) -> Doing {
        if !is_living(self.id, thread) {
            return Doing::Ended;
        }
        let path = format!("/proc/{}/task/{thread}/syscall", self.id);
        parse(&text_of(path).unwrap_or_default())
    }

    /// How often a thread has begun to run.
    pub fn turns_of(&self, thread: pid_t) -> Option<u64> {
        let path = format!("/proc/{}/task/{thread}/schedstat", self.id);
        text_of(path).ok()?.split_ascii_whitespace().nth(2)?.parse().ok()
    }

    /// How long a thread has run in the program, not in the kernel, in ticks of 10 ms.
    pub fn user_ticks_of(&self, thread: pid_t) -> Option<u64> {
        stat_of(&format!("/proc/{}/task/{thread}/stat", self.id))?.get(11)?.parse().ok()
    }

    pub fn maps(&self) -> Result<Vec<Part>> {
        let text = fs::read(self.file("maps")).map_err(|_| self.refusal())?;
        Ok(text.split(|&b| b == b'\n').filter_map(part_of).collect())
    }

    /// Reads memory of the process.
    pub fn read(&self, at: u64, bytes: &mut [u8]) -> std::io::Result<()> {
        fs::File::open(self.file("mem"))?.read_exact_at(bytes, at)
    }

    pub fn read_u64(&self, at: u64) -> std::io::Result<u64> {
        let mut bytes = [0; 8];
        self.read(at, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Writes memory of the process.
    pub fn write(&self, at: u64, bytes: &[u8]) -> std::io::Result<()> {
        fs::OpenOptions::new().write(true).open(self.file("mem"))?.write_all_at(bytes, at)
    }

    /// The user and the group that the process makes files as.
    pub fn owner(&self) -> Option<(u32, u32)> {
        let text = text_of(self.file("status")).ok()?;
        let last = |name| field(&text, name)?.split_ascii_whitespace().last()?.parse().ok();
        Some((last("Uid")?, last("Gid")?))
    }

    /// Fails unless a file of this process is the same file there.
    pub fn require_same_file(&self, path: &Path) -> Result<()> {
        let there = format!("{}{}", self.file("root").display(), path.display());
        let key = |found: fs::Metadata| (found.dev(), found.ino());
        let (here, there) = (fs::metadata(path).map(key), fs::metadata(there).map(key));
        if here.ok() != there.ok() {
            let (id, path) = (self.id, path.display());
            let root = fs::read_link(self.file("root")).ok().filter(|it| *it != Path::new("/"));
            let why = match root {
                Some(root) => format!("its root is {}", root.display()),
                None => "it runs in a container or has a root of its own".to_string(),
            };
            return Err(environment(format!(
                "process {id} does not see {path}: {why}; run heapsmith there"
            )));
        }
        Ok(())
    }

    /// Why the kernel does not let the process be traced.
    pub fn refusal(&self) -> anyhow::Error {
        let id = self.id;
        if self.has_ended() {
            return usage(format!("process {id} has ended"));
        }
        let text = text_of(self.file("status")).unwrap_or_default();
        if let Some(tracer) = field(&text, "TracerPid").filter(|&tracer| tracer != "0") {
            let line = format!("process {id} is traced by process {tracer}, such as a debugger");
            return environment(line);
        }
        let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
        let scope = match scope.trim() {
            "" | "0" => "",
            _ => " (kernel.yama.ptrace_scope allows no more)",
        };
        environment(format!(
            "not permitted to trace process {id}: run heapsmith as the same user or as root; in a \
             container with --cap-add SYS_PTRACE{scope}"
        ))
    }
}

/// The words of a file of the kernel such as /proc/PID/stat, from the state on.
fn stat_of(path: &str) -> Option<Vec<String>> {
    let text = text_of(path).ok()?;
    let (_, words) = text.rsplit_once(") ")?;
    Some(words.split_ascii_whitespace().map(str::to_string).collect())
}

fn is_living(process: pid_t, thread: pid_t) -> bool {
    let stat = stat_of(&format!("/proc/{process}/task/{thread}/stat"));
    stat.is_some_and(|words| !matches!(words[0].as_str(), "Z" | "X"))
}

/// A thread of the process that has not ended: `first`, or another.
fn living_thread(process: pid_t, first: pid_t) -> Option<pid_t> {
    if is_living(process, first) {
        return Some(first);
    }
    threads_of(process).into_iter().find(|&thread| is_living(process, thread))
}

fn threads_of(process: pid_t) -> Vec<pid_t> {
    let Ok(entries) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let id = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    entries.flatten().filter_map(id).collect()
}

/// The name of the program's file, unless the process goes by another: `short` is that, or its
/// first 15 bytes. One file may be several programs.
fn name_of(id: pid_t, thread: pid_t, short: &str) -> String {
    let exe = fs::read_link(format!("/proc/{id}/task/{thread}/exe")).unwrap_or_default();
    let file = exe.file_name().unwrap_or_default().to_string_lossy();
    let file = file.trim_end_matches(" (deleted)");
    if file.starts_with(short) { file.to_string() } else { short.to_string() }
}

/// The bit of a signal in the sets that the kernel shows.
fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// The signals that wait for a thread, and those that would do nothing: a thread that is traced is
/// woken by these, too.
fn signals(thread: pid_t) -> Option<(u64, u64)> {
    let text = text_of(format!("/proc/{thread}/status")).ok()?;
    let bits = |name| field(&text, name).and_then(|bits| u64::from_str_radix(bits, 16).ok());
    let bits = |name| bits(name).unwrap_or(0);
    let waiting = (bits("SigPnd") | bits("ShdPnd")) & !bits("SigBlk");
    let without_handler = [libc::SIGCHLD, libc::SIGURG, libc::SIGWINCH, libc::SIGCONT];
    let without_handler = without_handler.iter().fold(0, |set, &signal| set | bit(signal));
    Some((waiting, bits("SigIgn") | without_handler & !bits("SigCgt")))
}

/// Whether a signal waits that the thread does not block, and that does something.
pub fn has_signal(thread: pid_t) -> bool {
    signals(thread).is_none_or(|(waiting, ignored)| waiting & !ignored != 0)
}

pub fn has_waiting(thread: pid_t, signal: c_int) -> bool {
    signals(thread).is_some_and(|(waiting, _)| waiting & bit(signal) != 0)
}

/// Whether the thread would not notice the signal if it were not traced.
pub fn ignores(thread: pid_t, signal: c_int) -> bool {
    signals(thread).is_some_and(|(_, ignored)| ignored & bit(signal) != 0)
}

/// The value of a line such as "State:\tS (sleeping)".
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = status.lines();
    lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
}

/// "7f00-7f10 r-xp 00001000 08:01 123 /usr/lib/x.so"
fn part_of(line: &[u8]) -> Option<Part> {
    let mut words = line.splitn(6, |&b| b == b' ');
    let (from, to) = std::str::from_utf8(words.next()?).ok()?.split_once('-')?;
    let access = words.next()?;
    let file = words.nth(3).unwrap_or_default().trim_ascii_start();
    Some(Part {
        from: u64::from_str_radix(from, 16).ok()?,
        to: u64::from_str_radix(to, 16).ok()?,
        is_code: access.get(2) == Some(&b'x'),
        file: if file.starts_with(b"/") { file.to_vec() } else { Vec::new() },
    })
}
