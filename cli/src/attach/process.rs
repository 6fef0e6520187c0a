//! A running process, as the kernel describes it.

use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::Result;
use heapsmith_measure::error::{environment, usage};
use heapsmith_measure::proc::text_of;
use libc::pid_t;

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
}

impl Process {
    pub fn find(id: u32) -> Result<Self> {
        let absent = || usage(format!("no process {id}"));
        let id = pid_t::try_from(id).map_err(|_| absent())?;
        let status = text_of(format!("/proc/{id}/status")).map_err(|_| absent())?;
        if field(&status, "Tgid").and_then(|text| text.parse().ok()) != Some(id) {
            return Err(usage(format!("{id} is a thread; name its process")));
        }
        let state = field(&status, "State").unwrap_or_default();
        if state.starts_with(['Z', 'X']) {
            return Err(usage(format!("process {id} has ended")));
        }
        if state.starts_with('T') {
            let line = format!("process {id} is stopped: let it go on with `kill -CONT {id}`");
            return Err(environment(line));
        }
        let name = name_of(id, field(&status, "Name").unwrap_or_default());
        let inside = field(&status, "NSpid").and_then(|ids| ids.split_ascii_whitespace().last());
        let id_inside = inside.and_then(|text| text.parse().ok());
        let process = Self { id, name, id_inside, begin: (0, 0) };
        let begin = process.read_begin().ok_or_else(absent)?;
        Ok(Self { begin, ..process })
    }

    pub fn file(&self, name: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{name}", self.id))
    }

    /// When the process began, and where its stack does, which exec changes.
    fn read_begin(&self) -> Option<(u64, u64)> {
        let text = text_of(self.file("stat")).ok()?;
        let (_, words) = text.rsplit_once(") ")?;
        let words: Vec<_> = words.split_ascii_whitespace().collect();
        if matches!(words.first(), Some(&"Z" | &"X")) {
            return None;
        }
        Some((words.get(19)?.parse().ok()?, words.get(25)?.parse().ok()?))
    }

    /// Returns: whether it is the same program still.
    pub fn is_there(&self) -> bool {
        self.read_begin() == Some(self.begin)
    }

    pub fn has_ended(&self) -> bool {
        self.read_begin().is_none()
    }

    pub fn threads(&self) -> Vec<pid_t> {
        let Ok(entries) = fs::read_dir(self.file("task")) else { return Vec::new() };
        let id = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
        entries.flatten().filter_map(id).collect()
    }

    /// The number of the system call that a thread is in, if it is in one.
    pub fn system_call_of(&self, thread: pid_t) -> Option<i64> {
        let text = fs::read_to_string(self.file(&format!("task/{thread}/syscall"))).ok()?;
        text.split_ascii_whitespace().next()?.parse().ok()
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
        let there = format!("/proc/{}/root{}", self.id, path.display());
        let key = |found: fs::Metadata| (found.dev(), found.ino());
        let (here, there) = (fs::metadata(path).map(key), fs::metadata(there).map(key));
        if here.ok() != there.ok() {
            let (id, path) = (self.id, path.display());
            return Err(environment(format!(
                "process {id} does not see {path}: it runs in a container or has a root of its \
                 own; run heapsmith there"
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

/// The name of the program's file, unless the process goes by another: `short` is that, or its
/// first 15 bytes. One file may be several programs.
fn name_of(id: pid_t, short: &str) -> String {
    let exe = fs::read_link(format!("/proc/{id}/exe")).unwrap_or_default();
    let file = exe.file_name().unwrap_or_default().to_string_lossy();
    let file = file.trim_end_matches(" (deleted)");
    if file.starts_with(short) { file.to_string() } else { short.to_string() }
}

/// Whether a signal waits that the thread does not block.
pub fn has_signal(thread: pid_t) -> bool {
    let Ok(text) = text_of(format!("/proc/{thread}/status")) else { return true };
    let bits = |name| field(&text, name).and_then(|bits| u64::from_str_radix(bits, 16).ok());
    let bits = |name| bits(name).unwrap_or(0);
    (bits("SigPnd") | bits("ShdPnd")) & !bits("SigBlk") != 0
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
