//! A process of its own that traces another one. If the command is killed, it leaves the other
//! process as it was: its threads may be at breakpoints, or in calls that were put into them.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::panic::{AssertUnwindSafe, catch_unwind};

use anyhow::Result;
use heapsmith_measure::error::{ENVIRONMENT, USAGE, environment, exit_code, usage};
use libc::{c_int, pid_t};

/// Signals that end a command. The guardian ends when it has finished.
const ENDING: [c_int; 5] =
    [libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGPIPE];
/// Another one than that of the command, which a user may kill by name.
const NAME: &std::ffi::CStr = c"hs-guardian";

pub struct Guardian {
    id: pid_t,
    to: File,
    from: File,
}

/// The guardian's end.
pub struct Said {
    to: File,
    from: File,
}

impl Guardian {
    /// Runs `work` in a process of its own. Returns: what it told first.
    pub fn start(work: impl FnOnce(&mut Said)) -> Result<(Self, Vec<u8>)> {
        let (from_here, to_guardian) = pipe()?;
        let (from_guardian, to_here) = pipe()?;
        // SAFETY: this process has one thread, so the child may do all that it could.
        let id = unsafe { libc::fork() };
        if id < 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        if id == 0 {
            drop((to_guardian, from_guardian));
            let mut said = Said { to: to_here, from: from_here };
            stand_alone();
            let done = catch_unwind(AssertUnwindSafe(|| work(&mut said)));
            // SAFETY: nothing of this process is to be put in order; that is the command's.
            unsafe { libc::_exit(c_int::from(done.is_err())) };
        }
        drop((to_here, from_here));
        let mut guardian = Self { id, to: to_guardian, from: from_guardian };
        match guardian.listen() {
            Some(Ok(bytes)) => Ok((guardian, bytes)),
            Some(Err(error)) => Err(error),
            None => Err(environment("the process that traces was killed")),
        }
    }

    /// Has it finish. Returns: whether it says that it succeeded.
    pub fn finish(mut self) -> bool {
        self.to.write_all(b".").is_ok() && matches!(self.listen(), Some(Ok(_)))
    }

    /// None: it has ended.
    fn listen(&mut self) -> Option<Result<Vec<u8>>> {
        let mut head = [0; 5];
        self.from.read_exact(&mut head).ok()?;
        let length = u32::from_le_bytes(head[1..].try_into().expect("four bytes"));
        let mut bytes = vec![0; length as usize];
        self.from.read_exact(&mut bytes).ok()?;
        let text = || String::from_utf8_lossy(&bytes).into_owned();
        Some(match head[0] {
            0 => Ok(bytes),
            USAGE => Err(usage(text())),
            _ => Err(environment(text())),
        })
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // It sees the end of this pipe, if it was not told to finish.
        if let Ok(null) = File::open("/dev/null") {
            self.to = null;
        }
        // SAFETY: the child is this process's own, and a null status is permitted.
        unsafe { libc::waitpid(self.id, std::ptr::null_mut(), 0) };
    }
}

impl Said {
    pub fn tell(&mut self, what: &Result<Vec<u8>>) {
        let (code, bytes) = match what {
            Ok(bytes) => (0, bytes.clone()),
            Err(error) => (exit_code(error).clamp(USAGE, ENVIRONMENT), text_of(error)),
        };
        let mut message = vec![code];
        message.extend((bytes.len() as u32).to_le_bytes());
        message.extend(bytes);
        self.to.write_all(&message).ok(); // it fails if the command was killed
    }

    /// Waits until the command says something or has ended.
    pub fn wait(&mut self) {
        self.from.read_exact(&mut [0]).ok();
    }
}

/// The end to read from, and the end to write to.
fn pipe() -> std::io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made these descriptors.
    Ok(unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) })
}

fn text_of(error: &anyhow::Error) -> Vec<u8> {
    format!("{error:#}").into_bytes()
}

/// Leaves the session of the command, its terminal and its signals.
fn stand_alone() {
    let null = File::options().read(true).write(true).open("/dev/null");
    // SAFETY: these calls take numbers, open descriptors and a constant text.
    unsafe {
        libc::setsid();
        for signal in ENDING {
            libc::signal(signal, libc::SIG_IGN);
        }
        libc::prctl(libc::PR_SET_NAME, NAME.as_ptr());
        if let Ok(null) = null {
            for standard in 0..=2 {
                libc::dup2(null.as_raw_fd(), standard);
            }
        }
    }
}
